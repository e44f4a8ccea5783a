"""What sets kebab up and takes it away: `init_report.v1`, `reset_report.v1`, `mcp_install.v1` and more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Literal, Protocol

from kebab_core import Model
from pydantic import JsonValue, TypeAdapter

from kebab_wire.base import Count, Position, WireObject, WirePart, mirror


class InitReport(WireObject):
    """What was set up."""

    schema_version: Literal["init_report.v1"] = "init_report.v1"
    config_path: str
    data_dir: str
    database_schema_version: Position
    roots: tuple[str, ...]
    """Folders of documents."""
    created: tuple[str, ...]
    """Paths that were made."""
    kept: tuple[str, ...]
    """Paths that were there."""
    backup_path: str | None = None
    """Where the old configuration is."""


class ResetReport(WireObject):
    """What was deleted."""

    schema_version: Literal["reset_report.v1"] = "reset_report.v1"
    scope: Literal["all", "data_only", "vector_only", "config_only", "orphans_only"]
    removed_paths: tuple[str, ...]
    embedding_rows_truncated: Count = 0
    orphans_purged: Count | None = None
    """Documents that left the index."""
    purged_paths: tuple[str, ...] | None = None
    """Their paths."""


class ErasureReportV1(WireObject):
    """What was deleted on request, with its traces."""

    schema_version: Literal["erasure_report.v1"] = "erasure_report.v1"
    documents: tuple[str, ...] = ()
    """Documents that left the index: their paths, after source and colon where the source is not the default one."""
    removed_paths: tuple[str, ...] = ()
    """Files that were deleted, as paths on disk."""
    answers: tuple[str, ...] = ()
    """Stored answers that were deleted: their trace ids."""
    erased: bool = True
    """Nothing of it is left in the files of the database; false where a reader was in the way, and the next ingest
    that removes something, or the first a day later, erases the rest."""


class CompletionV1(WireObject):
    """A completion script."""

    schema_version: Literal["completion.v1"] = "completion.v1"
    shell: Literal["bash", "zsh", "fish"]
    script: str
    """What the shell is to run."""


class McpInstallV1(WireObject):
    """How a host was set up to start the server for agents."""

    schema_version: Literal["mcp_install.v1"] = "mcp_install.v1"
    host: str
    path: str
    """Its file."""
    status: Literal["created", "updated", "unchanged"]
    """What became, or with `dry_run` would become, of the file."""
    dry_run: bool
    """Nothing was written."""
    backup_path: str | None = None
    """Where the file as it was is kept."""
    command: str
    """What the host starts."""
    arguments: tuple[str, ...]
    """What it gives that, with what the user added."""
    kept: tuple[str, ...] = ()
    """Arguments that the user added, and that stay."""
    dropped: tuple[str, ...] = ()
    """Of the command line as it was: what is no longer in it."""
    switched_off: bool = False
    """The user has switched the server off in the file; that stays so."""
    remarks: tuple[str, ...] = ()
    """What else there is to know about the entry, for people."""
    diff: str | None = None
    """With `dry_run`: the change, as a unified diff; None where nothing changes."""


class McpHostV1(WirePart):
    """One program that can start the server for agents."""

    host: str
    """What `kebab mcp install` calls it."""
    title: str
    path: str
    """Its file."""
    is_project: bool
    """Set up for the folder at hand, not for the user."""
    exists: bool
    """Whether the file is there."""
    installed: bool
    """Whether the file names kebab."""
    switched_off: bool = False
    """It does, and has it switched off."""


class McpHostsV1(WireObject):
    """Programs that can be set up to start the server for agents."""

    schema_version: Literal["mcp_hosts.v1"] = "mcp_hosts.v1"
    hosts: tuple[McpHostV1, ...]
    """By name."""


class ConfigKeyReport(WirePart):
    """One key in force."""

    key: str
    """Dotted."""
    value: JsonValue
    origin: Literal["default", "file", "env", "flag"]
    origin_name: str | None = None
    """The variable, for env."""
    in_effect: Literal[False] | None = None
    """False: nothing acts on the key in this version. Left out of all others."""


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
    """What a migration of the configuration file did, or would do."""

    schema_version: Literal["config_migration.v1"] = "config_migration.v1"
    config_path: str
    dry_run: bool
    from_schema_version: Position
    to_schema_version: Position
    changed: bool
    """Whether the file is, or would be, another one afterwards."""
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
    """What a report needs of loaded settings; `kebab_config.LoadedSettings` is one."""

    @property
    def settings(self) -> Model:
        """Nested models; the tree that dotted keys address."""

    @property
    def config_path(self) -> Path | None:
        """The file that was read."""

    @property
    def paths(self) -> _Paths:
        """Where things are."""

    @property
    def origins(self) -> Mapping[str, _Origin]:
        """By dotted key."""

    @property
    def warnings(self) -> Sequence[str]:
        """Sentences for people."""

    @property
    def keys_without_effect(self) -> Collection[str]:
        """Keys that nothing acts on, dotted."""


class Migration(Protocol):
    """What a report needs of a migration; `kebab_config.ConfigMigration` is one."""

    @property
    def config_path(self) -> Path:
        """The file."""

    @property
    def backup_path(self) -> Path | None:
        """The file as it was."""


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
