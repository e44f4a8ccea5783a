"""Plugins: parts that other distributions offer as entry points, for names of the settings that are not built in.

Listing imports nothing; a plugin is imported when a file or a setting needs it.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from kebab_core import (
    PLUGIN_GROUPS,
    ConfigInvalidError,
    KebabError,
    Message,
    Model,
    PluginConflictError,
    Remedy,
)

from kebab_config.settings import check_section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


@dataclass(frozen=True, order=True, kw_only=True)
class Plugin:
    """One entry point of another distribution."""

    group: str
    """One of `PLUGIN_GROUPS`."""
    name: str
    """Provider of a model, kind of a source, or medium of an extractor: its kind, or the extension of `other` files. A
    chunker has the name of the extractor whose documents it cuts."""
    distribution: str
    version: str
    reference: str
    """`module:factory`."""

    def load(self) -> object:
        """Import the factory.

        Raises:
            PluginConflictError: It cannot be imported, or cannot be called.
        """
        from importlib.metadata import EntryPoint

        try:
            factory = EntryPoint(self.name, self.reference, self.group).load()
        except Exception as error:  # the code of others: any error is theirs
            reason = f"{type(error).__name__}: {error}"
            raise self.error(Message("cannot be imported: {reason}", reason=reason)) from error
        if not callable(factory):
            raise self.error(Message("is no factory: {reference} cannot be called", reference=self.reference))
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
            reason = f"{type(error).__name__}: {error}"
            raise self.error(Message("cannot be built: {reason}", reason=reason)) from error
        if missing := _find_missing(built, protocol):
            names = ", ".join(missing)
            raise self.error(
                Message("is no {protocol}: it has no {names}", protocol=protocol.__name__, names=names)
            )
        return built

    def read_settings(self, table: Mapping[str, object], *, section: str) -> Model | None:
        """Read a section of the settings as the `settings_model` of the factory; None for a factory without one.

        Args:
            table: The section as configured; empty for none.
            section: Its dotted name.

        Raises:
            ConfigInvalidError: The section is not what the plugin takes.
            PluginConflictError: The factory cannot be imported, or its `settings_model` is no `Model`.
        """
        model = getattr(self.load(), "settings_model", None)
        if model is None:
            if table:
                raise ConfigInvalidError(
                    "{key}: the plugin {name!r} of {distribution} {version} takes no settings",
                    remedy=Remedy(kind="unset", setting=section),
                    key=section,
                    _name=self.name,
                    _distribution=self.distribution,
                    _version=self.version,
                )
            return None
        if not (isinstance(model, type) and issubclass(model, Model)):
            raise self.error(Message("has a settings_model that is no Model of kebab_core"))
        return check_section(
            model,
            table,
            section=section,
            describe=lambda _key: Message(
                "plugin {name!r} of {distribution} {version}",
                name=self.name,
                distribution=self.distribution,
                version=self.version,
            ),
            advise=lambda key: Remedy(kind="change_setting", setting=key),
        )

    def error(self, problem: Message) -> PluginConflictError:
        """Return an error that names the plugin and its distribution."""
        return PluginConflictError(
            "the plugin {name!r} of {distribution} {version} ({group}) {problem}",
            group=self.group,
            name=self.name,
            distributions=[self.distribution],
            _distribution=self.distribution,
            _version=self.version,
            _problem=problem,
        )


def list_plugins(*groups: str) -> tuple[Plugin, ...]:
    """List the plugins of some groups, of all without any, in order of group and name; nothing is imported."""
    from importlib.metadata import entry_points

    entries = entry_points()  # one call: each reads the metadata of all installed distributions
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
            for entry in entries.select(group=group)
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
            "{names} offer the same plugin {name!r} ({group})",
            remedy=Remedy(advice=Message("uninstall all but one of them")),
            group=found[0].group,
            name=name,
            distributions=names,
            _names=" and ".join(names),
        )
    return found[0] if found else None


def require_plugin(group: str, name: str, *, key: str, built_in: Sequence[str]) -> Plugin:
    """Find the plugin that a key of the settings names.

    Args:
        group: One of `PLUGIN_GROUPS`.
        name: The value of the key.
        key: Dotted.
        built_in: Other values of the key.

    Raises:
        ConfigInvalidError: There is none; the message has the known names, the remedy the nearest of them.
        PluginConflictError: Several distributions offer it.
    """
    plugins = list_plugins(group)
    plugin = find_plugin(plugins, name)
    if plugin is None:
        known = [*built_in, *(each.name for each in plugins)]
        raise ConfigInvalidError(
            "{key}: {name!r} is neither part of this version nor a plugin; known names: {known}",
            remedy=Remedy(
                kind="set",
                setting=key,
                value=(get_close_matches(name, known, n=1) or known)[0],
                otherwise=Remedy(advice=Message("install the plugin")),
            ),
            key=key,
            _name=name,
            _known=", ".join(known),
        )
    return plugin


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
