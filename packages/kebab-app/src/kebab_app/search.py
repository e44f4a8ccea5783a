"""Search as a use case: what the retriever finds, and what only a look around tells of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kebab_core import NoHitReason, SearchMode, is_stale

from kebab_app.freshness import Change, Freshness
from kebab_app.vector_coverage import with_pending_vectors
from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kebab_core import Coverage, Retriever, SearchQuery, SearchResponse

    from kebab_app.knowledge_base import KnowledgeBase


def search(
    base: KnowledgeBase, query: SearchQuery, *, retriever: Callable[[], Retriever] | None = None
) -> SearchResponse:
    """Return passages. See `kebab_core.Retriever.search`.

    Hits of files that have changed since they were indexed, or are gone, are stale too, and the coverage tells
    running from interrupted ingests.

    Args:
        base: The knowledge base; nothing in it is changed.
        query: What to find.
        retriever: Gives, once the database is open, what searches in place of the knowledge base's own.

    Returns:
        Hits, best first, and what was searched.
    """
    with base.open_for_reading().one_state():  # what is found must still be there when it is read
        if retriever is None and query.mode is not SearchMode.LEXICAL:
            base.prepare_embedder()
        found = (retriever() if retriever else base.retriever).search(query)
        response = _with_freshness(base, found)
    if response.coverage.ingest_running and find_writer(base.data_dir) is None:
        return _without_a_writer(base, response)
    return response


def _with_freshness(base: KnowledgeBase, response: SearchResponse) -> SearchResponse:
    freshness = Freshness(base)
    changes = {
        hit.doc_id: freshness.find_change(hit.source_id, hit.doc_path)
        for hit in response.hits
        if not hit.stale
    }
    hits = tuple(
        hit.model_copy(update={"stale": True}) if changes.get(hit.doc_id) else hit for hit in response.hits
    )
    stale = _count_stale(base, response.coverage, Counter(changes.values()))
    coverage = with_pending_vectors(base, response.coverage).model_copy(update={"documents_stale": stale})
    return response.model_copy(update={"hits": hits, "coverage": coverage})


def _count_stale(base: KnowledgeBase, coverage: Coverage, changes: Mapping[Change | None, int]) -> int:
    """Return how many documents of the index are known to be stale: those of the page are not all of them.

    Of files that are gone a page may show some; the last scan has counted those that were kept.
    """
    held = _count_held(base) if coverage.documents_held else 0
    found = max(held, changes.get(Change.GONE, 0)) + changes.get(Change.EDITED, 0)
    return min(coverage.documents_indexed, coverage.documents_stale + found)


def _count_held(base: KnowledgeBase) -> int:
    """Return how many documents are kept although their files are gone, but for those that are stale by age."""
    return sum(
        scan.documents_held
        for scan in base.documents.list_scans()
        if not is_stale(
            last_complete_scan_at=scan.completed_at,
            indexed_at=scan.completed_at,
            changed_on_disk=False,
            now=base.clock.now(),
            threshold_days=base.loaded.settings.search.stale_threshold_days,
        )
    )


def _without_a_writer(base: KnowledgeBase, response: SearchResponse) -> SearchResponse:
    """Return what was found while a run was unfinished on which nobody is at work now: it was interrupted.

    One that has come to its end since the search began was at work when it did.
    """
    from kebab_store_sqlite import SqliteIngestRunRepo

    if not SqliteIngestRunRepo(base.open_for_reading()).unfinished_runs():
        return response
    coverage = response.coverage.model_copy(update={"ingest_running": False, "ingest_interrupted": True})
    reason = response.no_hit_reason
    if reason is NoHitReason.STILL_INDEXING:
        reason = NoHitReason.NOTHING_MATCHES if coverage.documents_indexed else NoHitReason.INDEX_EMPTY
    return response.model_copy(update={"coverage": coverage, "no_hit_reason": reason})
