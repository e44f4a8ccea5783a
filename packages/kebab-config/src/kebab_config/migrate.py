"""Bringing a configuration file of an older kebab to the present shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from kebab_core import ConfigInvalidError

from kebab_config.atomic_write import back_up, replace_text
from kebab_config.settings import SCHEMA_VERSION
from kebab_config.toml_file import read_config_file


@dataclass(frozen=True, slots=True)
class ConfigChange:
    """One thing that a migration changes."""

    kind: Literal["added_section", "added_key", "removed_key", "renamed_key", "changed_value"]
    path: str
    """Dotted key, as it was before."""
    detail: str
    """A sentence for people."""


@dataclass(frozen=True, slots=True)
class ConfigMigration:
    """What a migration did, or would do."""

    config_path: Path
    dry_run: bool
    from_schema_version: int
    to_schema_version: int
    changes: tuple[ConfigChange, ...] = ()
    backup_path: Path | None = None
    """The file as it was; None if nothing was written."""

    @property
    def changed(self) -> bool:
        """Whether the file is, or would be, another one afterwards."""
        return self.from_schema_version != self.to_schema_version


Step = Callable[[MutableMapping[str, Any]], list[ConfigChange]]
"""Rewrites the tables of one version into those of the next, in place, and says what it changed."""

STEPS: Mapping[int, Step] = MappingProxyType({})
"""By the version that a step starts from, without gaps up to the version before `SCHEMA_VERSION`."""


def migrate_config(path: Path, *, dry_run: bool, steps: Mapping[int, Step] = STEPS) -> ConfigMigration:
    """Rewrite a file for this version of kebab; comments, order and untouched values stay as they are.

    Idempotent: a file that is up to date is not written. The old file is kept beside it with `.bak` at its end.

    Args:
        path: The file.
        dry_run: Only tell what would change.
        steps: The chain of steps.

    Returns:
        What changed.

    Raises:
        ConfigNotFoundError: There is no such file.
        ConfigInvalidError: It is not valid TOML, or of a newer kebab.
        StorageError: It cannot be read or written.
    """
    import tomlkit

    file = read_config_file(path)
    document = tomlkit.parse(file.text)
    before = _version_of(document, target=SCHEMA_VERSION + len(steps) - len(STEPS))
    changes = upgrade_tables(document, steps)
    after = int(document.get("schema_version", before))
    backup = None
    if before != after and not dry_run:
        backup = back_up(path)
        replace_text(path, tomlkit.dumps(document))
    return ConfigMigration(
        config_path=path,
        dry_run=dry_run,
        from_schema_version=before,
        to_schema_version=after,
        changes=tuple(changes),
        backup_path=backup,
    )


def upgrade_tables(tables: MutableMapping[str, Any], steps: Mapping[int, Step] = STEPS) -> list[ConfigChange]:
    """Run the steps that tables still need, in place; a file without `schema_version` is of the present one.

    Returns:
        All changes, in order.

    Raises:
        ConfigInvalidError: The version is not a positive number, or newer than this kebab.
    """
    target = SCHEMA_VERSION + len(steps) - len(STEPS)
    changes: list[ConfigChange] = []
    for version in range(_version_of(tables, target=target), target):
        changes += steps[version](tables)
        tables["schema_version"] = version + 1
    return changes


def _version_of(tables: Mapping[str, Any], *, target: int) -> int:
    version = tables.get("schema_version", target)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ConfigInvalidError("schema_version: must be a whole number from 1", key="schema_version")
    if version > target:
        raise ConfigInvalidError(
            f"schema_version: the file is of version {version}, this kebab knows {target} at most",
            hint="use the kebab that wrote the file, or a newer one",
            key="schema_version",
        )
    return int(version)
