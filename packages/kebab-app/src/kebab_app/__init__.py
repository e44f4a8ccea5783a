"""The facade of kebab: ingest, search, ask, fetch and maintenance of one knowledge base.

Faces (command line, servers) and programs use this package; it is the only one that puts the others together.

    from kebab_app import App

    with App.open() as app:
        app.ingest()
        print(app.search("how do I restore a backup?").hits)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_core import passage_text as passage_text
    from kebab_diagnose import (
        CheckResult as CheckResult,
        DocumentState as DocumentState,
        ExclusionRule as ExclusionRule,
        Explanation as Explanation,
        FailureDetail as FailureDetail,
        HealthReport as HealthReport,
        PictureCounts as PictureCounts,
        QueryTerm as QueryTerm,
        StepName as StepName,
        Verdict as Verdict,
        report_broken_config as report_broken_config,
    )
    from kebab_documents import (
        CallSearch as CallSearch,
        FoundAddress as FoundAddress,
        FoundName as FoundName,
        Grouping as Grouping,
        LiteralResult as LiteralResult,
        RelatedDocuments as RelatedDocuments,
    )
    from kebab_eval import EvaluateOptions as EvaluateOptions
    from kebab_rag import (
        AskRequest as AskRequest,
        WordRange as WordRange,
        show_score as show_score,
        show_threshold as show_threshold,
    )
    from kebab_runtime import (
        page_link as page_link,
        reveal_command as reveal_command,
    )

    from kebab_app.app import App as App
    from kebab_app.attached_files import find_holder as find_holder, read_attached as read_attached
    from kebab_app.backup import ImportResult as ImportResult, import_backup as import_backup
    from kebab_app.cluster import prepare_worker as prepare_worker
    from kebab_app.conversations import Conversation as Conversation, Conversations as Conversations
    from kebab_app.document_view import DocumentView as DocumentView
    from kebab_app.documents import (
        find_literal as find_literal,
        find_near_filters as find_near_filters,
        list_filter_values as list_filter_values,
    )
    from kebab_app.forget import ForgetPlan as ForgetPlan
    from kebab_app.formats import list_formats as list_formats, merge_formats as merge_formats
    from kebab_app.ingest import IngestOptions as IngestOptions, run_remedy as run_remedy
    from kebab_app.introspection import ActiveVersions as ActiveVersions, Introspection as Introspection
    from kebab_app.knowledge_base import KnowledgeBase as KnowledgeBase
    from kebab_app.lake_maintenance import (
        LakeCompaction as LakeCompaction,
        LakeCopy as LakeCopy,
        LakeMaintenance as LakeMaintenance,
    )
    from kebab_app.listing import (
        DocumentPage as DocumentPage,
        NamePage as NamePage,
        PageLimits as PageLimits,
        fit_budget as fit_budget,
    )
    from kebab_app.log_file import configure_logging as configure_logging
    from kebab_app.model_switch import (
        ModelComparison as ModelComparison,
        ModelSwitch as ModelSwitch,
        SwitchOptions as SwitchOptions,
    )
    from kebab_app.models import (
        is_for_ollama as is_for_ollama,
        is_nli_model as is_nli_model,
        is_reranker as is_reranker,
        licence_of as licence_of,
        list_chat_models as list_chat_models,
        list_models as list_models,
        list_nli_models as list_nli_models,
        list_rerankers as list_rerankers,
        pull_chat_model as pull_chat_model,
        pull_model as pull_model,
    )
    from kebab_app.opening import (
        OpenCommand as OpenCommand,
        find_open_command as find_open_command,
        require_file as require_file,
    )
    from kebab_app.overview import (
        CurrentWork as CurrentWork,
        Overview as Overview,
        build_overview as build_overview,
    )
    from kebab_app.picture_readings import (
        DocumentReadings as DocumentReadings,
        ReadingStats as ReadingStats,
        count_pictures as count_pictures,
        count_recordings as count_recordings,
        list_readings as list_readings,
        sum_up_readings as sum_up_readings,
    )
    from kebab_app.pictures import Picture as Picture, read_picture as read_picture
    from kebab_app.recordings import (
        SOUND_TYPES as SOUND_TYPES,
        TIMED_MEDIA as TIMED_MEDIA,
        find_sound as find_sound,
        format_clock as format_clock,
    )
    from kebab_app.rendering import (
        PageDrawer as PageDrawer,
        RenderedPage as RenderedPage,
        find_words_on_page as find_words_on_page,
        render_page as render_page,
    )
    from kebab_app.requests import (
        ArgumentProblem as ArgumentProblem,
        build_ask_request as build_ask_request,
        build_fetch_query as build_fetch_query,
        build_filters as build_filters,
        build_search_query as build_search_query,
        choose_mode as choose_mode,
        filter_argument as filter_argument,
        find_problem as find_problem,
        find_time_word as find_time_word,
        parse_chunk_id as parse_chunk_id,
        parse_document_id as parse_document_id,
        parse_time as parse_time,
        split_words as split_words,
    )
    from kebab_app.reset import ResetResult as ResetResult, ResetScope as ResetScope, plan_reset as plan_reset
    from kebab_app.search import MAX_QUERIES as MAX_QUERIES, require_few as require_few
    from kebab_app.setup import (
        InitResult as InitResult,
        add_folder as add_folder,
        choose_chat_model as choose_chat_model,
        initialize as initialize,
        open_demo as open_demo,
    )
    from kebab_app.store import Backup as Backup, BackupManifest as BackupManifest
    from kebab_app.stored_answers import AnswerChoice as AnswerChoice, Erasure as Erasure
    from kebab_app.watch import WatchEnd as WatchEnd, WatchOptions as WatchOptions
    from kebab_app.wiring import (
        SystemClock as SystemClock,
        require_provider as require_provider,
    )
    from kebab_app.word_places import SoughtWords as SoughtWords, block_texts as block_texts

__getattr__, __dir__ = lazy_exports(__name__)
