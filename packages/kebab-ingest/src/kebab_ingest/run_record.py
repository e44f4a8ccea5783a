"""The record of an ingest run: counters of its results, and its rows in `ingest_runs` and `jobs`."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from kebab_core import (
    Clock,
    DocumentId,
    EmbeddingSummary,
    IngestCounts,
    IngestItem,
    IngestReport,
    IngestResult,
    IngestScope,
    InvalidInputError,
    JobFilter,
    JobId,
    JobKind,
    JobStatus,
    OcrSummary,
    PackedDocument,
    RunId,
    SkipExample,
    SkippedPath,
    SkipReason,
    WorkspacePath,
)

if TYPE_CHECKING:
    from kebab_core import JobRepo

MAX_SKIP_EXAMPLES = 5
_COUNT_FIELD = {
    IngestResult.NEW: "new",
    IngestResult.UPDATED: "updated",
    IngestResult.UNCHANGED: "unchanged",
    IngestResult.SKIPPED: "skipped",
    IngestResult.MOVED: "moved",
    IngestResult.REMOVED: "removed",
    IngestResult.ERROR: "errors",
}


class IngestCounters:
    """Results of one run: counters, skip reasons with examples and, unless only the sum is wanted, the items."""

    def __init__(self, *, keep_items: bool) -> None:
        self._results: Counter[str] = Counter()
        self._reasons: Counter[SkipReason] = Counter()
        self._extensions: Counter[str] = Counter()
        self._examples: dict[SkipReason, list[WorkspacePath]] = defaultdict(list)
        self._items: list[IngestItem] | None = [] if keep_items else None
        self._places: dict[DocumentId, int] = {}
        self._chunks = 0
        self.scanned = 0
        """Files that scans met."""
        self.held = 0
        """Documents whose removal is held until the user confirms it."""
        self.embedding: EmbeddingSummary | None = None
        """Summary of the embedding pass; None where there was none."""
        self.ocr: OcrSummary | None = None
        self.asr: OcrSummary | None = None
        """Summary of the pass over pictures; None where there was none."""

    def add_skipped(self, skipped: SkippedPath) -> None:
        """Count a path that is not ingested under its one reason."""
        self._results["skipped"] += 1
        self._reasons[skipped.reason] += 1
        self._add_example(self._examples[skipped.reason], skipped.workspace_path)
        if skipped.reason is SkipReason.UNSUPPORTED_MEDIA:
            self._extensions[_extension(skipped.workspace_path)] += 1

    @staticmethod
    def _add_example(examples: list[WorkspacePath], path: WorkspacePath) -> None:
        """Keep the first paths; one with an extension of its own takes the place of the last that shares one."""
        if len(examples) < MAX_SKIP_EXAMPLES:
            examples.append(path)
            return
        kinds = [_extension(each) for each in examples]
        if _extension(path) not in kinds:
            shared = (at for at in reversed(range(len(kinds))) if kinds.index(kinds[at]) < at)
            if (at := next(shared, None)) is not None:
                del examples[at]
                examples.append(path)

    def add_unchanged(self, number: int) -> None:
        """Count files that are as they were; none of them is listed."""
        self._results["unchanged"] += number

    def add(self, item: IngestItem) -> None:
        """Count one file by its result; everything but unchanged files is listed."""
        self._results[_COUNT_FIELD[item.kind]] += 1
        if item.kind in {IngestResult.NEW, IngestResult.UPDATED, IngestResult.MOVED}:
            self._chunks += item.chunk_count or 0
        if self._items is not None and item.kind is not IngestResult.UNCHANGED:
            if item.doc_id is not None:
                self._places[item.doc_id] = len(self._items)
            self._items.append(item)

    def add_stored_again(self, document: PackedDocument) -> None:
        """Count the chunks of a document that was stored once more by the same run; its item describes what is stored now."""
        self._chunks += document.chunk_count
        at = self._places.get(document.doc_id)
        if self._items is not None and at is not None:
            now = {
                "warnings": document.warnings,
                "block_count": document.block_count,
                "chunk_count": document.chunk_count,
            }
            self._items[at] = self._items[at].model_copy(update=now)

    @property
    def counts(self) -> IngestCounts:
        """The counters so far."""
        return IngestCounts(
            scanned=self.scanned,
            chunks_indexed=self._chunks,
            removal_held=self.held,
            embeddings_indexed=self.embedding.computed + self.embedding.reused if self.embedding else 0,
            **{field: self._results[field] for field in _COUNT_FIELD.values()},
        )

    @property
    def items(self) -> tuple[IngestItem, ...] | None:
        """The items so far, in order of processing; None when only the sum is wanted."""
        return None if self._items is None else tuple(self._items)

    @property
    def skipped_by_reason(self) -> dict[SkipReason, int]:
        """Skips by reason, most first."""
        return dict(self._reasons.most_common())

    @property
    def skipped_by_extension(self) -> dict[str, int]:
        """Unsupported files by extension, most first."""
        return dict(self._extensions.most_common())

    @property
    def skip_examples(self) -> tuple[SkipExample, ...]:
        """Up to five paths for each reason."""
        return tuple(SkipExample(reason=r, paths=tuple(p)) for r, p in sorted(self._examples.items()))


def _extension(path: WorkspacePath) -> str:
    name = path.name
    _, dot, extension = name.rpartition(".")
    return extension.lower() if dot and name != f".{extension}" else "<no-ext>"


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """Rows of one run.

    The caller holds the writer lock, so any other unfinished run has died or was aborted: one whose embedding pass
    releases the lock has recorded its end before.
    """

    jobs: JobRepo
    clock: Clock
    run_id: RunId
    job_id: JobId
    scopes: tuple[IngestScope, ...]
    started_at: datetime
    started_ms: int

    @classmethod
    def open(cls, jobs: JobRepo, clock: Clock, scopes: Sequence[IngestScope]) -> RunRecord:
        """Begin the record of a run that starts now."""
        run_id, started_at = RunId(f"run_{uuid.uuid4().hex[:16]}"), clock.now()
        jobs.start_run(run_id, scopes, started_at=started_at)
        job_id = jobs.create(JobKind.INGEST, {"run_id": run_id}, at=started_at)
        return cls(
            jobs=jobs,
            clock=clock,
            run_id=run_id,
            job_id=job_id,
            scopes=tuple(scopes),
            started_at=started_at,
            started_ms=clock.monotonic_ms(),
        )

    def close(
        self,
        counters: IngestCounters,
        *,
        unreadable_folders: tuple[str, ...],
        covered: Sequence[IngestScope] | None,
        aborted: bool,
        is_committed: bool = False,
        leaves_work: bool = True,
        error: BaseException | None = None,
    ) -> IngestReport:
        """Record the run's end, also again after its embedding pass; one that completed settles the unfinished runs whose work it has done.

        Args:
            counters: Results of the run.
            unreadable_folders: Folders that could not be listed, with the reason.
            covered: What the run saw whole; None is every source.
            aborted: Whether it stopped before its end; it then stays unfinished until a later run does its work.
            is_committed: Whether every file was done, so that at most vectors are missing, which have records of their
                own; an aborted run then leaves no more undone than one that completed.
            leaves_work: Whether an aborted run has to be repeated.
            error: Why, if it was not the user's wish.

        Returns:
            The report.
        """
        report = IngestReport(
            run_id=self.run_id,
            scopes=self.scopes,
            counts=counters.counts,
            skipped_by_reason=counters.skipped_by_reason,
            skipped_by_extension=counters.skipped_by_extension,
            skip_examples=counters.skip_examples,
            unreadable_folders=unreadable_folders,
            aborted=aborted,
            duration_ms=self.clock.monotonic_ms() - self.started_ms,
            started_at=self.started_at,
            finished_at=self.clock.now(),
            items=counters.items,
            embedding=counters.embedding,
            ocr=counters.ocr,
            asr=counters.asr,
        )
        self.jobs.finish_run(report)
        if error is not None:
            status = JobStatus.FAILED
        else:
            status = JobStatus.CANCELED if aborted else JobStatus.SUCCEEDED
        with suppress(InvalidInputError):  # deleted by a run that went beside the embedding pass of this one
            self.jobs.finish(self.job_id, status, at=report.finished_at, error=str(error) if error else None)
        if not aborted or is_committed:
            self._settle_covered(covered, at=report.finished_at)
        elif not leaves_work:
            self.jobs.settle_runs([self.run_id], at=report.finished_at)
        return report

    def _settle_covered(self, covered: Sequence[IngestScope] | None, *, at: datetime) -> None:
        """Settle runs whose scopes this run has covered; the others stay unfinished."""
        settled = [
            run.run_id
            for run in self.jobs.unfinished_runs()
            if covered is None or all(any(_is_covered(scope, one) for one in covered) for scope in run.scopes)
        ]
        self.jobs.settle_runs(settled, at=at)
        for job in self.jobs.list(JobFilter(kind=JobKind.INGEST, status=JobStatus.RUNNING)):
            if job.payload.get("run_id") in settled:
                message = "interrupted; a later run completed"
                self.jobs.finish(job.job_id, JobStatus.FAILED, at=at, error=message)


def _is_covered(scope: IngestScope, scanned: IngestScope) -> bool:
    """Whether a run that scanned `scanned` to its end saw all of `scope`."""
    if scope.source_id != scanned.source_id:
        return False
    return scanned.under is None or (
        scope.under is not None and f"{scope.under}/".startswith(f"{scanned.under}/")
    )
