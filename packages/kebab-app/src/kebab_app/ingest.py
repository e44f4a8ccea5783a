"""The use cases `ingest` and `embed`: one run under the writer lock, with a log of its own."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from kebab_core import (
    Aborted,
    CancelToken,
    ConfigInvalidError,
    Heartbeat,
    IngestCounts,
    IngestEvent,
    IngestReport,
    IngestScope,
    JobKind,
    LockedError,
    Message,
    Remedy,
    RunId,
    SourceId,
    StorageError,
)
from kebab_ingest import (
    IngestRequest,
    IngestRun,
    ReadyModel,
    SourceTarget,
    find_targets,
    open_run_log,
)

from kebab_app.ingest_wiring import BYTES_PER_MB, build_embedding_resources, build_ingest_resources
from kebab_app.pass_locks import PassLocks
from kebab_app.store import LockWait, hold_embedding_lock, hold_writer_lock, sweep_scratch

if TYPE_CHECKING:
    from datetime import datetime

    from kebab_core import LoggingSettings
    from kebab_ingest import EventSink

    from kebab_app.knowledge_base import KnowledgeBase
    from kebab_app.store import WriterLock

WAIT_PHASE = "wait"
"""Phase of the heartbeats of a run that waits for another writer."""
ERASURE_DELAY = timedelta(days=1)
"""Time for which words of an older version of a document may stay in the full-text index: erasing rewrites all of it."""
_FOR_EVER = LockWait(timeout_s=None)
_LOG = logging.getLogger("kebab.ingest")


@dataclass(frozen=True, kw_only=True)
class IngestOptions:
    """Options of a run."""

    verify: bool = False
    """Compare checksums even where size, time and inode are equal."""
    force: bool = False
    """Process every file again."""
    prune: bool = False
    """Remove documents even where much is gone."""
    summary_only: bool = False
    """Leave the list of files out of the report."""
    wait: bool = False
    """Wait for another writer as long as it takes, not two seconds, and for another process that makes vectors."""
    tells_unchanged: bool = True
    """Tell the sink of every file, of those that are unchanged too."""
    embed: bool = True
    """Make the vectors of what was read, too."""
    ocr: bool = True
    """Recognise text in pictures, too."""
    reads_all_pictures: bool = False
    """Recognise it in pictures that the settings leave unread, too."""
    reads_pictures_again: bool = False
    """Try again where it failed."""
    embed_for_s: float | None = None
    """Seconds after which no further batch of passages is embedded; None is no limit."""
    cluster: str | None = None
    """Address of the Ray cluster that works, empty for none; None is that of the settings, for a run over sources."""


def ingest(
    base: KnowledgeBase,
    path: Path | None,
    *,
    sink: EventSink | None,
    cancel: CancelToken | None,
    options: IngestOptions | None,
) -> IngestReport:
    """Bring the index in step with the files.

    Args:
        base: The knowledge base.
        path: Only this file or folder; None is every source whole.
        sink: Gets every event.
        cancel: Ends the wait for another writer, or the run after the file in hand.
        options: Options of the run.

    Returns:
        The report; also after a cancel.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        InvalidInputError: `path` lies outside every source.
        LockedError: Another process is writing.
        StorageError: The only source's root is missing or cannot be listed.
    """
    options, cancel = options or IngestOptions(), cancel or CancelToken()
    base.require_writable()
    targets = base.targets
    if path is not None:
        targets = find_targets(targets, path, has_config=base.loaded.config_path is not None)
    request = IngestRequest(
        targets=targets,
        verify=options.verify,
        force=options.force,
        prune=options.prune,
        is_everything=path is None,
        keep_items=not options.summary_only,
        is_watched=sink is not None and options.tells_unchanged,
        reads_all_pictures=options.reads_all_pictures,
        reads_pictures_again=options.reads_pictures_again,
        embed_for_s=options.embed_for_s,
    )
    return run_ingest(
        base,
        lambda: request,
        targets=targets,
        sink=sink,
        cancel=cancel,
        options=replace(options, cluster=base.loaded.settings.cluster.ray)
        if options.cluster is None
        else options,
    )


def run_remedy(
    base: KnowledgeBase, kind: str, *, sink: EventSink | None = None, cancel: CancelToken | None = None
) -> IngestReport:
    """Carry out a remedy that is a run: `embed`; `verify_files`, `read_files_again` or `prune`; any other is an ingest.

    Raises:
        ReadonlyModeError: Writing is switched off.
    """
    base.require_writable()
    if kind == "embed":
        return embed(base, sink=sink, cancel=cancel, wait=False, embed_for_s=None)
    options = IngestOptions(
        prune=kind == "prune", verify=kind == "verify_files", force=kind == "read_files_again"
    )
    return ingest(base, None, sink=sink, cancel=cancel, options=options)


def update_surroundings(base: KnowledgeBase) -> None:
    """Take what removed documents said around pictures out of these; called with the writer lock held.

    Raises:
        StorageError: Nothing can be stored.
    """
    resources = build_ingest_resources(base, embed=False, ocr=False)
    IngestRun(
        resources, IngestRequest(targets=()), sink=lambda _: None, cancel=CancelToken()
    ).update_surroundings()


def run_ingest(
    base: KnowledgeBase,
    make_request: Callable[[], IngestRequest],
    *,
    targets: Sequence[SourceTarget] = (),
    sink: EventSink | None,
    cancel: CancelToken,
    options: IngestOptions,
) -> IngestReport:
    """Carry out one ingest run. See `_run_as_writer` for what it raises.

    Args:
        base: The knowledge base, writable.
        make_request: Makes the request; called with the lock held, so that it may write files.
        targets: Targets that are known before, for the report of a run that never began.
        sink: Gets every event.
        cancel: Ends the wait for another writer, or the run after the file in hand.
        options: How long it waits for another writer, and what it does beside reading; those of the request have no
            effect here.

    Returns:
        The report; empty and aborted where the wait was cancelled.
    """

    def work(emit: EventSink, lock: WriterLock) -> IngestReport:
        request = make_request()
        resources = build_ingest_resources(
            base, embed=options.embed, ocr=options.ocr, cluster=options.cluster or ""
        )
        if resources.embedding is not None or resources.ocr is not None:
            locks = PassLocks(
                writer_lock=lock,
                database=base.open_for_writing(),
                # whoever gives single files does not wait long for another process
                wait=replace(LockWait() if request.is_single_files else _FOR_EVER, pause=pausing(cancel)),
                pass_wait=LockWait(
                    timeout_s=None if options.wait and not request.is_single_files else 0,
                    pause=pausing(cancel),
                    notify=report_waiting(base, emit),
                ),
            )
            resources = replace(
                resources,
                embedding=resources.embedding and replace(resources.embedding, locks=locks),
                ocr=resources.ocr and replace(resources.ocr, locks=locks),
                captions=resources.captions and replace(resources.captions, locks=locks),
                asr=resources.asr and replace(resources.asr, locks=locks),
            )
        report = IngestRun(resources, request, sink=emit, cancel=cancel).run()
        if not lock.is_held:
            return report
        settings = base.loaded.settings.logging
        before = _oldest_kept(settings, now=base.clock.now())
        resources.jobs.forget_runs(keep=settings.keep_runs, before=before)
        resources.jobs.forget(JobKind.INGEST, keep=settings.keep_runs, before=before)
        if not report.aborted:
            _clean_up(base, report.counts)
        return report

    return _run_as_writer(
        base,
        work,
        scopes=[_describe(target) for target in targets],
        sink=sink,
        cancel=cancel,
        wait=options.wait,
        remedy=Remedy(kind="wait_for_writer", name="ingest"),
    )


def embed(
    base: KnowledgeBase,
    *,
    sink: EventSink | None,
    cancel: CancelToken | None,
    wait: bool,
    embed_for_s: float | None,
    activates: bool = True,
) -> IngestReport:
    """Give every passage without a vector its vector, without a look at any file.

    Args:
        base: The knowledge base.
        sink: Gets every event.
        cancel: Ends the wait for another writer, or the run after the batch in hand.
        wait: Wait for another writer, and for another process that makes vectors, instead of failing.
        embed_for_s: Seconds after which no further batch begins; None is no limit.
        activates: Whether searches use the model once it is complete; False leaves them with the model they use.

    Returns:
        The report; also after a cancel.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        ConfigInvalidError: No model is configured.
        NotIndexedError: Nothing has been ingested.
        ExternalError: The model cannot be used, or failed on the way; what it had made is stored.
        LockedError: Another process is writing or making vectors.
        StorageError: Vectors cannot be stored.
    """
    from kebab_ingest import EmbeddingRun

    base.require_writable()
    base.open_for_reading()
    embedder = base.embedder
    if embedder is None:
        raise ConfigInvalidError(
            "no embedding model is configured",
            remedy=Remedy(kind="set", setting="models.embedding.provider", value="bundled"),
            key="models.embedding.provider",
        )
    # a model server is asked for its identity before the lock is taken
    model = ReadyModel(embedder=embedder, identity=embedder.identity)
    token = cancel or CancelToken()
    remedy = Remedy(kind="wait_for_writer", name="embed")
    embedding_lock = ExitStack()

    def take_lock(lock_wait: LockWait) -> None:
        embedding_lock.enter_context(hold_embedding_lock(base.data_dir, wait=lock_wait, remedy=remedy))

    def work(emit: EventSink, lock: WriterLock) -> IngestReport:
        jobs = base.history.jobs
        locks = PassLocks(
            writer_lock=lock,
            database=base.open_for_writing(),
            wait=replace(_FOR_EVER, pause=pausing(token)),
        )
        resources = replace(build_embedding_resources(base, model, activates=activates), locks=locks)
        # released before the writer lock: passages that are committed later are another run's
        with embedding_lock:
            report = EmbeddingRun(
                resources=resources, jobs=jobs, sink=emit, cancel=token, time_limit_s=embed_for_s
            ).run()
        settings = base.loaded.settings.logging
        before = _oldest_kept(settings, now=base.clock.now())
        jobs.forget(JobKind.EMBED, keep=settings.keep_runs, before=before)
        return report

    with embedding_lock:
        return _run_as_writer(
            base, work, sink=sink, cancel=token, wait=wait, remedy=remedy, before_lock=take_lock
        )


def pausing(cancel: CancelToken) -> Callable[[float], bool]:
    """Return the pause of a `LockWait` that gives up once its work is cancelled; pauses last a tenth of a second."""

    def pause(seconds: float) -> bool:
        Event().wait(seconds)
        return cancel.is_cancelled

    return pause


def report_waiting(base: KnowledgeBase, sink: EventSink) -> Callable[[LockedError], None]:
    """Return the function that reports for whom a run waits."""
    return lambda refusal: sink(
        Heartbeat(ts=base.clock.now(), phase=WAIT_PHASE, waits_for=_describe_holder(refusal))
    )


def _run_as_writer(
    base: KnowledgeBase,
    work: Callable[[EventSink, WriterLock], IngestReport],
    *,
    scopes: Sequence[IngestScope] = (),
    sink: EventSink | None,
    cancel: CancelToken,
    wait: bool,
    remedy: Remedy,
    before_lock: Callable[[LockWait], None] = lambda _: None,
) -> IngestReport:
    """Carry out one run with the writer lock held and a log of its own.

    Args:
        base: The knowledge base, writable.
        work: The run; called with the sink of its events and with the lock, held.
        scopes: Scopes for the report of a run that never began.
        sink: Gets every event.
        cancel: Ends the wait for another writer.
        wait: Wait for another writer as long as it takes, not two seconds.
        remedy: What to do about another writer.
        before_lock: Takes another lock first.

    Returns:
        The report; empty and aborted where the wait was cancelled.

    Raises:
        LockedError: Another process is writing, and did not stop in time.
        ReadonlyModeError: The data folder may not be written.
        StorageError: The data folder cannot be made.
    """
    require_own_documents(base)
    started_at, started_ms = base.clock.now(), base.clock.monotonic_ms()
    lock_wait = LockWait(pause=pausing(cancel))
    if wait:
        notify = None if sink is None else report_waiting(base, sink)
        lock_wait = replace(_FOR_EVER, pause=pausing(cancel), notify=notify)
    with ExitStack() as held:
        try:
            before_lock(lock_wait)
            lock = held.enter_context(hold_writer_lock(base.data_dir, wait=lock_wait, remedy=remedy))
        except LockedError:
            if not cancel.is_cancelled:
                raise
            report = _report_nothing(base, scopes, started_at=started_at, started_ms=started_ms)
            if sink is not None:
                sink(Aborted(ts=report.finished_at, counts=report.counts))
            return report
        sweep_scratch(base.data_dir)
        log = held.enter_context(
            open_run_log(base.loaded.paths.log_dir, base.loaded.settings.logging, clock=base.clock)
        )

        def emit(event: IngestEvent) -> None:
            log(event)
            if sink is not None:
                sink(event)

        report = work(emit, lock)
        if lock.is_held:
            publish_documents(base)
        return report


def require_own_documents(base: KnowledgeBase) -> None:
    """Check that the documents are those of the data folder.

    Raises:
        ReadonlyModeError: They are those of a lake.
    """
    if base.reads_lake:
        from kebab_app.lake import refusal_of_documents

        refusal = refusal_of_documents(base.lake)
        raise refusal


def publish_documents(base: KnowledgeBase) -> None:
    """Publish the documents to the lake, if one is set; the writer lock is held. See `kebab_app.lake.publish`."""
    if (lake := base.loaded.paths.lake) is not None:
        from kebab_app.lake import publish

        database, storage = base.open_for_writing(), base.loaded.settings.storage
        publish(lake, database, storage, data_dir=base.data_dir, clock=base.clock)


def _describe_holder(refusal: LockedError) -> Message:
    command, pid, host = (str(refusal.details[name]) for name in ("command", "pid", "host"))
    if pid == "unknown":
        return Message("another writer")
    return Message("`{command}` (pid {pid}, host {host})", command=command, pid=pid, host=host)


def _report_nothing(
    base: KnowledgeBase, scopes: Sequence[IngestScope], *, started_at: datetime, started_ms: int
) -> IngestReport:
    """Make the report of a run that was cancelled while it waited; no row records it."""
    return IngestReport(
        run_id=RunId(f"run_{uuid.uuid4().hex[:16]}"),
        scopes=tuple(scopes),
        counts=IngestCounts(),
        aborted=True,
        duration_ms=base.clock.monotonic_ms() - started_ms,
        started_at=started_at,
        finished_at=base.clock.now(),
        items=(),
    )


def _describe(target: SourceTarget) -> IngestScope:
    source = target.source
    return IngestScope(
        source_id=SourceId(source.id),
        root=str(target.root),
        under=target.under,
        include=source.include,
        exclude=source.exclude,
    )


def _oldest_kept(settings: LoggingSettings, *, now: datetime) -> datetime | None:
    """Time before which rows of runs are deleted, as their logs are; None for no such time."""
    return now - timedelta(days=settings.retention_days) if settings.retention_days else None


def _clean_up(base: KnowledgeBase, counts: IngestCounts) -> None:
    """Erase the text of removed documents at once, and daily that of older versions; return unused space to the disk.

    The derivation cache is cut to its limit.

    A failure has no part in the report: what could not be done stays due, and a later run does it.
    """
    from kebab_app.store import compact, erase_deleted

    before = None if counts.removed else base.clock.now() - ERASURE_DELAY
    try:
        erase_deleted(base.open_for_writing(), before=before)
        compact(base.open_for_writing(), written=counts.chunks_indexed)
        base.index.pictures.evict_results(max_bytes=base.loaded.settings.storage.cache_mb * BYTES_PER_MB)
    except StorageError as error:
        _LOG.warning("deleted text could not be erased yet: %s", error.message)
