"""Explanations of one file, and health checks of a whole knowledge base.

Both are values of this package. What they look at comes in as arguments: stores as Protocols of `kebab_core`, the rest
as callables.

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
        DatabaseAccess as DatabaseAccess,
        FileTrial as FileTrial,
        GateResult as GateResult,
        HealthAccess as HealthAccess,
        IndexAccess as IndexAccess,
        PluginState as PluginState,
        RequiredMatch as RequiredMatch,
        SearchAccess as SearchAccess,
        Similarity as Similarity,
        SourceAccess as SourceAccess,
        SourceLocation as SourceLocation,
        VectorAccess as VectorAccess,
        VectorFiles as VectorFiles,
    )
    from kebab_diagnose.doctor import (
        CheckResult as CheckResult,
        HealthReport as HealthReport,
        examine as examine,
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
    from kebab_diagnose.model_checks import repair_vectors as repair_vectors
    from kebab_diagnose.model_verification import verify_model as verify_model
    from kebab_diagnose.near_values import find_near_values as find_near_values, list_values as list_values
    from kebab_diagnose.storage_checks import (
        count_unindexed_copies as count_unindexed_copies,
        measure_folder as measure_folder,
    )

__getattr__, __dir__ = lazy_exports(__name__)
