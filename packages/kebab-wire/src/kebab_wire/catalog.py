"""Every wire object by its id."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kebab_core import InvalidInputError
from pydantic import TypeAdapter, ValidationError

from kebab_wire.agents import (
    AnswerBriefV1,
    BulkSearchResponseV2,
    FetchBriefV1,
    ListBriefV1,
    RelatedBriefV1,
    SearchBriefV2,
)
from kebab_wire.answer import AnswerEventV1, AnswerListV1, AnswerRecordV1, AnswerV1
from kebab_wire.backup import ExportReportV1, ImportReportV1
from kebab_wire.base import WireObject
from kebab_wire.brief import SearchBriefV1
from kebab_wire.bulk import BulkSearchInputV1, BulkSearchItemV1, BulkSearchResponseV1, BulkSearchSummaryV1
from kebab_wire.citation import CitationV1
from kebab_wire.config import ConfigMigrationV1, ConfigReport
from kebab_wire.diagnosis import DoctorReport, WhyV1
from kebab_wire.document import (
    ChunkInspectionV1,
    CountListV1,
    DocListV1,
    DocSummaryV1,
    DocumentInspectionV1,
    ExactResponseV1,
    FormatListV1,
    NameListV1,
    OpenReportV1,
    RelatedListV1,
    RenderReportV1,
)
from kebab_wire.errors import ErrorV1
from kebab_wire.evaluation import EvalCompareV1, EvalRunListV1, EvalRunV1
from kebab_wire.fetched_text import FetchResultV1
from kebab_wire.ingest import IngestProgressV1, IngestReportV1, NoteResultV1, WatchNoticeV1
from kebab_wire.introspection import SchemaReport, VersionV1
from kebab_wire.lake import LakeCompactionV1, LakeCopyV1
from kebab_wire.pictures import OcrFailuresV1, OcrStatsV1
from kebab_wire.search import SearchHitV1, SearchResponseV1
from kebab_wire.session import SessionListV1, SessionV1
from kebab_wire.setup import (
    CompletionV1,
    DesktopEntryV1,
    ErasureReportV1,
    InitReport,
    McpHostsV1,
    McpInstallV1,
    ModelCleanupV1,
    ModelListV1,
    ModelPullV1,
    ModelSwitchV1,
    ResetReport,
    WatchServiceV1,
)

WIRE_SCHEMAS: Mapping[str, Any] = MappingProxyType({
    "answer.v1": AnswerV1,
    "answer_brief.v1": AnswerBriefV1,
    "answer_event.v1": AnswerEventV1,
    "answer_list.v1": AnswerListV1,
    "answer_record.v1": AnswerRecordV1,
    "session.v1": SessionV1,
    "session_list.v1": SessionListV1,
    "bulk_search_input.v1": BulkSearchInputV1,
    "bulk_search_item.v1": BulkSearchItemV1,
    "bulk_search_response.v1": BulkSearchResponseV1,
    "bulk_search_response.v2": BulkSearchResponseV2,
    "bulk_search_summary.v1": BulkSearchSummaryV1,
    "chunk_inspection.v1": ChunkInspectionV1,
    "citation.v1": CitationV1,
    "completion.v1": CompletionV1,
    "config_migration.v1": ConfigMigrationV1,
    "config_report.v1": ConfigReport,
    "count_list.v1": CountListV1,
    "format_list.v1": FormatListV1,
    "doc_list.v1": DocListV1,
    "doc_summary.v1": DocSummaryV1,
    "doctor.v1": DoctorReport,
    "document_inspection.v1": DocumentInspectionV1,
    "erasure_report.v1": ErasureReportV1,
    "error.v1": ErrorV1,
    "eval_compare.v1": EvalCompareV1,
    "eval_run.v1": EvalRunV1,
    "eval_run_list.v1": EvalRunListV1,
    "exact_response.v1": ExactResponseV1,
    "export_report.v1": ExportReportV1,
    "fetch_brief.v1": FetchBriefV1,
    "fetch_result.v1": FetchResultV1,
    "import_report.v1": ImportReportV1,
    "ingest_progress.v1": IngestProgressV1,
    "ingest_report.v1": IngestReportV1,
    "init_report.v1": InitReport,
    "list_brief.v1": ListBriefV1,
    "mcp_hosts.v1": McpHostsV1,
    "mcp_install.v1": McpInstallV1,
    "name_list.v1": NameListV1,
    "ocr_failures.v1": OcrFailuresV1,
    "ocr_stats.v1": OcrStatsV1,
    "open_report.v1": OpenReportV1,
    "render_report.v1": RenderReportV1,
    "model_list.v1": ModelListV1,
    "model_pull.v1": ModelPullV1,
    "model_switch.v1": ModelSwitchV1,
    "model_cleanup.v1": ModelCleanupV1,
    "lake_compaction.v1": LakeCompactionV1,
    "lake_copy.v1": LakeCopyV1,
    "note_result.v1": NoteResultV1,
    "related_brief.v1": RelatedBriefV1,
    "related_list.v1": RelatedListV1,
    "reset_report.v1": ResetReport,
    "schema.v1": SchemaReport,
    "search_brief.v1": SearchBriefV1,
    "search_brief.v2": SearchBriefV2,
    "search_hit.v1": SearchHitV1,
    "search_response.v1": SearchResponseV1,
    "version.v1": VersionV1,
    "watch_notice.v1": WatchNoticeV1,
    "desktop_entry.v1": DesktopEntryV1,
    "watch_service.v1": WatchServiceV1,
    "why.v1": WhyV1,
})
"""Models and unions of models, by `schema_version`."""


def parse_wire(line: str | bytes) -> WireObject:
    """Read a wire object of this version of kebab.

    Closed: a field that is not in the models is refused, so that tests see what is not documented.

    Args:
        line: JSON with `schema_version`.

    Returns:
        The object.

    Raises:
        InvalidInputError: It is not JSON, of an unknown `schema_version`, or does not validate.
    """
    import json

    try:
        version = json.loads(line)["schema_version"]
        value: WireObject = TypeAdapter(WIRE_SCHEMAS[version]).validate_json(line)
    except (ValueError, TypeError, KeyError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else type(error).__name__
        raise InvalidInputError("not a wire object of this kebab: {reason}", _reason=reason) from error
    return value
