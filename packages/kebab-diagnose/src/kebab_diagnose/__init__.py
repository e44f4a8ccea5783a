"""Explanations of one file, and health checks of a whole knowledge base.

Both are values of this package. What they look at comes in as arguments: the stores, the search, and the preparation of files.

    >>> from kebab_core import ConfigInvalidError, Remedy
    >>> from kebab_diagnose import report_broken_config
    >>> report_broken_config(ConfigInvalidError("unknown key", remedy=Remedy(kind="init"))).checks[0].remedy.kind
    'init'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_diagnose.access import (
        FileTrial as FileTrial,
        GateResult as GateResult,
        IndexAccess as IndexAccess,
        SearchAccess as SearchAccess,
        SourceAccess as SourceAccess,
    )
    from kebab_diagnose.doctor import (
        CheckResult as CheckResult,
        HealthReport as HealthReport,
        iter_checks as iter_checks,
        report_broken_config as report_broken_config,
    )
    from kebab_diagnose.explainer import explain_file as explain_file
    from kebab_diagnose.explanation import (
        DocumentState as DocumentState,
        ExclusionRule as ExclusionRule,
        Explanation as Explanation,
        ExplanationStep as ExplanationStep,
        ExplanationTrace as ExplanationTrace,
        FailureDetail as FailureDetail,
        FileChange as FileChange,
        IngestStage as IngestStage,
        PassageState as PassageState,
        QueryTerm as QueryTerm,
        SearchPosition as SearchPosition,
        StepName as StepName,
        Verdict as Verdict,
    )
    from kebab_diagnose.file_lookup import LocatedFile as LocatedFile, find_file as find_file
    from kebab_diagnose.model_checks import (
        NOT_PULLED as NOT_PULLED,
        UNREACHABLE as UNREACHABLE,
        PluginState as PluginState,
        VectorFiles as VectorFiles,
        check_damaged_vectors as check_damaged_vectors,
        check_embedding_model as check_embedding_model,
        check_language_model as check_language_model,
        check_nli_model as check_nli_model,
        check_plugins as check_plugins,
        check_reranker as check_reranker,
        check_servers as check_servers,
        check_vector_folder as check_vector_folder,
        check_vectors_complete as check_vectors_complete,
        describe_cache as describe_cache,
        describe_vectors as describe_vectors,
    )
    from kebab_diagnose.model_verification import (
        check_identity as check_identity,
        check_known_vectors as check_known_vectors,
    )
    from kebab_diagnose.near_values import find_near_values as find_near_values, list_values as list_values
    from kebab_diagnose.picture_explanation import (
        PictureAccess as PictureAccess,
        PictureCounts as PictureCounts,
        SpeechAccess as SpeechAccess,
        check_pictures as check_pictures,
        check_recordings as check_recordings,
    )
    from kebab_diagnose.storage_checks import (
        NO_DATABASE as NO_DATABASE,
        NOT_CONFIGURED as NOT_CONFIGURED,
        NOTHING_INGESTED as NOTHING_INGESTED,
        START_OVER as START_OVER,
        Check as Check,
        Problem as Problem,
        advise_on_damage as advise_on_damage,
        check_assets as check_assets,
        check_data_dir_private as check_data_dir_private,
        check_data_dir_writable as check_data_dir_writable,
        check_disk_space as check_disk_space,
        check_files_readable as check_files_readable,
        check_ingest_finished as check_ingest_finished,
        check_korean_analysis as check_korean_analysis,
        check_lexical_index as check_lexical_index,
        check_removals_settled as check_removals_settled,
        check_scratch as check_scratch,
        check_sources as check_sources,
        check_unindexed_copies as check_unindexed_copies,
        describe_database as describe_database,
        measure_folder as measure_folder,
    )

__getattr__, __dir__ = lazy_exports(__name__)
