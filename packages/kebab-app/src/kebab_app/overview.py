"""The state of a knowledge base at a glance: documents, passages that wait for vectors, and the run that is going on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kebab_core import Coverage, FileFailure, IngestRun

    from kebab_app.knowledge_base import KnowledgeBase


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


_LATEST_JOBS = 5


class CurrentWork(NamedTuple):
    """What a process reads or computes right now, this one or another."""

    pid: int
    phase: str
    """`ingest` reads files, `ocr` pictures, `embed` computes vectors; empty where nothing is recorded yet."""
    done: int
    total: int
    """Files, pages or passages of the phase; 0 where it is not known yet."""
    path: str
    """File that it has come to; empty where none is recorded."""


def find_current_work(base: KnowledgeBase) -> CurrentWork | None:
    """Find the run that is going on; its progress is at most some seconds old. None where no process works."""
    from kebab_app.store import find_embedding_process

    pid = find_embedding_process(base.data_dir) if base.has_database else None
    if pid is None:
        return None
    from kebab_core import JobFilter

    jobs = base.history.jobs.list(JobFilter(limit=_LATEST_JOBS))
    # the record of an ingest ends before its embedding pass, which goes on with it
    told = (each.progress for each in jobs if each.finished_at is None or each.finished_at < each.updated_at)
    progress = next((each for each in told if each and each.get("done") != each.get("total")), {})
    done, total = (value if isinstance(value := progress.get(name), int) else 0 for name in ("done", "total"))
    return CurrentWork(pid, str(progress.get("phase", "")), done, total, str(progress.get("path") or ""))


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
    """The ingest that started last, without its items."""
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
        return self.coverage is not None and self.coverage.ingest_interrupted


def build_overview(base: KnowledgeBase) -> Overview:
    """Sum up a knowledge base; loads no model and makes no database."""
    if not base.has_database:
        return Overview(
            is_set_up=base.is_set_up, coverage=None, documents={}, last_run=None, writer=None, failures=()
        )
    from kebab_app.store import find_writer

    threshold = base.loaded.settings.search.stale_threshold_days
    runs = base.history.jobs.list_runs(limit=1, with_items=False)
    coverage = base.index.documents.coverage(now=base.clock.now(), stale_threshold_days=threshold)
    writer = find_writer(base.data_dir)
    if coverage.ingest_running and writer is None:
        coverage = coverage.model_copy(update={"ingest_running": False, "ingest_interrupted": True})
    return Overview(
        is_set_up=True,
        coverage=coverage,
        documents={str(name): count for name, count in base.index.documents.count_by_source().items()},
        last_run=runs[0] if runs else None,
        writer=writer,
        failures=tuple(base.index.source_files.list_failures()),
        work=find_current_work(base),
    )
