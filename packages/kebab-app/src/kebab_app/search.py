"""Search as a use case: what the retriever finds, and what only a look around tells of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app.freshness import Freshness
from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from kebab_core import SearchQuery, SearchResponse

    from kebab_app.knowledge_base import KnowledgeBase


def search(base: KnowledgeBase, query: SearchQuery) -> SearchResponse:
    """Return passages. See `kebab_core.Retriever.search`.

    Hits of files that have changed since they were indexed, or are gone, are stale too, and the coverage tells
    running from interrupted ingests.

    Args:
        base: The knowledge base; nothing in it is changed.
        query: What to find.

    Returns:
        Hits, best first, and what was searched.
    """
    with base.open_for_reading().snapshot():  # what is found must still be there when it is read
        response = _with_freshness(base, base.retriever.search(query))
    if not response.coverage.ingest_running:
        return response
    coverage = response.coverage.model_copy(update={"ingest_interrupted": _is_interrupted(base)})
    return response.model_copy(update={"coverage": coverage})


def _with_freshness(base: KnowledgeBase, response: SearchResponse) -> SearchResponse:
    freshness = Freshness(base)
    changed = {
        hit.doc_id
        for hit in response.hits
        if not hit.stale and freshness.has_changed(hit.source_id, hit.doc_path)
    }
    hits = tuple(
        hit.model_copy(update={"stale": True}) if hit.doc_id in changed else hit for hit in response.hits
    )
    stale = response.coverage.documents_stale + len(changed)
    coverage = response.coverage.model_copy(update={"documents_stale": stale})
    return response.model_copy(update={"hits": hits, "coverage": coverage})


def _is_interrupted(base: KnowledgeBase) -> bool:
    """Return whether nobody is at work on what is unfinished; a run may have come to its end just now."""
    from kebab_store_sqlite import SqliteIngestRunRepo

    return find_writer(base.data_dir) is None and bool(
        SqliteIngestRunRepo(base.open_for_reading()).unfinished_runs()
    )
