"""Making up for vectors that are missing, without a look at any file."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from kebab_core import (
    Aborted,
    Completed,
    ConfigInvalidError,
    EmbeddingSummary,
    IngestCounts,
    IngestReport,
    JobKind,
    JobRepo,
    JobStatus,
    KebabError,
    StorageError,
)

from kebab_app.embedding.found_model import ReadyModel
from kebab_app.embedding.job_book import JobBook
from kebab_app.embedding.parts import build_embedding_parts
from kebab_app.embedding.second_pass import PHASE, run_second_pass
from kebab_app.embedding.unreadable import drop_unreadable
from kebab_app.ingest.events import EventSink, EventStream
from kebab_app.ingest.request import CancelToken
from kebab_app.turn import take_turn

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_WAIT = "wait for it to finish; `kebab embed --wait` does"


def embed(
    base: KnowledgeBase, *, sink: EventSink | None, cancel: CancelToken | None, wait: bool
) -> IngestReport:
    """Give every passage that waits for one its vector.

    Args:
        base: The knowledge base.
        sink: Gets every event.
        cancel: Ends the wait for another writer, or the run after the batch in hand.
        wait: Wait for another writer instead of failing.

    Returns:
        What was done; also after a cancel.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        ConfigInvalidError: No model is configured.
        NotIndexedError: Nothing has been ingested.
        ExternalError: The model cannot be used, or failed on the way; what it had made is stored.
        LockedError: Another process is writing.
        StorageError: Vectors cannot be stored.
    """
    base.require_writable()
    base.open_for_reading()
    embedder = base.embedder
    if embedder is None:
        raise ConfigInvalidError(
            "no embedding model is configured",
            hint='set provider = "bundled" in [models.embedding] (kebab config show)',
            key="models.embedding.provider",
        )
    _ = embedder.identity  # asks a model server whether it is there
    token = cancel or CancelToken()
    return take_turn(
        base,
        lambda tell: _carry_out(base, sink=tell, cancel=token),
        sink=sink,
        cancel=token,
        wait=wait,
        advice=_WAIT,
    )


def _carry_out(base: KnowledgeBase, *, sink: EventSink, cancel: CancelToken) -> IngestReport:
    from kebab_store_sqlite import SqliteJobRepo

    jobs = SqliteJobRepo(base.open_for_writing())
    events = EventStream(sink, clock=base.clock)
    book = JobBook.open(jobs, base.clock)
    events.enter(PHASE)
    try:
        with events.beating():
            summary = _make_vectors(base, events, cancel)
    except BaseException as error:
        with suppress(StorageError):
            book.close(JobStatus.FAILED, error=str(error))
            events.emit(Aborted(ts=base.clock.now(), counts=IngestCounts()))
        raise
    report = book.report(summary, aborted=cancel.is_cancelled)
    book.close(JobStatus.CANCELED if report.aborted else JobStatus.SUCCEEDED)
    terminal = Aborted if report.aborted else Completed
    events.emit(terminal(ts=report.finished_at, counts=report.counts))
    _forget_old_jobs(jobs, base)
    return report


def _make_vectors(base: KnowledgeBase, events: EventStream, cancel: CancelToken) -> EmbeddingSummary:
    """Return what was done.

    Raises:
        ExternalError: The model failed; what it made before is stored.
        StorageError: Vectors cannot be stored.
    """
    if base.embedder is None:
        return EmbeddingSummary()
    model = ReadyModel(base.embedder, base.embedder.identity)
    drop_unreadable(base.vectors, base.embeddings, model.identity)
    failures: list[KebabError] = []
    summary = run_second_pass(build_embedding_parts(base, model, on_failure=failures.append), events, cancel)
    if failures:
        raise failures[0]
    return summary


def _forget_old_jobs(jobs: JobRepo, base: KnowledgeBase) -> None:
    """Keep the rows of runs as long as their logs."""
    settings = base.loaded.settings.logging
    before = base.clock.now() - timedelta(days=settings.retention_days) if settings.retention_days else None
    jobs.forget(JobKind.EMBED, keep=settings.keep_runs, before=before)
