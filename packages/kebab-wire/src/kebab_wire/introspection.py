"""`schema.v1` and `version.v1`: capabilities and versions of the program, and sizes of a knowledge base."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Literal

from kebab_core import Count, Repository, StoreStats
from pydantic import Field

from kebab_wire.base import Timestamp, WireObject, WirePart, mirror

if TYPE_CHECKING:
    from kebab_app import Introspection


class VersionV1(WireObject):
    """The version of kebab."""

    schema_version: Literal["version.v1"] = "version.v1"
    kebab_version: str


class WireCatalog(WirePart):
    """Objects that kebab prints under `--json`."""

    schemas: tuple[str, ...]


class SchemaModels(WirePart):
    """Versions in use."""

    parser_version: str
    chunker_version: str
    active_parsers: tuple[str, ...]
    """Versions that made the documents in the index."""
    active_chunkers: tuple[str, ...]
    analyzer_version: str | None
    embedding_model: str | None = None
    embedding_version: str | None = None
    prompt_template_version: str | None = None
    index_version: str | None = None
    corpus_revision: Count
    """Number that rises with every change of the searchable content."""


class SchemaStats(WirePart):
    """Sizes; each name says its unit."""

    doc_count: Count
    chunk_count: Count
    asset_count: Count
    failed_file_count: Count
    pending_document_count: Count
    """Documents with vectors still to come."""
    held_document_count: Count
    """Documents missing on disk, kept until the removal is confirmed."""
    stale_document_count: Count | None = None
    last_ingest_at: Timestamp | None
    docs_by_media: dict[str, Count]
    docs_by_lang: dict[str, Count]
    docs_by_code_lang: dict[str, Count]
    chunks_by_code_lang: dict[str, Count]
    docs_by_repo: dict[str, Count]
    repositories: tuple[Repository, ...] = ()
    """Checkouts that documents lie in, by source and folder."""
    sqlite_bytes: Count
    asset_bytes: Count
    """Content copied below the data folder."""
    database_schema_version: Count
    """0 where there is no database yet."""
    data_bytes: dict[str, Count] = Field(default_factory=dict)
    """Bytes of each file and folder in the data folder."""
    table_bytes: dict[str, Count] = Field(default_factory=dict)
    """Bytes of each table of the database with its indexes, the largest first."""


class SchemaPlugin(WirePart):
    """A part that another distribution offers."""

    group: str
    """Entry-point group, such as `kebab.extractors`."""
    name: str
    """Name in the group: a provider, a chunker, or the medium or file extension that an extractor reads."""
    distribution: str
    version: str


class SchemaReport(WireObject):
    """Capabilities and versions of this kebab, and sizes of the knowledge base."""

    schema_version: Literal["schema.v1"] = "schema.v1"
    kebab_version: str
    wire: WireCatalog
    capabilities: dict[str, bool]
    models: SchemaModels
    stats: SchemaStats
    plugins: tuple[SchemaPlugin, ...] = ()
    """Entry points of other distributions, whether in use or not."""


def wire_schema_report(found: Introspection, *, schemas: Collection[str]) -> SchemaReport:
    """Convert versions, capabilities and statistics for the wire.

    Args:
        found: The versions, capabilities and statistics.
        schemas: Ids of the wire objects, usually `WIRE_SCHEMAS`.
    """
    own = {"json_mode": "error.v1" in schemas, "ingest_progress": "ingest_progress.v1" in schemas}
    return mirror(
        SchemaReport,
        found,
        wire=WireCatalog(schemas=tuple(sorted(schemas))),
        capabilities={**own, **found.capabilities},
        stats=wire_stats(
            found.stats,
            stale_document_count=found.stale_document_count,
            data_bytes=found.data_bytes,
            table_bytes=found.table_bytes,
        ),
    )


def wire_stats(
    stats: StoreStats,
    *,
    stale_document_count: int | None,
    data_bytes: Mapping[str, int],
    table_bytes: Mapping[str, int],
) -> SchemaStats:
    """Convert the sizes of a knowledge base for the wire."""
    return mirror(
        SchemaStats,
        stats,
        database_schema_version=stats.schema_version,
        stale_document_count=stale_document_count,
        data_bytes=dict(data_bytes),
        table_bytes=dict(table_bytes),
    )
