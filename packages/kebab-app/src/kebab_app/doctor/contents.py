"""Whether what was ingested is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import CopyLook

from kebab_app.doctor.finding import Problem
from kebab_app.unindexed_copies import count_unindexed_copies
from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_core import IngestRun

    from kebab_app.knowledge_base import KnowledgeBase


def check_ingest_finished(base: KnowledgeBase) -> str:
    """Return whether an ingest is at work.

    Raises:
        Problem: It is not in order.
    """
    if not base.has_database:
        return "nothing ingested yet"
    unfinished = _unfinished_runs(base)
    if unfinished and (writer := find_writer(base.data_dir)) is not None:
        return f"an ingest is running (pid {writer})"
    if unfinished:
        raise Problem(
            f"the run of {unfinished[0].started_at:%Y-%m-%d %H:%M} UTC did not finish", hint="kebab ingest"
        )
    return "no interrupted run"


def _unfinished_runs(base: KnowledgeBase) -> Sequence[IngestRun]:
    from kebab_store_sqlite import SqliteIngestRunRepo

    return SqliteIngestRunRepo(base.open_for_reading()).unfinished_runs()


def check_files_readable(base: KnowledgeBase) -> str:
    """Return that every file could be read.

    Raises:
        Problem: It is not in order.
    """
    if not base.has_database:
        return "nothing ingested yet"
    failures = base.documents.list_failures()
    if failures:
        first = failures[0]
        more = f" and {len(failures) - 1} more" if len(failures) > 1 else ""
        raise Problem(
            f"{first.workspace_path}: {first.failure.message}{more}",
            hint="mend the file or exclude it, then kebab ingest; kebab why FILE tells more of one",
        )
    return "every file could be read"


def check_removals_settled(base: KnowledgeBase) -> str:
    """Return that no document waits for its removal.

    Raises:
        Problem: It is not in order.
    """
    if not base.has_database:
        return "nothing ingested yet"
    if held := base.documents.stats().held_document_count:
        raise Problem(
            f"{held} documents are kept although their files are gone: so many at once look like a missing drive",
            hint="bring the files back and run kebab ingest, or let the documents go with kebab ingest --prune",
        )
    return "no document waits for its removal"


def check_assets_kept(base: KnowledgeBase) -> str:
    """Return that every copy of a file is there.

    Raises:
        Problem: It is not in order.
    """
    if unindexed := count_unindexed_copies(base):
        raise Problem(
            f"no document is indexed, but {unindexed} copies of files are kept: the database was lost, or its first "
            "ingest did not come to its end",
            hint="put a backup of kebab.sqlite in place if you have one; else kebab ingest reads your files again, and "
            "stored answers and eval runs are lost",
        )
    if not base.has_database:
        return "nothing ingested yet"
    audit = base.documents.audit_assets(CopyLook.SIZES)
    if audit.damaged:
        raise Problem(
            f"{len(audit.damaged)} copies of files are damaged, {len(audit.lost)} are gone",
            hint="kebab ingest --verify",
        )
    if audit.lost:
        raise Problem(f"the copies of {len(audit.lost)} files are gone", hint="kebab ingest")
    if audit.strays and find_writer(base.data_dir) is None and not _unfinished_runs(base):
        raise Problem(
            f"{audit.strays} copies of files belong to no document: the database may be older than they are",
            hint="kebab ingest",
        )
    return "every copied file is there"
