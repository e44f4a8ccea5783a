"""Reports of export and import: what a backup holds, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from kebab_core import Count, Position, UtcDatetime

from kebab_wire.base import DiskPath, WireObject, mirror

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_app import Backup, ImportResult


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


def wire_export(backup: Backup, *, path: Path, keys_like_secrets: Sequence[str]) -> ExportReportV1:
    """Convert a backup for the wire."""
    return mirror(
        ExportReportV1,
        backup.manifest,
        path=path,
        size_bytes=backup.size_bytes,
        missing_copies=tuple(backup.missing),
        keys_like_secrets=tuple(keys_like_secrets),
    )


def wire_import(result: ImportResult) -> ImportReportV1:
    """Convert the result of an import for the wire."""
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
