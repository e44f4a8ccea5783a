"""Coverage of a search: what the retriever searched, completed by what the knowledge base knows of it; and its state at a glance.

Documents whose files have changed, documents without a vector of the model in force, and whether an ingest is at work.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    DatabaseCorruptError,
    IndexModelMismatchError,
    NoHitReason,
    NotIndexedError,
    SearchMode,
    is_stale,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import Coverage, EmbeddingIdentity, FileFailure, IngestRun, SearchResponse
    from kebab_ingest import FileChange

    from kebab_app.knowledge_base import KnowledgeBase


_NO_VECTORS = {NotIndexedError.code, IndexModelMismatchError.code, DatabaseCorruptError.code}
"""Failures of the vector leg which say that no passage has a vector of the model in force that can be used."""


def with_freshness(base: KnowledgeBase, response: SearchResponse) -> SearchResponse:
    """Mark the hits whose files have changed or are gone, and complete the coverage; in the state that was searched."""
    files = base.open_disk_files()
    changes = {
        hit.doc_id: files.find_change(hit.source_id, hit.doc_path) for hit in response.hits if not hit.stale
    }
    hits = tuple(
        hit.model_copy(update={"stale": True}) if changes.get(hit.doc_id) else hit for hit in response.hits
    )
    stale = _count_stale(base, response.coverage, Counter(changes.values()))
    coverage = response.coverage.model_copy(
        update={"documents_stale": stale, "documents_pending": _count_pending(base, response.coverage)}
    )
    return response.model_copy(update={"hits": hits, "coverage": coverage})


def _count_stale(base: KnowledgeBase, coverage: Coverage, changes: Mapping[FileChange | None, int]) -> int:
    """Count the documents of the index that are known to be stale: those of the page are not all of them.

    A page may show some documents whose files are gone; the last scan has counted all that were kept.
    """
    held = _count_held(base) if coverage.documents_held else 0
    found = max(held, changes.get("gone", 0)) + changes.get("edited", 0)
    return min(coverage.documents_indexed, coverage.documents_stale + found)


def _count_held(base: KnowledgeBase) -> int:
    """Count the documents that are kept although their files are gone, without those that are stale by age."""
    return sum(
        scan.documents_held
        for scan in base.index.source_files.list_scans()
        if not is_stale(
            last_complete_scan_at=scan.completed_at,
            indexed_at=scan.completed_at,
            changed_on_disk=False,
            now=base.clock.now(),
            threshold_days=base.loaded.settings.search.stale_threshold_days,
        )
    )


def mark_interrupted(base: KnowledgeBase, response: SearchResponse) -> SearchResponse:
    """Mark the ingest as interrupted where no process is writing and a run is unfinished.

    A run that has finished since the search began was running when it did.
    """
    if not response.coverage.ingest_running:
        return response
    from kebab_app.store import find_writer

    if find_writer(base.data_dir) is not None or not base.history.jobs.unfinished_runs():
        return response
    coverage = response.coverage.model_copy(update={"ingest_running": False, "ingest_interrupted": True})
    reason = response.no_hit_reason
    if reason is NoHitReason.STILL_INDEXING:
        reason = NoHitReason.NOTHING_MATCHES if coverage.documents_indexed else NoHitReason.INDEX_EMPTY
    return response.model_copy(update={"coverage": coverage, "no_hit_reason": reason})


def count_waiting_passages(base: KnowledgeBase) -> int:
    """Count the passages without a vector of the model of the last embedding pass; 0 where none is configured."""
    if not (base.wants_vectors and base.has_database):
        return 0
    passages, latest = base.index.terms.corpus_size(), base.index.embeddings.latest_model()
    return passages if latest is None else base.index.embeddings.counts(latest).pending


def count_passages_that_may_wait(base: KnowledgeBase) -> int | None:
    """Count the passages without a vector of a model that cannot be asked for its identity.

    The model of the last embedding pass stands for it if it has the name and version of the settings; else None.
    """
    latest, settings = base.index.embeddings.latest_model(), base.loaded.settings.models.embedding
    if latest is not None and not base.has_embedder_of_its_own:
        version = str(latest.model_version).partition("+")[0]
        if (latest.model_id, version, latest.dimensions) != (
            settings.model,
            settings.version,
            settings.dimensions,
        ):
            return None
    return count_waiting_passages(base)


def _count_pending(base: KnowledgeBase, coverage: Coverage) -> int:
    """Count the documents that have a passage without a vector of the model in force.

    Without vectors in the search the model of the last ingest counts: asking a model for its identity may take seconds.
    """
    if not base.wants_vectors:
        return 0
    identity = _model_in_force(base, coverage)
    is_without = coverage.leg_failure is not None and coverage.leg_failure.code in _NO_VECTORS
    if identity is None or is_without:
        return base.index.embeddings.embeddable_documents()
    return base.index.embeddings.pending_documents(identity)


def _model_in_force(base: KnowledgeBase, coverage: Coverage) -> EmbeddingIdentity | None:
    if SearchMode.VECTOR in coverage.legs and base.search_embedder is not None:
        return base.search_embedder.identity
    return base.index.embeddings.latest_model()


_LATEST_JOBS = 5


class CurrentWork(NamedTuple):
    """What a process reads or computes right now, this one or another."""

    pid: int
    phase: str
    """`ingest` reads files, `ocr` pictures, `embed` computes vectors; empty where nothing is recorded yet."""
    done: int
    total: int
    """Files, pages or passages of the phase; 0 where it is not known yet."""


def find_current_work(base: KnowledgeBase) -> CurrentWork | None:
    """Find the run that is going on; its progress is at most some seconds old. None where no process works."""
    from kebab_app.store import find_embedding_process

    pid = find_embedding_process(base.data_dir) if base.has_database else None
    if pid is None:
        return None
    from kebab_core import JobFilter, JobStatus  # searches read no jobs

    jobs = base.history.jobs.list(JobFilter(limit=_LATEST_JOBS))
    running = [each for each in jobs if each.status is JobStatus.RUNNING]
    # the record of an ingest ends before its embedding pass
    told = [each.progress for each in [*running, *jobs] if each.progress is not None]
    progress = next((each for each in told if each.get("done") != each.get("total")), {})
    return CurrentWork(
        pid,
        str(progress.get("phase", "")),
        *(value if isinstance(value := progress.get(name), int) else 0 for name in ("done", "total")),
    )


@dataclass(frozen=True, kw_only=True)
class Overview:
    """State of a knowledge base."""

    is_set_up: bool
    """There is a configuration, or the folder that is read without one."""
    coverage: Coverage | None
    """Documents by state; None where there is no database."""
    documents: dict[str, int]
    """Number of documents by source."""
    last_run: IngestRun | None
    """The ingest that started last."""
    writer: int | None
    """Process that writes to it, which may be this one; None where no process does."""
    failures: tuple[FileFailure, ...]
    """Files that could not be read, by source and path."""
    work: CurrentWork | None = None
    """The run that is going on."""

    @property
    def is_writing(self) -> bool:
        """A process writes to it."""
        return self.writer is not None

    @property
    def is_interrupted(self) -> bool:
        """A run was interrupted, and no process goes on with it."""
        return self.coverage is not None and self.coverage.ingest_running and not self.is_writing


def build_overview(base: KnowledgeBase) -> Overview:
    """Sum up a knowledge base; loads no model and makes no database."""
    if not base.has_database:
        return Overview(
            is_set_up=base.is_set_up, coverage=None, documents={}, last_run=None, writer=None, failures=()
        )
    from kebab_app.store import find_writer

    threshold = base.loaded.settings.search.stale_threshold_days
    runs = base.history.jobs.list_runs(limit=1)
    return Overview(
        is_set_up=True,
        coverage=base.index.documents.coverage(now=base.clock.now(), stale_threshold_days=threshold),
        documents={str(name): count for name, count in base.index.documents.count_by_source().items()},
        last_run=runs[0] if runs else None,
        writer=find_writer(base.data_dir),
        failures=tuple(base.index.source_files.list_failures()),
        work=find_current_work(base),
    )
