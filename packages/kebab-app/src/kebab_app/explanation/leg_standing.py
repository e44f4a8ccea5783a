"""Where the best passage of a document stands in one kind of search, as deep as search looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    MODEL_FAILURES,
    ChunkId,
    DocumentId,
    FusionInput,
    LegFailure,
    ScoreKind,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchResponse,
)
from kebab_wire import LegFailureV1, WhyLegV1

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_DEEPEST = 1000
"""Hits that one search can be asked for; a little more is put in order for them."""


class LegStanding(NamedTuple):
    """Where a document stands.

    Attributes:
        mode: Which search.
        best: Its best passage, None where none is among those looked at.
        rank: Of that, from 1.
        kind: What its score is.
        looked_at: How many hits were looked at.
        matches: Whether any of its passages is a hit, however deep.
        is_filtered: Whether all filters were in force.
        failure: Why the search could not be made, or lacked its vectors.
    """

    mode: SearchMode
    best: FusionInput | None = None
    rank: int | None = None
    kind: ScoreKind | None = None
    looked_at: int = 0
    matches: bool = False
    is_filtered: bool = True
    failure: LegFailure | None = None

    def wire(self) -> WhyLegV1:
        """Return it for the wire."""
        failure = self.failure
        return WhyLegV1(
            mode=self.mode,
            rank=self.rank,
            score=self.best.fusion_score if self.best else None,
            score_kind=self.kind if self.best else None,
            chunk_id=self.best.chunk_id if self.best else None,
            looked_at=self.looked_at,
            matches=self.matches,
            filtered=self.is_filtered,
            failure=None
            if failure is None
            else LegFailureV1(code=failure.code, message=failure.message, hint=failure.hint),
        )


def find_standing(
    base: KnowledgeBase, query: SearchQuery, doc_id: DocumentId, chunk_ids: frozenset[ChunkId]
) -> LegStanding:
    """Return where a document stands in a search.

    The search is the one that users make, asked for as many hits as there may be: the rank is the one that they see.

    Args:
        base: The knowledge base.
        query: What is asked, with the mode and the filters to look at; how many hits it asks for does not count.
        doc_id: The document.
        chunk_ids: Its passages.

    Raises:
        InvalidInputError: The query is empty or its full-text syntax is wrong.
        StorageError: The words cannot be searched.
    """
    # One hit is built, whatever is asked for, and the trace tells of all of them.
    deep = query.model_copy(update={"k": _DEEPEST, "max_tokens": 1, "cursor": None, "trace": True})
    response = _search(base, deep)
    if isinstance(response, LegFailure):
        return LegStanding(query.mode, failure=response)
    order = response.trace.rrf_inputs if response.trace else ()
    places = ((rank, one) for rank, one in enumerate(order, start=1) if one.chunk_id in chunk_ids)
    rank, best = next(places, (None, None))
    return LegStanding(
        query.mode,
        best,
        rank,
        kind=response.hits[0].score_kind if response.hits else None,
        looked_at=len(order),
        matches=best is not None or _matches(base, deep, doc_id),
        failure=response.coverage.leg_failure,
    )


def _search(base: KnowledgeBase, query: SearchQuery) -> SearchResponse | LegFailure:
    """Return what is found, or why nothing can be looked for by meaning alone: other modes do without vectors."""
    if query.mode is not SearchMode.VECTOR:
        return base.retriever.search(query)
    try:
        return base.retriever.search(query)
    except MODEL_FAILURES as error:
        return LegFailure(code=error.code, message=error.message, hint=error.hint)


def _matches(base: KnowledgeBase, deep: SearchQuery, doc_id: DocumentId) -> bool:
    """Return whether a document is found where it is alone."""
    alone = deep.model_copy(update={"filters": SearchFilters(doc_id=(doc_id,)), "k": 1})
    return bool(base.retriever.search(alone).hits)
