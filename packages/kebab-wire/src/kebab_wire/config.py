"""`config_report.v1` and `config_migration.v1`: settings in force, and migrations of the configuration file."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Literal, Protocol

from kebab_core import Model
from pydantic import JsonValue, TypeAdapter

from kebab_wire.base import Position, WireObject, WirePart, mirror


class ConfigKeyReport(WirePart):
    """One key in force."""

    key: str
    """Dotted."""
    value: JsonValue
    origin: Literal["default", "file", "env", "flag"]
    origin_name: str | None = None
    """The variable, for env."""
    in_effect: Literal[False] | None = None
    """False: the key has no effect in this version. Absent for all others."""


class ConfigSourceReport(WirePart):
    """One source and its folder."""

    id: str
    root: str


class ConfigPathsReport(WirePart):
    """Absolute paths in force; not all of them need to exist."""

    config_file: str
    data_dir: str
    state_dir: str
    cache_dir: str
    log_dir: str
    sources: tuple[ConfigSourceReport, ...]


class ConfigReport(WireObject):
    """Every setting in force and where it comes from."""

    schema_version: Literal["config_report.v1"] = "config_report.v1"
    config_path: str
    config_exists: bool
    """False: there is no such file and the defaults apply."""
    keys: tuple[ConfigKeyReport, ...]
    warnings: tuple[str, ...]
    paths: ConfigPathsReport


class ConfigChangeV1(WirePart):
    """One thing that a migration changes."""

    kind: Literal["added_section", "added_key", "removed_key", "renamed_key", "changed_value"]
    path: str
    """Dotted key, as it was before."""
    detail: str


class ConfigMigrationV1(WireObject):
    """Migration of the configuration file, done or planned."""

    schema_version: Literal["config_migration.v1"] = "config_migration.v1"
    config_path: str
    dry_run: bool
    from_schema_version: Position
    to_schema_version: Position
    changed: bool
    """Whether the migration changes the file."""
    backup_path: str | None = None
    changes: tuple[ConfigChangeV1, ...]


class _Origin(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str | None: ...


class _SourceSettings(Protocol):
    @property
    def id(self) -> str: ...


class _Source(Protocol):
    @property
    def settings(self) -> _SourceSettings: ...
    @property
    def root(self) -> Path: ...


class _Paths(Protocol):
    @property
    def config_file(self) -> Path: ...
    @property
    def data_dir(self) -> Path: ...
    @property
    def state_dir(self) -> Path: ...
    @property
    def cache_dir(self) -> Path: ...
    @property
    def log_dir(self) -> Path: ...
    @property
    def sources(self) -> Sequence[_Source]: ...


class LoadedConfiguration(Protocol):
    """Loaded settings, as a report needs them; `kebab_config.LoadedSettings` is one."""

    @property
    def settings(self) -> Model:
        """Nested models; the tree that dotted keys address."""

    @property
    def config_path(self) -> Path | None:
        """The file that was read."""

    @property
    def paths(self) -> _Paths:
        """Paths in force."""

    @property
    def origins(self) -> Mapping[str, _Origin]:
        """By dotted key."""

    @property
    def warnings(self) -> Sequence[str]:
        """Sentences for people."""

    @property
    def keys_without_effect(self) -> Collection[str]:
        """Keys without effect, dotted."""


class Migration(Protocol):
    """A migration, as a report needs it; `kebab_config.ConfigMigration` is one."""

    @property
    def config_path(self) -> Path:
        """The file."""

    @property
    def backup_path(self) -> Path | None:
        """Copy of the old file."""


def wire_config_report(loaded: LoadedConfiguration) -> ConfigReport:
    """Return every key in force for the wire, in the order of the sections."""
    return ConfigReport.model_validate({
        "config_path": str(loaded.paths.config_file),
        "config_exists": loaded.config_path is not None,
        "keys": [
            {
                "key": key,
                "value": _value(loaded.settings, key),
                "origin": origin.kind,
                "origin_name": origin.name,
                "in_effect": False if key in loaded.keys_without_effect else None,
            }
            for key, origin in loaded.origins.items()
        ],
        "warnings": loaded.warnings,
        "paths": _wire_paths(loaded.paths),
    })


def wire_config_migration(migration: Migration) -> ConfigMigrationV1:
    """Return a migration for the wire."""
    backup = migration.backup_path
    return mirror(
        ConfigMigrationV1,
        migration,
        config_path=str(migration.config_path),
        backup_path=None if backup is None else str(backup),
    )


def _value(settings: Model, key: str) -> object:
    return TypeAdapter(object).dump_python(reduce(getattr, key.split("."), settings), mode="json")


def _wire_paths(paths: _Paths) -> ConfigPathsReport:
    names = ("config_file", "data_dir", "state_dir", "cache_dir", "log_dir")
    sources = tuple(
        ConfigSourceReport(id=source.settings.id, root=str(source.root)) for source in paths.sources
    )
    return ConfigPathsReport.model_validate({
        **{name: str(getattr(paths, name)) for name in names},
        "sources": sources,
    })
