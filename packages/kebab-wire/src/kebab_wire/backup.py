"""Reports of export and import: what a backup holds, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from kebab_core import Count, Position, UtcDatetime

from kebab_wire.base import DiskPath, WireObject, mirror


class ExportReportV1(WireObject):
    """Report of `kebab export`."""

    schema_version: Literal["export_report.v1"] = "export_report.v1"
    path: DiskPath
    """The archive. It is not encrypted and holds the text of all documents."""
    size_bytes: Count
    created_at: UtcDatetime
    kebab_version: str
    database_schema_version: Position
    has_configuration: bool
    """Whether it holds a configuration; without a file, there is none."""
    copies: Count
    """Copies of originals."""
    external_documents: Count
    evaluation_files: Count
    """Files of stored evaluations."""
    missing_copies: tuple[str, ...] = ()
    """Paths of documents whose copy is missing or damaged in the data folder, so that the archive has none."""
    keys_like_secrets: tuple[str, ...] = ()
    """Keys of the configuration whose values look like secrets; the archive holds them."""


class ImportReportV1(WireObject):
    """Report of `kebab import`."""

    schema_version: Literal["import_report.v1"] = "import_report.v1"
    created_at: UtcDatetime
    """When the backup was written."""
    kebab_version: str
    """Version that wrote the backup."""
    database_schema_version: Position
    """Schema version of the database in the backup, before its migration."""
    config_path: DiskPath | None = None
    data_dir: DiskPath
    documents: Count
    copies: Count
    """Copies of originals."""
    external_documents: Count
    evaluation_files: Count
    """Files of stored evaluations."""
    missing_roots: tuple[DiskPath, ...] = ()
    """Folders of sources that do not exist here. What is indexed of them stays."""
    kept_apart: tuple[DiskPath, ...] = ()
    """External documents that could not be written below their source: where they are now."""
    endpoints: Mapping[str, str] = {}
    """Addresses of servers that the configuration of the backup sets, by dotted key; without a name and password in them."""
    backup_path: DiskPath | None = None
    """Copy of the configuration that was replaced."""


class _Backup(Protocol):
    """`kebab_app.Backup`."""

    @property
    def manifest(self) -> object: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def missing(self) -> Sequence[str]: ...


class _Import(Protocol):
    """`kebab_app.ImportResult`, as far as it is not read by name."""

    @property
    def manifest(self) -> _Manifest: ...


class _Manifest(Protocol):
    @property
    def created_at(self) -> datetime: ...
    @property
    def kebab_version(self) -> str: ...
    @property
    def database_schema_version(self) -> int: ...
    @property
    def copies(self) -> int: ...
    @property
    def external_documents(self) -> int: ...
    @property
    def evaluation_files(self) -> int: ...


def wire_export(backup: _Backup, *, path: Path, keys_like_secrets: Sequence[str]) -> ExportReportV1:
    """Convert a backup, a `kebab_app.Backup`, for the wire."""
    return mirror(
        ExportReportV1,
        backup.manifest,
        path=path,
        size_bytes=backup.size_bytes,
        missing_copies=tuple(backup.missing),
        keys_like_secrets=tuple(keys_like_secrets),
    )


def wire_import(result: _Import) -> ImportReportV1:
    """Convert the result of an import, a `kebab_app.ImportResult`, for the wire."""
    manifest = result.manifest
    return mirror(
        ImportReportV1,
        result,
        created_at=manifest.created_at,
        kebab_version=manifest.kebab_version,
        database_schema_version=manifest.database_schema_version,
        copies=manifest.copies,
        external_documents=manifest.external_documents,
        evaluation_files=manifest.evaluation_files,
    )
