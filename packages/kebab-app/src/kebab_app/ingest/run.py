"""One run of ingest from its first event to its report."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from kebab_core import (
    Aborted,
    Clock,
    Completed,
    CopyLook,
    DocumentId,
    DocumentStore,
    EmbeddingSummary,
    IngestReport,
    IngestRunRepo,
    IngestScope,
    IngestSettings,
    JobRepo,
    ScanCompleted,
    ScanStarted,
    SourceConnector,
    SourceId,
    SourceScope,
    StorageError,
)

from kebab_app.ingest.apart import LargeFilesApart
from kebab_app.ingest.book import RunBook, is_within
from kebab_app.ingest.events import EventSink, EventStream
from kebab_app.ingest.file import FileIngest
from kebab_app.ingest.known import KnownFiles, KnownFilesReader
from kebab_app.ingest.plan import Planner, SourcePlan
from kebab_app.ingest.prepare import FilePreparer, PrepareAll
from kebab_app.ingest.processor import DocumentProcessor
from kebab_app.ingest.progress import Progress
from kebab_app.ingest.request import CancelToken, IngestRequest, SourceTarget
from kebab_app.ingest.scan import SourceScan, describe_scope, scan_source, scope_of
from kebab_app.ingest.source import SourceIngest
from kebab_app.ingest.tally import Tally
from kebab_app.ingest.workers import PrepareFactory, Workers

_LOG = logging.getLogger("kebab.ingest")


class SecondPass(Protocol):
    """Gives the chunks of all documents their vectors once the words of all are searchable."""

    def __call__(
        self, events: EventStream, cancel: CancelToken, /, *, within: Collection[DocumentId] | None
    ) -> EmbeddingSummary:
        """Return what was done; None for `within` is all documents."""
        ...


_BYTES_PER_MB = 1024 * 1024
MIN_FILES_FOR_WORKERS = 32
"""Starting a process and loading the dictionary costs as much as some thirty files."""

SWEEP_SHARE = 0.01
"""A run that touches more files than this share of the kept copies clears up among all of them; what a smaller one
leaves behind, the next one finds."""


@dataclass(frozen=True, kw_only=True)
class IngestParts:
    """What a run works with."""

    connector: SourceConnector
    documents: DocumentStore
    runs: IngestRunRepo
    jobs: JobRepo
    processor: DocumentProcessor
    clock: Clock
    settings: IngestSettings
    follow_symlinks: bool
    internal_exclude: Mapping[str, tuple[str, ...]]
    """By source: patterns for kebab's own folders where they lie inside a source."""
    worker_factory: PrepareFactory | None = None
    """How processes of their own prepare files; None does it all in this one."""
    second_pass: SecondPass | None = None
    """What makes vectors; None leaves them alone."""


class IngestRun:
    """Scans the targets, brings every changed file into the store, lets go of what is gone.

    A run that is killed anywhere leaves whole documents only; the next run converges.
    """

    def __init__(
        self, parts: IngestParts, request: IngestRequest, *, sink: EventSink, cancel: CancelToken
    ) -> None:
        self._parts = parts
        self._request = request
        self._cancel = cancel
        self._events = EventStream(sink, clock=parts.clock)
        self._tally = Tally(keep_items=request.keep_items)
        self._progress = Progress(self._events, self._tally, clock=parts.clock, is_watched=request.is_watched)
        self._audit = parts.documents.audit_assets(CopyLook.CONTENTS if request.verify else CopyLook.NAMES)
        unusable = self._audit.lost | self._audit.damaged
        self._has_words = False
        self._files = FileIngest(
            documents=parts.documents,
            processor=parts.processor,
            clock=parts.clock,
            verify=request.verify,
            force=request.force,
            code=parts.settings.code,
            external=parts.settings.external,
            lost_contents=unusable,
        )
        self._known = KnownFilesReader(
            documents=parts.documents,
            files=self._files,
            known_roots={scan.source_id: scan.root for scan in parts.documents.list_scans()},
            lost_contents=unusable,
        )

    def run(self) -> IngestReport:
        """Carry the run out; the last event is `completed` or `aborted`.

        Returns:
            The report, also after a cancel.

        Raises:
            StorageError: No root could be listed, or the store failed.
        """
        scopes = [self._scope(target) for target in self._request.targets]
        book = RunBook.open(
            self._parts.runs, self._parts.jobs, self._parts.clock, [describe_scope(s) for s in scopes]
        )
        scans: list[SourceScan] = []
        try:
            with self._events.beating():
                scans.extend(self._scan_all(scopes))
                plans = self._plan_all(scans)
                self._events.enter("ingest")
                self._has_words = self._carry_out(plans) or not self._cancel.is_cancelled
                self._events.enter("finish")
                self._collect_assets(plans)
                self._make_vectors()
        except BaseException as error:
            self._close_after(error, book, scans)
            raise
        return self._close(book, scans, aborted=self._cancel.is_cancelled)

    def _scope(self, target: SourceTarget) -> SourceScope:
        return scope_of(
            target,
            exclude=self._parts.internal_exclude.get(target.source.id, ()),
            max_file_bytes=self._parts.settings.max_file_mb * _BYTES_PER_MB,
            follow=self._parts.follow_symlinks,
        )

    def _scan_all(self, scopes: list[SourceScope]) -> list[SourceScan]:
        """Return a scan of each source until the cancel; the first begins in any case.

        Raises:
            StorageError: Not one root could be listed; with several, the others go on without it.
        """
        scans: list[SourceScan] = []
        errors: list[StorageError] = []
        for target, scope in zip(self._request.targets, scopes, strict=True):
            if scans and self._cancel.is_cancelled:
                break
            try:
                scans.append(self._scan(target, scope))
            except StorageError as error:
                errors.append(error)
                self._tally.miss_source()
                scans.append(SourceScan(target, messages=[f"{scope.root}: {error.message}"]))
        if len(errors) == len(scans):
            raise errors[0]
        return scans

    def _scan(self, target: SourceTarget, scope: SourceScope) -> SourceScan:
        self._events.emit(ScanStarted(ts=self._parts.clock.now(), root=scope.root))
        return scan_source(
            target,
            scope,
            connector=self._parts.connector,
            known=self._known_of(target),
            tally=self._tally,
            cancel=self._cancel,
        )

    def _known_of(self, target: SourceTarget) -> KnownFiles:
        return self._known.read(target.source, root=str(target.root))

    def _plan_all(self, scans: list[SourceScan]) -> list[SourcePlan]:
        planner = Planner(
            documents=self._parts.documents,
            connector=self._parts.connector,
            clock=self._parts.clock,
            cancel=self._cancel,
            prune=self._request.prune,
        )
        plans = [planner.plan(scan, self._known_of(scan.target)) for scan in scans]
        self._progress.total = sum(plan.size for plan in plans)
        removals = sum(len(plan.removals) for plan in plans)
        self._events.emit(
            ScanCompleted(ts=self._parts.clock.now(), total=self._progress.total, removals=removals)
        )
        return plans

    def _carry_out(self, plans: list[SourcePlan]) -> bool:
        with self._preparing(sum(len(plan.scan.changed) for plan in plans)) as prepare_all:
            return self._carry_out_with(plans, prepare_all)

    @contextmanager
    def _preparing(self, files: int) -> Iterator[PrepareAll]:
        """Choose where files are prepared: a handful is done before processes for it have started.

        Yields:
            What prepares them.
        """
        count = self._parts.settings.workers or os.cpu_count() or 1
        factory = self._parts.worker_factory
        if factory is not None and count > 1 and files >= MIN_FILES_FOR_WORKERS:
            with Workers(factory, count=count) as workers:
                yield workers.prepare_all
        else:
            here = FilePreparer(
                connector=self._parts.connector,
                processor=self._parts.processor,
                keep_asset=self._parts.documents.put_asset,
                pack=self._parts.documents.pack_document,
                pack_long=self._parts.documents.pack_long,
                code=self._parts.settings.code,
                clock=self._parts.clock,
            )
            if factory is None:
                yield here.prepare_all
                return
            with LargeFilesApart(here.prepare, factory) as preparer:
                yield preparer.prepare_all

    def _carry_out_with(self, plans: list[SourcePlan], prepare_all: PrepareAll) -> bool:
        sources = SourceIngest(
            documents=self._parts.documents,
            files=self._files,
            progress=self._progress,
            tally=self._tally,
            clock=self._parts.clock,
            cancel=self._cancel,
            prepare_all=prepare_all,
        )
        return sources.carry_out(plans)

    def _collect_assets(self, plans: list[SourcePlan]) -> None:
        """Let go of contents that nothing needs; a run over few files takes no look at all copies for it."""
        touched = sum(len(plan.scan.changed) + len(plan.removals) for plan in plans)
        sweep = self._audit.strays > 0 or touched > self._audit.copies * SWEEP_SHARE
        self._parts.documents.collect_assets(sweep=sweep)

    def _make_vectors(self) -> None:
        if self._parts.second_pass is not None and not self._cancel.is_cancelled:
            within = self._given_documents() if self._request.is_given else None
            self._tally.embedding = self._parts.second_pass(self._events, self._cancel, within=within)

    def _given_documents(self) -> frozenset[DocumentId]:
        """Return the documents of single files: who gave them does not wait for all others to get their vectors."""
        places = [(t.source.id, t.under) for t in self._request.targets if t.under is not None]
        files = (self._parts.documents.tracked_file(SourceId(source), path) for source, path in places)
        return frozenset(file.doc_id for file in files if file is not None)

    def _close_after(self, error: BaseException, book: RunBook, scans: list[SourceScan]) -> None:
        """Close a failed run; where the store cannot take that either, the next run does."""
        try:
            self._close(book, scans, aborted=True, error=error)
        except StorageError as other:
            _LOG.warning("the end of run %s could not be stored: %s", book.run_id, other.message)
            with suppress(StorageError):
                self._events.emit(Aborted(ts=self._parts.clock.now(), counts=self._tally.counts))

    def _close(
        self, book: RunBook, scans: list[SourceScan], *, aborted: bool, error: BaseException | None = None
    ) -> IngestReport:
        report = book.close(
            self._tally,
            unreadable_folders=tuple(message for scan in scans for message in scan.messages),
            covers=lambda scope: self._covers(scope, scans),
            aborted=aborted,
            is_read=self._has_words,
            leaves_work=self._leaves_work(scans, error),
            error=error,
        )
        terminal = Aborted if aborted else Completed
        self._events.emit(terminal(ts=report.finished_at, counts=report.counts))
        return report

    def _leaves_work(self, scans: list[SourceScan], error: BaseException | None) -> bool:
        """Return whether a run that was broken off is to be made good.

        It is not where there was nothing to look at, nor where who gave single files called them off.
        """
        if error is None:
            return not self._request.is_given
        return bool(scans) or not isinstance(error, StorageError)

    def _covers(self, scope: IngestScope, scans: list[SourceScan]) -> bool:
        if self._request.is_everything and all(scan.finished for scan in scans):
            return True
        seen = [describe_scope(self._scope(scan.target)) for scan in scans if scan.finished]
        return any(is_within(scope, one) for one in seen)
