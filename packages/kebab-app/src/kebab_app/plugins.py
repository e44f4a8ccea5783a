"""Plugins: parts that other distributions offer as entry points, for names that are not built in.

`wiring` looks here for an extractor of a medium without a recipe and for a model whose provider it does not know.
Listing imports nothing; a plugin is imported when a file or a setting needs it.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, cast

from kebab_core import PLUGIN_GROUPS, KebabError, PluginConflictError, Remedy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True, order=True, kw_only=True)
class Plugin:
    """One entry point of another distribution."""

    group: str
    """One of `PLUGIN_GROUPS`."""
    name: str
    """Provider of a model, or medium of an extractor: its kind, or the extension of `other` files. A chunker has the name
    of the extractor whose documents it cuts."""
    distribution: str
    version: str
    reference: str
    """`module:factory`."""

    def load(self) -> object:
        """Import the factory.

        Raises:
            PluginConflictError: It cannot be imported, or cannot be called.
        """
        try:
            factory = EntryPoint(self.name, self.reference, self.group).load()
        except Exception as error:  # the code of others: any error is theirs
            raise self.error(f"cannot be imported: {type(error).__name__}: {error}") from error
        if not callable(factory):
            raise self.error(f"is no factory: {self.reference} cannot be called")
        return factory

    def build(self, *arguments: object, protocol: type) -> object:
        """Import and call the factory.

        Args:
            arguments: Arguments of the factory.
            protocol: Protocol of its result.

        Raises:
            PluginConflictError: The factory fails, or its result does not satisfy the Protocol.
            KebabError: The factory raises it.
        """
        factory = cast("Callable[..., object]", self.load())
        try:
            built = factory(*arguments)
        except KebabError:
            raise
        except Exception as error:
            raise self.error(f"cannot be built: {type(error).__name__}: {error}") from error
        if missing := _find_missing(built, protocol):
            raise self.error(f"is no {protocol.__name__}: it has no {', '.join(missing)}")
        return built

    def error(self, problem: str) -> PluginConflictError:
        """Return an error that names the plugin and its distribution."""
        return PluginConflictError(
            f"the plugin {self.name!r} of {self.distribution} {self.version} ({self.group}) {problem}",
            group=self.group,
            name=self.name,
            distributions=[self.distribution],
        )


def list_plugins(*groups: str) -> tuple[Plugin, ...]:
    """List the plugins of some groups, of all without any, in order of group and name; nothing is imported."""
    return tuple(
        sorted(
            Plugin(
                group=group,
                name=entry.name,
                distribution=entry.dist.name if entry.dist else "",
                version=entry.dist.version if entry.dist else "",
                reference=entry.value,
            )
            for group in groups or PLUGIN_GROUPS
            for entry in entry_points(group=group)
        )
    )


def find_plugin(plugins: Iterable[Plugin], name: str) -> Plugin | None:
    """Find the plugin of a name among those of one group.

    Raises:
        PluginConflictError: Several distributions offer the name.
    """
    found = [plugin for plugin in plugins if plugin.name == name]
    if len(found) > 1:
        names = [plugin.distribution for plugin in found]
        raise PluginConflictError(
            f"{' and '.join(names)} offer the same plugin {name!r} ({found[0].group})",
            remedy=Remedy(kind="uninstall_others"),
            group=found[0].group,
            name=name,
            distributions=names,
        )
    return found[0] if found else None


def _find_missing(built: object, protocol: type) -> list[str]:
    """Find the members of a Protocol that an object does not have; no property is evaluated."""
    missing = []
    for base in protocol.__mro__:
        for name, member in vars(base).items():
            if name.startswith("_") or not (inspect.isfunction(member) or isinstance(member, property)):
                continue
            has = inspect.getattr_static(built, name, None) is not None
            if not has or (inspect.isfunction(member) and not callable(getattr(built, name))):
                missing.append(name)
    return missing
