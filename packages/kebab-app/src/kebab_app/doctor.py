"""Checks that everything kebab needs is in order, each with what to do if it is not."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import CopyLook, DatabaseCorruptError, KebabError

from kebab_app.knowledge_base import DATABASE_NAME
from kebab_app.stranded import count_stranded_copies

if TYPE_CHECKING:
    from kebab_wire import DoctorCheck, DoctorReport

    from kebab_app.knowledge_base import KnowledgeBase

MIN_FREE_BYTES = 200 * 1024 * 1024
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_NOT_CONFIGURED = "not configured"
_REPAIR = "kebab doctor --repair"
_START_OVER = (
    "kebab reset --data-only, then kebab ingest, which makes all documents anew from your files; stored answers and "
    "eval runs are lost, so copy the data folder first if you want them"
)
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


class _Problem(Exception):  # noqa: N818 - a finding, carried to the table of checks
    def __init__(self, detail: str, hint: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint


def _run(name: str, check: Callable[[KnowledgeBase], str], base: KnowledgeBase) -> DoctorCheck:
    from kebab_wire import DoctorCheck

    try:
        return DoctorCheck(name=name, ok=True, detail=check(base))
    except _Problem as problem:
        return DoctorCheck(name=name, ok=False, detail=problem.detail, hint=problem.hint)
    except DatabaseCorruptError as error:
        return DoctorCheck(name=name, ok=False, detail=error.message, hint=_way_out(base))
    except KebabError as error:
        return DoctorCheck(name=name, ok=False, detail=error.message, hint=error.hint or _LAST_RESORT)
    except OSError as error:
        return DoctorCheck(
            name=name, ok=False, detail=str(error), hint="check the folder and its permissions"
        )


def _way_out(base: KnowledgeBase) -> str:
    """Return what helps a damaged database: full-text indexes are made anew, with anything else all of it is."""
    try:
        damage = base.open_for_reading().check_tables()
    except KebabError:
        return _START_OVER
    return _START_OVER if damage else _REPAIR


def _nearest_existing(path: Path) -> Path:
    return next(candidate for candidate in (path, *path.parents) if candidate.exists())


def _config_loaded(base: KnowledgeBase) -> str:
    path = base.loaded.config_path
    where = str(path) if path else f"defaults ({base.loaded.paths.config_file} does not exist)"
    return "; ".join([where, *base.loaded.warnings])


def _workspace_readable(base: KnowledgeBase) -> str:
    for source in base.loaded.paths.sources:
        if not source.root.is_dir():
            raise _Problem(
                f"{source.root} is not a folder",
                hint="create it, or set `workspace.root` (kebab config show)",
            )
        if not os.access(source.root, os.R_OK | os.X_OK):
            raise _Problem(f"{source.root} cannot be read", hint="check its permissions")
    return ", ".join(str(source.root) for source in base.loaded.paths.sources)


def _data_dir_writable(base: KnowledgeBase) -> str:
    if base.readonly:
        return f"{base.data_dir} (not needed: writing is switched off)"
    existing = _nearest_existing(base.data_dir)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise _Problem(
            f"{existing} cannot be written", hint="check its permissions, or set `storage.data_dir`"
        )
    if base.has_database:
        from kebab_store_sqlite import require_unprotected

        require_unprotected(base.data_dir / DATABASE_NAME)
    return str(base.data_dir) if existing == base.data_dir else f"{base.data_dir} (will be made)"


def _data_dir_private(base: KnowledgeBase) -> str:
    if not base.data_dir.is_dir():
        return "not made yet (will be yours alone)"
    if base.data_dir.stat().st_mode & _OTHERS:
        raise _Problem(
            f"others on this machine may look into {base.data_dir}",
            hint=f"chmod 700 {shlex.quote(str(base.data_dir))}",
        )
    return "yours alone"


def _disk_space(base: KnowledgeBase) -> str:
    existing = _nearest_existing(base.data_dir)
    free = shutil.disk_usage(existing).free
    if free < MIN_FREE_BYTES:
        raise _Problem(
            f"{free // 1_000_000} MB free at {existing}", hint="free some space, or set `storage.data_dir`"
        )
    return f"{free // 1_000_000_000} GB free"


def _sqlite_open(base: KnowledgeBase) -> str:
    if not base.has_database:
        return "no database yet (kebab ingest makes it)"
    database = base.open_for_reading()
    return f"kebab.sqlite (schema v{database.schema_version}, {base.documents.stats().doc_count} documents)"


def _sqlite_integrity(base: KnowledgeBase) -> str:
    if not base.has_database:
        return "no database yet"
    problems = base.open_for_reading().check_integrity()
    if problems:
        raise _Problem(
            problems[0],
            hint=_way_out(base),
        )
    return "no damage found"


def _lexical_index(base: KnowledgeBase) -> str:
    if not base.has_database:
        return "no database yet"
    stored = base.lexical_index.analyzer_version()
    if stored is None:
        return "empty"
    if stored != base.analyzer.version:
        raise _Problem(
            f"made by {stored}, this kebab analyses with {base.analyzer.version}", hint="kebab ingest"
        )
    chunks = base.lexical_index.corpus_size()
    return f"{chunks} chunk{'' if chunks == 1 else 's'}, {stored}"


def _korean_analysis(base: KnowledgeBase) -> str:
    if not base.analyzer.analyze("형태소 분석"):
        raise _Problem("the Korean dictionary finds no words", hint="reinstall kebab")
    return base.analyzer.version


def _ingest_finished(base: KnowledgeBase) -> str:
    from kebab_store_sqlite import SqliteIngestRunRepo

    from kebab_app.writer_lock import find_writer

    if not base.has_database:
        return "nothing ingested yet"
    unfinished = SqliteIngestRunRepo(base.open_for_reading()).unfinished_runs()
    if unfinished and (writer := find_writer(base.data_dir)) is not None:
        return f"an ingest is running (pid {writer})"
    if unfinished:
        raise _Problem(
            f"the run of {unfinished[0].started_at:%Y-%m-%d %H:%M} UTC did not finish", hint="kebab ingest"
        )
    return "no interrupted run"


def _files_readable(base: KnowledgeBase) -> str:
    if not base.has_database:
        return "nothing ingested yet"
    failures = base.documents.list_failures()
    if failures:
        first = failures[0]
        more = f" and {len(failures) - 1} more" if len(failures) > 1 else ""
        raise _Problem(
            f"{first.workspace_path}: {first.failure.message}{more}",
            hint="mend the file or exclude it, then kebab ingest",
        )
    return "every file could be read"


def _removals_settled(base: KnowledgeBase) -> str:
    if not base.has_database:
        return "nothing ingested yet"
    if held := base.documents.stats().held_document_count:
        raise _Problem(
            f"{held} documents are kept although their files are gone: so many at once look like a missing drive",
            hint="bring the files back and run kebab ingest, or let the documents go with kebab ingest --prune",
        )
    return "no document waits for its removal"


def _assets_kept(base: KnowledgeBase) -> str:
    if not base.has_database:
        return "nothing ingested yet"
    audit = base.documents.audit_assets(CopyLook.SIZES)
    if audit.damaged:
        raise _Problem(
            f"{len(audit.damaged)} copies of files are damaged, {len(audit.lost)} are gone",
            hint="kebab ingest --verify",
        )
    if audit.lost:
        raise _Problem(f"the copies of {len(audit.lost)} files are gone", hint="kebab ingest")
    if stranded := count_stranded_copies(base):
        raise _Problem(
            f"the database holds no document, but {stranded} copies of files lie beside it: it was lost, or its first "
            "ingest did not come to its end",
            hint="put a backup of kebab.sqlite in place if you have one; else kebab ingest reads your files again",
        )
    return "every copied file is there"


def _lancedb_open(_base: KnowledgeBase) -> str:
    return _NOT_CONFIGURED


def _embedding_model(base: KnowledgeBase) -> str:
    settings = base.loaded.settings.models.embedding
    if settings.provider == "none":
        return _NOT_CONFIGURED
    raise _Problem(
        f"provider {settings.provider!r} is not part of this version; search uses words only",
        hint='set provider = "none" in [models.embedding]',
    )


def _nli_model(base: KnowledgeBase) -> str:
    provider = base.loaded.settings.models.nli.provider
    if provider == "none":
        return _NOT_CONFIGURED
    raise _Problem(
        f"provider {provider!r} is not part of this version", hint='set provider = "none" in [models.nli]'
    )


def _ollama_reachable(base: KnowledgeBase) -> str:
    return _require_no_model_server(base)


def _ollama_model_pulled(base: KnowledgeBase) -> str:
    return _require_no_model_server(base)


def _require_no_model_server(base: KnowledgeBase) -> str:
    settings = base.loaded.settings.models.llm
    if settings.provider == "extractive":
        return _NOT_CONFIGURED
    raise _Problem(
        f"provider {settings.provider!r} is not part of this version",
        hint='set provider = "extractive" in [models.llm]',
    )


CHECKS: dict[str, Callable[[KnowledgeBase], str]] = {
    "config_loaded": _config_loaded,
    "workspace_readable": _workspace_readable,
    "data_dir_writable": _data_dir_writable,
    "data_dir_private": _data_dir_private,
    "disk_space": _disk_space,
    "sqlite_open": _sqlite_open,
    "sqlite_integrity": _sqlite_integrity,
    "lexical_index": _lexical_index,
    "korean_analysis": _korean_analysis,
    "ingest_finished": _ingest_finished,
    "files_readable": _files_readable,
    "removals_settled": _removals_settled,
    "assets_kept": _assets_kept,
    "lancedb_open": _lancedb_open,
    "embedding_model": _embedding_model,
    "nli_model": _nli_model,
    "ollama_reachable": _ollama_reachable,
    "ollama_model_pulled": _ollama_model_pulled,
}
"""Every check by its wire name; a check returns its detail or raises a finding."""
