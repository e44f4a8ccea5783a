"""Reranking: the first hits in the order of a model that reads query and passage together. Called by `ResponseBuilder`.

The hits are those of the order by score, `RERANKED` at most, whatever page is asked for, so that pages together are the
result; a hit is scored by the passage that it shows, and keeps its further passages, translations, copies and score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import RERANKED, CancelToken, IndexedChunk, passage_text

from kebab_search.folding import FoldedOrder

if TYPE_CHECKING:
    from kebab_core import Reranker

RERANKING = "rerank-v1"
"""Version of the order, part of cursors with the name of the model."""
DEPTH = 2 * RERANKED
"""Places that are looked at: documents with several passages leave fewer hits than places."""


def rerank(
    order: FoldedOrder, query: str, *, first: int, reranker: Reranker, cancel: CancelToken
) -> FoldedOrder:
    """Order the first hits by the scores of a reranker, equal ones as before; the others stay behind them.

    Args:
        order: Hits by score.
        query: As typed.
        first: Hits that are reranked.
        reranker: Scores them.
        cancel: Looked at before each passage.

    Raises:
        WorkCancelledError: The search was cancelled.
    """
    head = order.hits[:first]
    scores = reranker.score(query, [_text_of(hit.passage) for hit in head], cancel=cancel)
    places = sorted(range(len(head)), key=lambda at: (-scores[at], at))
    hits = [head[at]._replace(rerank_score=scores[at]) for at in places]
    ranks = {before + 1: rank for rank, before in enumerate(places, start=1)}
    return FoldedOrder(
        [*hits, *order.hits[first:]],
        {doc_id: ranks.get(rank, rank) for doc_id, rank in order.hit_ranks.items()},
    )


def _text_of(passage: IndexedChunk) -> str:
    chunk = passage.chunk
    return passage_text(
        title=passage.document.title,
        heading_path=chunk.heading_path,
        text=chunk.text,
        is_code=chunk.role is not None,
    )
