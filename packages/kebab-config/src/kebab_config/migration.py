"""Migration of the configuration file from older versions of kebab."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from kebab_core import ConfigInvalidError, Message, Model, Remedy

from kebab_config.settings import SCHEMA_VERSION
from kebab_config.toml_file import back_up, read_config_file, replace_text


class ConfigChange(Model):
    """One thing that a migration changes."""

    kind: Literal["added_section", "added_key", "removed_key", "renamed_key", "changed_value"]
    path: str
    """Dotted key, as it was before."""
    detail: str


@dataclass(frozen=True, slots=True)
class ConfigMigration:
    """Result of a migration, done or planned."""

    config_path: Path
    dry_run: bool
    from_schema_version: int
    to_schema_version: int
    changes: tuple[ConfigChange, ...] = ()
    backup_path: Path | None = None
    """Copy of the old file; None if nothing was written."""

    @property
    def changed(self) -> bool:
        """True if the migration changes the file."""
        return self.from_schema_version != self.to_schema_version


Step = Callable[[MutableMapping[str, Any]], list[ConfigChange]]
"""Rewrites the tables of one version into those of the next, in place, and returns the changes."""

STEPS: Mapping[int, Step] = MappingProxyType({})
"""Steps by the version that they start from, without gaps up to the version before `SCHEMA_VERSION`."""


def migrate_config(path: Path, *, dry_run: bool, steps: Mapping[int, Step] = STEPS) -> ConfigMigration:
    """Rewrite a file for this version of kebab; comments, order and untouched values stay as they are.

    Idempotent: a file that is up to date is not written. The old file is kept beside it with `.bak` at its end.

    Args:
        path: The file.
        dry_run: Write nothing.
        steps: The chain of steps.

    Returns:
        The changes.

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
            "schema_version: the file is of version {version}, this kebab knows {target} at most",
            remedy=Remedy(advice=Message("use a newer kebab")),
            key="schema_version",
            _version=version,
            _target=target,
        )
    return int(version)
