"""One ingest run from its first event to its report: scan, plan, prepare and commit, then the embedding pass."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from kebab_core import (
    Aborted,
    AssetAudit,
    CancelToken,
    Completed,
    CopyLook,
    DocumentId,
    IngestFailure,
    IngestReport,
    IngestScope,
    OcrSummary,
    ScanCompleted,
    ScanStarted,
    SourceId,
    SourceScope,
    StepLog,
    StorageError,
    WorkspacePath,
)

from kebab_ingest.commit import FileCommitter
from kebab_ingest.document_terms import DocumentTerms
from kebab_ingest.external_documents import NOTES_SOURCE
from kebab_ingest.file_workers import FileCarrier, IsolatedWorker, Workers
from kebab_ingest.names import NameReader
from kebab_ingest.plan import Planner, SourcePlan
from kebab_ingest.preparation import FilePreparer, FileTask, PrepareAll, Prepared
from kebab_ingest.previous_state import Fingerprinter, PreviousState, PreviousStateReader
from kebab_ingest.progress import EventSink, EventStream, Progress
from kebab_ingest.run_record import IngestCounters, RunRecord
from kebab_ingest.scan import SourceScan, describe_scope, scan_source
from kebab_ingest.source_ingest import SourceIngest
from kebab_ingest.targets import build_scope

if TYPE_CHECKING:
    from kebab_core import Chunk, ChunkTerms, IndexedDocument

    from kebab_ingest.picture_documents import PictureBuilder
    from kebab_ingest.request import IngestRequest, SourceTarget
    from kebab_ingest.resources import IngestResources, OcrResources

_LOG = logging.getLogger("kebab.ingest")


MIN_FILES_FOR_WORKERS = 32
"""Files from which on worker processes are started: starting them costs as much as thirty files."""

SWEEP_SHARE = 0.01
"""Above this share of touched files, a run checks all kept copies for unused ones."""


class IngestRun:
    """Scans the targets, brings every changed file into the store, removes what is gone.

    A run that is killed anywhere leaves whole documents only; the next run converges.
    """

    def __init__(
        self, resources: IngestResources, request: IngestRequest, *, sink: EventSink, cancel: CancelToken
    ) -> None:
        self._resources = resources
        self._request = request
        self._cancel = cancel
        self._documents = resources.documents
        self._source_files = resources.source_files
        self._clock = resources.clock
        self._events = EventStream(sink, clock=resources.clock)
        self._counters = IngestCounters(keep_items=request.keep_items)
        self._progress = Progress(
            self._events, self._counters, clock=resources.clock, is_watched=request.is_watched
        )
        self._audit = (
            AssetAudit(copies=0, lost=frozenset(), strays=0)
            if request.is_partial
            else self._documents.audit_assets(CopyLook.CONTENTS if request.verify else CopyLook.NAMES)
        )
        self._is_committed = False
        self._fingerprinter = Fingerprinter(
            processor=resources.processor, content=resources.content, external=resources.settings.external
        )
        self._previous = PreviousStateReader(
            source_files=self._source_files,
            fingerprinter=self._fingerprinter,
            verify=request.verify,
            force=request.force,
            known_roots={scan.source_id: scan.root for scan in self._source_files.list_scans()},
            lost_contents=self._audit.lost | self._audit.damaged,
        )

    def run(self) -> IngestReport:
        """Carry the run out; the last event is `completed` or `aborted`.

        Returns:
            The report, also after a cancel.

        Raises:
            StorageError: No root could be listed, or the store failed.
        """
        resources = self._resources
        scopes = [self._scope_of(target) for target in self._request.targets]
        described = [each for target in self._request.targets for each in self._describe(target)]
        record = RunRecord.open(resources.jobs, self._clock, described)
        self._events.record_in(resources.jobs, record.job_id)
        scans: list[SourceScan] = []
        try:
            with (
                self._events.beating(),
                StepLog(self._clock, is_on=_LOG.isEnabledFor(logging.DEBUG)).tracing(),
            ):
                scans.extend(self._scan_all(scopes))
                plans = self._plan_all(scans)
                self._events.enter("ingest")
                is_done = self._carry_out(plans)
                self._analyze_again()
                self._is_committed = is_done or not self._cancel.is_cancelled
                self._events.enter("finish")
                self._collect_assets(plans)
                self.update_surroundings()
                self._read_pictures(record, scans)
                self._embed(record, scans)
        except BaseException as error:
            self._close_after(error, record, scans)
            raise
        return self._close(record, scans, aborted=self._cancel.is_cancelled)

    def has_changes(self) -> bool:
        """Whether `run` would find anything to do; only looks.

        Raises:
            StorageError: The root of a target is missing or cannot be listed.
        """
        for target in self._request.targets:
            scan = self._scan(target, self._scope_of(target))
            if scan.changed or scan.unreadable or scan.find_missing(self._previous_of(target).states):
                return True
        return False

    def _scan_all(self, scopes: list[SourceScope]) -> list[SourceScan]:
        """Scan each source until a cancel; the first begins in any case.

        Raises:
            StorageError: Not one root of the user could be listed; with several, the others go on without it.
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
                cause = error.__cause__
                reason = cause.strerror if isinstance(cause, OSError) else error.message
                scans.append(SourceScan(target, messages=[f"{scope.root}: {reason}"]))
        of_user = [scan for scan in scans if scan.target.source.id != NOTES_SOURCE]
        if errors and len(errors) >= len(of_user):
            self._analyze_again()  # the documents are searched until their files are there again
            raise errors[0]
        return scans

    def _scan(self, target: SourceTarget, scope: SourceScope) -> SourceScan:
        self._events.emit(ScanStarted(ts=self._clock.now(), root=scope.root))
        return scan_source(
            target,
            scope,
            connector=self._resources.connector,
            previous=self._previous_of(target),
            counters=self._counters,
            cancel=self._cancel,
        )

    def _previous_of(self, target: SourceTarget) -> PreviousState:
        files = self._resources.processor.name_files
        whole = self._scope_of(replace(target, under=None, among=()))
        names = None if files is None else NameReader(files, self._resources.connector, whole, self._clock)
        return self._previous.read(target.source, root=str(target.root), among=target.among, names=names)

    def _plan_all(self, scans: list[SourceScan]) -> list[SourcePlan]:
        planner = Planner(
            source_files=self._source_files,
            connector=self._resources.connector,
            clock=self._clock,
            cancel=self._cancel,
            prune=self._request.prune,
        )
        plans = [planner.plan(scan, self._previous_of(scan.target)) for scan in scans]
        self._progress.total = sum(plan.size for plan in plans)
        removals = sum(len(plan.removals) for plan in plans)
        self._events.emit(ScanCompleted(ts=self._clock.now(), total=self._progress.total, removals=removals))
        return plans

    def _carry_out(self, plans: list[SourcePlan]) -> bool:
        committer = FileCommitter(
            documents=self._documents,
            source_files=self._source_files,
            fingerprinter=self._fingerprinter,
            clock=self._clock,
        )
        with self._preparing(sum(len(plan.scan.changed) for plan in plans)) as prepare_all:
            ingest = SourceIngest(
                documents=self._documents,
                source_files=self._source_files,
                committer=committer,
                progress=self._progress,
                counters=self._counters,
                clock=self._clock,
                cancel=self._cancel,
                prepare_all=prepare_all,
                pictures=self._resources.pictures,
            )
            return ingest.carry_out(plans)

    @contextmanager
    def _preparing(self, files: int) -> Iterator[PrepareAll]:
        """Choose where files are prepared: a handful is done before worker processes would have started.

        Yields:
            The function that prepares them.
        """
        count = self._resources.workers or os.cpu_count() or 1
        factory = self._resources.worker_factory
        here = FilePreparer(
            connector=self._resources.connector,
            processor=self._resources.processor,
            keep_asset=self._documents.put_asset,
            read_asset=lambda asset: self._documents.read_asset(asset.asset_id),
            pack=self._documents.pack_document,
            pack_long=self._documents.pack_long,
            content=self._resources.content,
            clock=self._clock,
        )

        def rescue(task: FileTask, failure: IngestFailure) -> Prepared | None:
            has_fallback = self._resources.processor.has_fallback(task.entry.media_type)
            return here.prepare(replace(task, failure=failure.message)) if has_fallback else None

        cluster = self._resources.cluster
        if factory is None:
            yield here.prepare_all
        elif cluster is not None and files >= MIN_FILES_FOR_WORKERS:
            with Workers(
                cluster.factory,
                count=count,
                limits=self._resources.limits,
                rescue=rescue,
                cluster=cluster.address,
                carrier=FileCarrier(preparer=here, cluster=cluster),
            ) as workers:
                yield workers.prepare_all
        elif count > 1 and files >= MIN_FILES_FOR_WORKERS:
            with Workers(factory, count=count, limits=self._resources.limits, rescue=rescue) as workers:
                yield workers.prepare_all
        else:
            with IsolatedWorker(
                here.prepare, factory, limits=self._resources.limits, rescue=rescue
            ) as preparer:
                yield preparer.prepare_all

    def _analyze_again(self) -> None:
        """Analyse documents again whose files a run over everything did not read, where another analyser made their terms."""
        analyzer = self._resources.processor.analyzer

        def analyzer_of(document: IndexedDocument) -> Callable[[Chunk], ChunkTerms]:
            return DocumentTerms(
                analyzer, title=document.title, path=document.doc_path, aliases=document.aliases
            ).analyze

        if self._request.is_everything and not self._cancel.is_cancelled:
            for _ in self._documents.replace_terms(analyzer.version, analyzer_of):
                if self._cancel.is_cancelled:
                    return

    def _collect_assets(self, plans: list[SourcePlan]) -> None:
        """Delete contents that nothing needs; a run over few files does not look at all copies for that."""
        touched = sum(len(plan.scan.changed) + len(plan.removals) for plan in plans)
        sweep = self._audit.strays > 0 or touched > self._audit.copies * SWEEP_SHARE
        self._documents.collect_assets(sweep=sweep and not self._request.is_partial)

    def update_surroundings(self) -> None:
        """Build the pictures again around which documents say something else than when they were built.

        Raises:
            StorageError: Nothing can be stored.
        """
        with self._building_pictures() as builder:
            if builder is not None:
                builder.update_surroundings(self._cancel)

    @contextmanager
    def _building_pictures(self) -> Iterator[PictureBuilder | None]:
        if self._resources.pictures is None or self._cancel.is_cancelled:
            yield None
            return
        from kebab_ingest.picture_documents import PictureBuilder

        with self._preparing(0) as prepare_all:
            yield PictureBuilder(
                resources=self._resources.pictures,
                documents=self._documents,
                source_files=self._source_files,
                processor=self._resources.processor,
                fingerprinter=self._fingerprinter,
                prepare_all=prepare_all,
                counters=self._counters,
                clock=self._clock,
            )

    def _read_pictures(self, record: RunRecord, scans: list[SourceScan]) -> None:
        self._counters.ocr = self._read_waiting(record, scans, self._resources.ocr)
        self._write_captions(record, scans)
        self._counters.asr = self._read_waiting(record, scans, self._resources.asr)

    def _read_waiting(
        self, record: RunRecord, scans: list[SourceScan], resources: OcrResources | None
    ) -> OcrSummary | None:
        with self._building_pictures() as builder:
            if (
                resources is None
                or builder is None
                or not builder.resources.pictures.has_pages(recordings=resources.recordings)
            ):
                return None
            from kebab_ingest.ocr_pass import OcrPass

            # others may write while pictures are read, for hours: what they see of this run is its end
            self._record_end(record, scans, aborted=False)
            ocr_pass = OcrPass(
                resources=resources,
                engine=resources.find_engine(),
                targets=self._request.targets,
                documents=self._documents,
                builder=builder,
                events=self._events,
                cancel=self._cancel,
                clock=self._clock,
                reads_all=self._request.reads_all_pictures,
                again=self._request.reads_pictures_again,
            )
            return ocr_pass.run()

    def _write_captions(self, record: RunRecord, scans: list[SourceScan]) -> None:
        with self._building_pictures() as builder:
            if builder is None or self._resources.ocr is None:
                return
            builder.drop_captions(self._cancel)
            resources, captions = self._resources.captions, builder.resources.captions
            if resources is None or captions is None:
                return
            from kebab_ingest.caption_pass import CaptionPass

            self._record_end(record, scans, aborted=False)
            written, failure = CaptionPass(
                resources=resources,
                captions=captions,
                builder=builder,
                events=self._events,
                cancel=self._cancel,
                clock=self._clock,
                targets=self._request.targets,
                locks=resources.locks,
            ).run()
            if written or failure is not None:
                found = self._counters.ocr or OcrSummary()
                self._counters.ocr = found.model_copy(
                    update={"captioned": written, "caption_failure": failure}
                )

    def _embed(self, record: RunRecord, scans: list[SourceScan]) -> None:
        if self._resources.embedding is None or self._cancel.is_cancelled:
            return
        from kebab_ingest.embedding_pass import run_embedding_pass

        # others may write while the model works, for hours: what they see of this run is its end
        self._record_end(record, scans, aborted=False)
        within = self._named_documents() if self._request.is_single_files else None
        self._counters.embedding, _ = run_embedding_pass(
            self._resources.embedding,
            self._events,
            self._cancel,
            within=within,
            time_limit_s=self._request.embed_for_s,
        )

    def _named_documents(self) -> frozenset[DocumentId]:
        """Documents of single files: their caller does not wait until all others have their vectors."""
        places = [(t.source.id, t.under) for t in self._request.targets if t.under is not None]
        files = (
            self._source_files.tracked_file(SourceId(source), WorkspacePath(each))
            for source, path in places
            for each in self._source_files.file_states(SourceId(source), among=[path])
        )
        return frozenset(file.doc_id for file in files if file is not None)

    def _close_after(self, error: BaseException, record: RunRecord, scans: list[SourceScan]) -> None:
        """Close a failed run; where the store cannot take that either, the next run does."""
        try:
            self._close(record, scans, aborted=True, error=error)
        except StorageError as other:
            _LOG.warning("the end of run %s could not be stored: %s", record.run_id, other.message)
            with suppress(StorageError):
                self._events.emit(Aborted(ts=self._clock.now(), counts=self._counters.counts))

    def _close(
        self, record: RunRecord, scans: list[SourceScan], *, aborted: bool, error: BaseException | None = None
    ) -> IngestReport:
        report = self._record_end(record, scans, aborted=aborted, error=error)
        terminal = Aborted if aborted else Completed
        self._events.emit(terminal(ts=report.finished_at, counts=report.counts))
        return report

    def _record_end(
        self, record: RunRecord, scans: list[SourceScan], *, aborted: bool, error: BaseException | None = None
    ) -> IngestReport:
        return record.close(
            self._counters,
            unreadable_folders=tuple(message for scan in scans for message in scan.messages),
            covered=self._covered(scans),
            aborted=aborted,
            is_committed=self._is_committed,
            leaves_work=self._leaves_work(scans, error),
            error=error,
        )

    def _leaves_work(self, scans: list[SourceScan], error: BaseException | None) -> bool:
        """Whether an aborted run has to be repeated.

        It need not be where there was nothing to scan, nor where single files were named and then cancelled.
        """
        if error is None:
            return not self._request.is_single_files
        return bool(scans) or not isinstance(error, StorageError)

    def _describe(self, target: SourceTarget) -> list[IngestScope]:
        """The scopes of a target, one for each of its parts."""
        parts = [replace(target, under=place, among=()) for place in target.places]
        return [describe_scope(self._scope_of(part)) for part in parts]

    def _scope_of(self, target: SourceTarget) -> SourceScope:
        resources = self._resources
        return build_scope(
            target, data_dir=resources.data_dir, workspace=resources.workspace, ingest=resources.settings
        )

    def _covered(self, scans: list[SourceScan]) -> list[IngestScope] | None:
        """The scopes that were scanned to their end; None for every source."""
        if self._request.is_everything and all(scan.finished for scan in scans):
            return None
        return [one for scan in scans if scan.finished for one in self._describe(scan.target)]
