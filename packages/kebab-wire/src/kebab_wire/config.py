"""`config_report.v1` and `config_migration.v1`: settings in force, and migrations of the configuration file."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Literal

from kebab_config import ConfigChange
from kebab_core import Model, Position
from pydantic import JsonValue, TypeAdapter

from kebab_wire.base import DiskPath, WireObject, WirePart, mirror

if TYPE_CHECKING:
    from kebab_config import ConfigMigration, LoadedSettings


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
    root: DiskPath


class ConfigPathsReport(WirePart):
    """Absolute paths in force; not all of them need to exist."""

    config_file: DiskPath
    data_dir: DiskPath
    state_dir: DiskPath
    cache_dir: DiskPath
    log_dir: DiskPath
    sources: tuple[ConfigSourceReport, ...]


class ConfigReport(WireObject):
    """Every setting in force and where it comes from."""

    schema_version: Literal["config_report.v1"] = "config_report.v1"
    config_path: DiskPath
    config_exists: bool
    """False: there is no such file and the defaults apply."""
    keys: tuple[ConfigKeyReport, ...]
    warnings: tuple[str, ...]
    paths: ConfigPathsReport


class ConfigMigrationV1(WireObject):
    """Migration of the configuration file, done or planned."""

    schema_version: Literal["config_migration.v1"] = "config_migration.v1"
    config_path: DiskPath
    dry_run: bool
    from_schema_version: Position
    to_schema_version: Position
    changed: bool
    """Whether the migration changes the file."""
    backup_path: DiskPath | None = None
    changes: tuple[ConfigChange, ...]


def wire_config_report(loaded: LoadedSettings) -> ConfigReport:
    """Return every key in force for the wire, in the order of the sections."""
    sources = [{"id": source.settings.id, "root": source.root} for source in loaded.paths.sources]
    return ConfigReport.model_validate({
        "config_path": loaded.paths.config_file,
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
        "paths": mirror(ConfigPathsReport, loaded.paths, sources=sources),
    })


def wire_config_migration(migration: ConfigMigration) -> ConfigMigrationV1:
    """Return a migration for the wire."""
    return mirror(ConfigMigrationV1, migration)


def _value(settings: Model, key: str) -> object:
    return TypeAdapter(object).dump_python(reduce(getattr, key.split("."), settings), mode="json")
