"""Coverage of a search: what the retriever searched, completed by what the knowledge base knows of it.

Documents whose files have changed, documents without a vector of the model in force, and whether an ingest is at work.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

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

    from kebab_core import Coverage, EmbeddingIdentity, SearchResponse
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
