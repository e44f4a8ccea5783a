"""The `*.v1` wire objects of kebab: models, conversion from the domain, JSON Schemas, and errors as objects.

Does no I/O but in `python -m kebab_wire.generate`, which writes and checks `wire-schema/v1`.

    >>> from kebab_core import InvalidInputError
    >>> from kebab_wire import classify_error, wire_json
    >>> wire_json(classify_error(InvalidInputError("빈 질문")))
    '{"schema_version":"error.v1","code":"invalid_input","message":"빈 질문","details":{},"hint":null}'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_wire.additivity import find_violations
    from kebab_wire.base import WireObject, WirePart
    from kebab_wire.block import BlockV1, InlineV1
    from kebab_wire.catalog import WIRE_SCHEMAS, parse_wire
    from kebab_wire.citation import (
        CaptionCitationV1,
        CitationV1,
        CodeCitationV1,
        LineCitationV1,
        PageCitationV1,
        RegionCitationV1,
        TimeCitationV1,
        wire_citation,
    )
    from kebab_wire.document import (
        ChunkInspectionV1,
        DocListV1,
        DocSummaryV1,
        DocumentInspectionV1,
        MetadataV1,
        ProvenanceEventV1,
        wire_chunk_inspection,
        wire_doc_list,
        wire_doc_summary,
        wire_document_inspection,
    )
    from kebab_wire.errors import ErrorCode, ErrorV1, classify_error
    from kebab_wire.fetch import FetchChunkV1, FetchDocV1, FetchResultV1, FetchSpanV1, wire_fetch_result
    from kebab_wire.generate import find_breaking_changes, find_differences
    from kebab_wire.ingest import IngestFailureV1, IngestItemV1, IngestReportV1, ScopeV1, wire_ingest_report
    from kebab_wire.json_schema import published_schema
    from kebab_wire.progress import (
        AbortedV1,
        AssetFinishedV1,
        AssetPhaseV1,
        AssetStartedV1,
        CompletedV1,
        EmbedBatchFinishedV1,
        EmbedBatchStartedV1,
        HeartbeatV1,
        IngestCountsV1,
        IngestProgressV1,
        ScanCompletedV1,
        ScanStartedV1,
        wire_ingest_event,
    )
    from kebab_wire.search import (
        CoverageV1,
        EvidenceV1,
        FiltersV1,
        MatchedRangeV1,
        QueryV1,
        RetrievalV1,
        SearchHitV1,
        SearchResponseV1,
        wire_search_hit,
        wire_search_response,
    )
    from kebab_wire.serialize import wire_json
    from kebab_wire.setup import (
        CompletionV1,
        ConfigChangeV1,
        ConfigKeyReport,
        ConfigMigrationV1,
        ConfigPathsReport,
        ConfigReport,
        ConfigSourceReport,
        InitReport,
        LoadedConfiguration,
        Migration,
        ResetReport,
        wire_config_migration,
        wire_config_report,
    )
    from kebab_wire.span import SpanV1
    from kebab_wire.status import (
        DoctorCheck,
        DoctorReport,
        SchemaModels,
        SchemaReport,
        SchemaStats,
        VersionV1,
        WireCatalog,
        wire_schema_report,
    )

_MODULE_OF = {
    "WIRE_SCHEMAS": "catalog",
    "AbortedV1": "progress",
    "AssetFinishedV1": "progress",
    "AssetPhaseV1": "progress",
    "AssetStartedV1": "progress",
    "BlockV1": "block",
    "CaptionCitationV1": "citation",
    "ChunkInspectionV1": "document",
    "CitationV1": "citation",
    "CodeCitationV1": "citation",
    "CompletedV1": "progress",
    "CompletionV1": "setup",
    "ConfigChangeV1": "setup",
    "ConfigKeyReport": "setup",
    "ConfigMigrationV1": "setup",
    "ConfigPathsReport": "setup",
    "ConfigReport": "setup",
    "ConfigSourceReport": "setup",
    "CoverageV1": "search",
    "DocListV1": "document",
    "DocSummaryV1": "document",
    "DoctorCheck": "status",
    "DoctorReport": "status",
    "DocumentInspectionV1": "document",
    "EmbedBatchFinishedV1": "progress",
    "EmbedBatchStartedV1": "progress",
    "ErrorCode": "errors",
    "ErrorV1": "errors",
    "EvidenceV1": "search",
    "FetchChunkV1": "fetch",
    "FetchDocV1": "fetch",
    "FetchResultV1": "fetch",
    "FetchSpanV1": "fetch",
    "FiltersV1": "search",
    "HeartbeatV1": "progress",
    "IngestCountsV1": "progress",
    "IngestFailureV1": "ingest",
    "IngestItemV1": "ingest",
    "IngestProgressV1": "progress",
    "IngestReportV1": "ingest",
    "InitReport": "setup",
    "InlineV1": "block",
    "LineCitationV1": "citation",
    "LoadedConfiguration": "setup",
    "MatchedRangeV1": "search",
    "MetadataV1": "document",
    "Migration": "setup",
    "PageCitationV1": "citation",
    "ProvenanceEventV1": "document",
    "QueryV1": "search",
    "RegionCitationV1": "citation",
    "ResetReport": "setup",
    "RetrievalV1": "search",
    "ScanCompletedV1": "progress",
    "ScanStartedV1": "progress",
    "SchemaModels": "status",
    "SchemaReport": "status",
    "SchemaStats": "status",
    "ScopeV1": "ingest",
    "SearchHitV1": "search",
    "SearchResponseV1": "search",
    "SpanV1": "span",
    "TimeCitationV1": "citation",
    "VersionV1": "status",
    "WireCatalog": "status",
    "WireObject": "base",
    "WirePart": "base",
    "classify_error": "errors",
    "find_breaking_changes": "generate",
    "find_differences": "generate",
    "find_violations": "additivity",
    "parse_wire": "catalog",
    "published_schema": "json_schema",
    "wire_chunk_inspection": "document",
    "wire_citation": "citation",
    "wire_config_migration": "setup",
    "wire_config_report": "setup",
    "wire_doc_list": "document",
    "wire_doc_summary": "document",
    "wire_document_inspection": "document",
    "wire_fetch_result": "fetch",
    "wire_ingest_event": "progress",
    "wire_ingest_report": "ingest",
    "wire_json": "serialize",
    "wire_schema_report": "status",
    "wire_search_hit": "search",
    "wire_search_response": "search",
}

__all__ = [
    "WIRE_SCHEMAS",
    "AbortedV1",
    "AssetFinishedV1",
    "AssetPhaseV1",
    "AssetStartedV1",
    "BlockV1",
    "CaptionCitationV1",
    "ChunkInspectionV1",
    "CitationV1",
    "CodeCitationV1",
    "CompletedV1",
    "CompletionV1",
    "ConfigChangeV1",
    "ConfigKeyReport",
    "ConfigMigrationV1",
    "ConfigPathsReport",
    "ConfigReport",
    "ConfigSourceReport",
    "CoverageV1",
    "DocListV1",
    "DocSummaryV1",
    "DoctorCheck",
    "DoctorReport",
    "DocumentInspectionV1",
    "EmbedBatchFinishedV1",
    "EmbedBatchStartedV1",
    "ErrorCode",
    "ErrorV1",
    "EvidenceV1",
    "FetchChunkV1",
    "FetchDocV1",
    "FetchResultV1",
    "FetchSpanV1",
    "FiltersV1",
    "HeartbeatV1",
    "IngestCountsV1",
    "IngestFailureV1",
    "IngestItemV1",
    "IngestProgressV1",
    "IngestReportV1",
    "InitReport",
    "InlineV1",
    "LineCitationV1",
    "LoadedConfiguration",
    "MatchedRangeV1",
    "MetadataV1",
    "Migration",
    "PageCitationV1",
    "ProvenanceEventV1",
    "QueryV1",
    "RegionCitationV1",
    "ResetReport",
    "RetrievalV1",
    "ScanCompletedV1",
    "ScanStartedV1",
    "SchemaModels",
    "SchemaReport",
    "SchemaStats",
    "ScopeV1",
    "SearchHitV1",
    "SearchResponseV1",
    "SpanV1",
    "TimeCitationV1",
    "VersionV1",
    "WireCatalog",
    "WireObject",
    "WirePart",
    "classify_error",
    "find_breaking_changes",
    "find_differences",
    "find_violations",
    "parse_wire",
    "published_schema",
    "wire_chunk_inspection",
    "wire_citation",
    "wire_config_migration",
    "wire_config_report",
    "wire_doc_list",
    "wire_doc_summary",
    "wire_document_inspection",
    "wire_fetch_result",
    "wire_ingest_event",
    "wire_ingest_report",
    "wire_json",
    "wire_schema_report",
    "wire_search_hit",
    "wire_search_response",
]


def __getattr__(name: str) -> object:
    """Load a public name from its module the first time it is asked for.

    Returns:
        The object of that name.

    Raises:
        AttributeError: There is no such name.
    """
    from importlib import import_module

    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
