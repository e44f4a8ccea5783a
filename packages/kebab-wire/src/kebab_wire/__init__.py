"""The `*.v1` wire objects of kebab: models, conversion from the domain, JSON Schemas, and errors as objects.

Does no I/O. `wire-schema/v1` is generated from these models (`python -m tools.wire.generate`).

    >>> from kebab_core import InvalidInputError
    >>> from kebab_wire import classify_error, wire_json
    >>> wire_json(classify_error(InvalidInputError("빈 질문")))
    '{"schema_version":"error.v1","code":"invalid_input","message":"빈 질문","details":{},"hint":null}'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_wire.agents import (
        AgentHitV2 as AgentHitV2,
        AgentTranslationV2 as AgentTranslationV2,
        AnswerBriefV1 as AnswerBriefV1,
        AnswerSourceV1 as AnswerSourceV1,
        BulkAnswerV2 as BulkAnswerV2,
        BulkSearchResponseV2 as BulkSearchResponseV2,
        FetchBriefV1 as FetchBriefV1,
        ListBriefV1 as ListBriefV1,
        ListedDocumentV1 as ListedDocumentV1,
        RelatedBriefDocumentV1 as RelatedBriefDocumentV1,
        RelatedBriefV1 as RelatedBriefV1,
        SearchBriefV2 as SearchBriefV2,
        agent_hit_cost as agent_hit_cost,
        wire_agent_answer as wire_agent_answer,
        wire_agent_bulk as wire_agent_bulk,
        wire_agent_fetch as wire_agent_fetch,
        wire_agent_hit as wire_agent_hit,
        wire_agent_search as wire_agent_search,
    )
    from kebab_wire.answer import (
        AnswerCitationV1 as AnswerCitationV1,
        AnswerClaimV1 as AnswerClaimV1,
        AnswerEventV1 as AnswerEventV1,
        AnswerFinalV1 as AnswerFinalV1,
        AnswerListV1 as AnswerListV1,
        AnswerRecordV1 as AnswerRecordV1,
        AnswerTokenV1 as AnswerTokenV1,
        AnswerV1 as AnswerV1,
        ClaimSourceV1 as ClaimSourceV1,
        HopDoneV1 as HopDoneV1,
        RetrievalDoneV1 as RetrievalDoneV1,
        wire_answer as wire_answer,
        wire_answer_event as wire_answer_event,
        wire_answer_list as wire_answer_list,
        wire_answer_record as wire_answer_record,
    )
    from kebab_wire.backup import (
        ExportReportV1 as ExportReportV1,
        ImportReportV1 as ImportReportV1,
        wire_export as wire_export,
        wire_import as wire_import,
    )
    from kebab_wire.base import WireObject as WireObject, WirePart as WirePart, wire_json as wire_json
    from kebab_wire.brief import (
        BriefCoverageV1 as BriefCoverageV1,
        BriefHitV1 as BriefHitV1,
        BriefPassageV1 as BriefPassageV1,
        BriefTranslationV1 as BriefTranslationV1,
        SearchBriefV1 as SearchBriefV1,
        brief_hit_cost as brief_hit_cost,
        wire_brief_hit as wire_brief_hit,
        wire_search_brief as wire_search_brief,
    )
    from kebab_wire.bulk import (
        BulkSearchInputV1 as BulkSearchInputV1,
        BulkSearchItemV1 as BulkSearchItemV1,
        BulkSearchResponseV1 as BulkSearchResponseV1,
        BulkSearchSummaryV1 as BulkSearchSummaryV1,
        wire_bulk_item as wire_bulk_item,
        wire_bulk_summary as wire_bulk_summary,
    )
    from kebab_wire.catalog import WIRE_SCHEMAS as WIRE_SCHEMAS, parse_wire as parse_wire
    from kebab_wire.citation import (
        CaptionCitationV1 as CaptionCitationV1,
        CellCitationV1 as CellCitationV1,
        CitationV1 as CitationV1,
        CodeCitationV1 as CodeCitationV1,
        LineCitationV1 as LineCitationV1,
        PageCitationV1 as PageCitationV1,
        RegionCitationV1 as RegionCitationV1,
        SlideCitationV1 as SlideCitationV1,
        TimeCitationV1 as TimeCitationV1,
        wire_citation as wire_citation,
    )
    from kebab_wire.config import (
        ConfigKeyReport as ConfigKeyReport,
        ConfigMigrationV1 as ConfigMigrationV1,
        ConfigPathsReport as ConfigPathsReport,
        ConfigReport as ConfigReport,
        ConfigSourceReport as ConfigSourceReport,
        wire_config_migration as wire_config_migration,
        wire_config_report as wire_config_report,
    )
    from kebab_wire.diagnosis import (
        DoctorCheck as DoctorCheck,
        DoctorReport as DoctorReport,
        WhyDocumentV1 as WhyDocumentV1,
        WhyFailureV1 as WhyFailureV1,
        WhyLegV1 as WhyLegV1,
        WhyPassageV1 as WhyPassageV1,
        WhyRuleV1 as WhyRuleV1,
        WhyStepV1 as WhyStepV1,
        WhyTermV1 as WhyTermV1,
        WhyV1 as WhyV1,
        wire_doctor as wire_doctor,
        wire_why as wire_why,
    )
    from kebab_wire.document import (
        ChunkEmbeddingV1 as ChunkEmbeddingV1,
        ChunkInspectionV1 as ChunkInspectionV1,
        CountListV1 as CountListV1,
        DocListV1 as DocListV1,
        DocSummaryV1 as DocSummaryV1,
        DocumentInspectionV1 as DocumentInspectionV1,
        ExactDocumentV1 as ExactDocumentV1,
        ExactLineV1 as ExactLineV1,
        ExactResponseV1 as ExactResponseV1,
        FormatListV1 as FormatListV1,
        FormatV1 as FormatV1,
        NamedCountV1 as NamedCountV1,
        NamedDocumentV1 as NamedDocumentV1,
        NameListV1 as NameListV1,
        OpenReportV1 as OpenReportV1,
        RelatedDocumentV1 as RelatedDocumentV1,
        RelatedListV1 as RelatedListV1,
        RenderReportV1 as RenderReportV1,
        wire_call_search as wire_call_search,
        wire_chunk_inspection as wire_chunk_inspection,
        wire_doc_list as wire_doc_list,
        wire_doc_summary as wire_doc_summary,
        wire_document_inspection as wire_document_inspection,
        wire_format_list as wire_format_list,
    )
    from kebab_wire.errors import ErrorCode as ErrorCode, ErrorV1 as ErrorV1, classify_error as classify_error
    from kebab_wire.evaluation import (
        EvalCompareV1 as EvalCompareV1,
        EvalRunListV1 as EvalRunListV1,
        EvalRunV1 as EvalRunV1,
        wire_eval_compare as wire_eval_compare,
        wire_eval_run as wire_eval_run,
        wire_eval_run_list as wire_eval_run_list,
    )
    from kebab_wire.fetched_text import (
        FetchCellsV1 as FetchCellsV1,
        FetchChunkV1 as FetchChunkV1,
        FetchDocV1 as FetchDocV1,
        FetchOutlineV1 as FetchOutlineV1,
        FetchPageV1 as FetchPageV1,
        FetchResultV1 as FetchResultV1,
        FetchSlideV1 as FetchSlideV1,
        FetchSpanV1 as FetchSpanV1,
        FetchTimeV1 as FetchTimeV1,
        OutlineHeadingV1 as OutlineHeadingV1,
        fetched_chunk_cost as fetched_chunk_cost,
        wire_fetch_result as wire_fetch_result,
    )
    from kebab_wire.ingest import (
        AbortedV1 as AbortedV1,
        AssetFinishedV1 as AssetFinishedV1,
        AssetPhaseV1 as AssetPhaseV1,
        AssetStartedV1 as AssetStartedV1,
        CompletedV1 as CompletedV1,
        EmbedBatchFinishedV1 as EmbedBatchFinishedV1,
        EmbedBatchStartedV1 as EmbedBatchStartedV1,
        EmbeddingFailureV1 as EmbeddingFailureV1,
        EmbeddingSummaryV1 as EmbeddingSummaryV1,
        HeartbeatV1 as HeartbeatV1,
        IngestFailureV1 as IngestFailureV1,
        IngestItemV1 as IngestItemV1,
        IngestProgressV1 as IngestProgressV1,
        IngestReportV1 as IngestReportV1,
        NoteResultV1 as NoteResultV1,
        OcrFailureV1 as OcrFailureV1,
        OcrPageFinishedV1 as OcrPageFinishedV1,
        OcrStartedV1 as OcrStartedV1,
        OcrSummaryV1 as OcrSummaryV1,
        ScanCompletedV1 as ScanCompletedV1,
        ScanStartedV1 as ScanStartedV1,
        WatchNoticeV1 as WatchNoticeV1,
        wire_ingest_event as wire_ingest_event,
        wire_ingest_report as wire_ingest_report,
        wire_note_result as wire_note_result,
        wire_watch_notice as wire_watch_notice,
    )
    from kebab_wire.introspection import (
        SchemaModels as SchemaModels,
        SchemaPlugin as SchemaPlugin,
        SchemaReport as SchemaReport,
        SchemaStats as SchemaStats,
        VersionV1 as VersionV1,
        WireCatalog as WireCatalog,
        wire_schema_report as wire_schema_report,
        wire_stats as wire_stats,
    )
    from kebab_wire.lake import (
        LakeCompactionV1 as LakeCompactionV1,
        LakeCopyV1 as LakeCopyV1,
        wire_lake_compaction as wire_lake_compaction,
        wire_lake_copy as wire_lake_copy,
    )
    from kebab_wire.pictures import (
        OcrDocumentV1 as OcrDocumentV1,
        OcrFailedPageV1 as OcrFailedPageV1,
        OcrFailuresV1 as OcrFailuresV1,
        OcrStatsV1 as OcrStatsV1,
        wire_ocr_failures as wire_ocr_failures,
        wire_ocr_stats as wire_ocr_stats,
    )
    from kebab_wire.remedies import (
        REMEDY_JOINTS as REMEDY_JOINTS,
        REMEDY_WORDS as REMEDY_WORDS,
        RemedyRenderer as RemedyRenderer,
        render_hint as render_hint,
        render_remedy as render_remedy,
    )
    from kebab_wire.search import (
        CoverageV1 as CoverageV1,
        EvidenceV1 as EvidenceV1,
        FiltersV1 as FiltersV1,
        FurtherPassageV1 as FurtherPassageV1,
        LegFailureV1 as LegFailureV1,
        QueryV1 as QueryV1,
        SearchHitV1 as SearchHitV1,
        SearchResponseV1 as SearchResponseV1,
        SearchTraceV1 as SearchTraceV1,
        TraceCandidateV1 as TraceCandidateV1,
        TranslationV1 as TranslationV1,
        hit_cost as hit_cost,
        wire_query as wire_query,
        wire_search_hit as wire_search_hit,
        wire_search_response as wire_search_response,
    )
    from kebab_wire.session import (
        SessionEntryV1 as SessionEntryV1,
        SessionListV1 as SessionListV1,
        SessionTurnV1 as SessionTurnV1,
        SessionV1 as SessionV1,
        wire_session as wire_session,
        wire_session_list as wire_session_list,
    )
    from kebab_wire.setup import (
        ChatModelEntryV1 as ChatModelEntryV1,
        CompletionV1 as CompletionV1,
        DesktopEntryV1 as DesktopEntryV1,
        ErasureReportV1 as ErasureReportV1,
        FormerModelV1 as FormerModelV1,
        InitReport as InitReport,
        McpHostsV1 as McpHostsV1,
        McpHostV1 as McpHostV1,
        McpInstallV1 as McpInstallV1,
        ModelCleanupV1 as ModelCleanupV1,
        ModelListV1 as ModelListV1,
        ModelPullV1 as ModelPullV1,
        ModelSwitchV1 as ModelSwitchV1,
        ResetReport as ResetReport,
        WatchServiceV1 as WatchServiceV1,
        wire_erasure as wire_erasure,
        wire_init_report as wire_init_report,
        wire_model_cleanup as wire_model_cleanup,
        wire_model_list as wire_model_list,
        wire_model_pull as wire_model_pull,
        wire_model_switch as wire_model_switch,
        wire_reset_report as wire_reset_report,
    )

__getattr__, __dir__ = lazy_exports(__name__)
