"""Running every check."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kebab_core import DatabaseCorruptError, KebabError

from kebab_app.doctor.contents import (
    check_assets_kept,
    check_files_readable,
    check_ingest_finished,
    check_removals_settled,
)
from kebab_app.doctor.database import (
    check_korean_analysis,
    check_lexical_index,
    check_sqlite_integrity,
    check_sqlite_open,
    find_way_out,
)
from kebab_app.doctor.finding import Problem
from kebab_app.doctor.folders import (
    check_config_loaded,
    check_data_dir_private,
    check_data_dir_writable,
    check_disk_space,
    check_workspace_readable,
)
from kebab_app.doctor.models import (
    check_embedding_model,
    check_nli_model,
    check_ollama_model_pulled,
    check_ollama_reachable,
)
from kebab_app.doctor.vectors import check_derivation_cache, check_lancedb_open, check_vectors_complete

if TYPE_CHECKING:
    from kebab_wire import DoctorCheck, DoctorReport

    from kebab_app.knowledge_base import KnowledgeBase

_LAST_RESORT = "look into the log folder (kebab config show); kebab reset --data-only starts over"


def examine(base: KnowledgeBase) -> DoctorReport:
    """Run every check; a failing check never keeps the others from running.

    Args:
        base: The knowledge base; nothing in it is changed and nothing is made.

    Returns:
        The checks in a fixed order; `ok` only if all are.
    """
    from kebab_wire import DoctorReport

    checks = tuple(_run(name, check, base) for name, check in CHECKS.items())
    return DoctorReport(ok=all(check.ok for check in checks), checks=checks)


def report_broken_config(error: KebabError) -> DoctorReport:
    """Return the report of a knowledge base whose configuration cannot be loaded."""
    from kebab_wire import DoctorCheck, DoctorReport

    hint = error.hint or "mend the configuration file, or write a new one with kebab init --force"
    check = DoctorCheck(name="config_loaded", ok=False, detail=error.message, hint=hint)
    return DoctorReport(ok=False, checks=(check,))


def _run(name: str, check: Callable[[KnowledgeBase], str], base: KnowledgeBase) -> DoctorCheck:
    from kebab_wire import DoctorCheck

    try:
        return DoctorCheck(name=name, ok=True, detail=check(base))
    except Problem as problem:
        return DoctorCheck(name=name, ok=False, detail=problem.detail, hint=problem.hint)
    except DatabaseCorruptError as error:
        return DoctorCheck(name=name, ok=False, detail=error.message, hint=find_way_out(base))
    except KebabError as error:
        return DoctorCheck(name=name, ok=False, detail=error.message, hint=error.hint or _LAST_RESORT)
    except OSError as error:
        return DoctorCheck(
            name=name, ok=False, detail=str(error), hint="check the folder and its permissions"
        )
    except Exception as error:  # noqa: BLE001 - what one check meets must not keep the others from looking
        return DoctorCheck(
            name=name,
            ok=False,
            detail=f"the check itself failed: {type(error).__name__}: {error}",
            hint=_LAST_RESORT,
        )


CHECKS: dict[str, Callable[[KnowledgeBase], str]] = {
    "config_loaded": check_config_loaded,
    "workspace_readable": check_workspace_readable,
    "data_dir_writable": check_data_dir_writable,
    "data_dir_private": check_data_dir_private,
    "disk_space": check_disk_space,
    "sqlite_open": check_sqlite_open,
    "sqlite_integrity": check_sqlite_integrity,
    "lexical_index": check_lexical_index,
    "korean_analysis": check_korean_analysis,
    "ingest_finished": check_ingest_finished,
    "files_readable": check_files_readable,
    "removals_settled": check_removals_settled,
    "assets_kept": check_assets_kept,
    "lancedb_open": check_lancedb_open,
    "vectors_complete": check_vectors_complete,
    "derivation_cache": check_derivation_cache,
    "embedding_model": check_embedding_model,
    "nli_model": check_nli_model,
    "ollama_reachable": check_ollama_reachable,
    "ollama_model_pulled": check_ollama_model_pulled,
}
"""Every check by its wire name; a check returns its detail or raises a finding."""
