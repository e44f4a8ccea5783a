"""Search as a use case: what the retriever finds, and what only a look around tells of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from kebab_core import Coverage, SearchQuery, SearchResponse

    from kebab_app.knowledge_base import KnowledgeBase


def search(base: KnowledgeBase, query: SearchQuery) -> SearchResponse:
    """Return passages. See `kebab_core.Retriever.search`; the coverage also tells running from interrupted ingests.

    Args:
        base: The knowledge base; nothing in it is changed.
        query: What to find.

    Returns:
        Hits, best first, and what was searched.
    """
    response = base.retriever.search(query)
    return response.model_copy(update={"coverage": _with_interruption(base, response.coverage)})


def _with_interruption(base: KnowledgeBase, coverage: Coverage) -> Coverage:
    is_interrupted = coverage.ingest_running and find_writer(base.data_dir) is None
    return coverage.model_copy(update={"ingest_interrupted": is_interrupted})
