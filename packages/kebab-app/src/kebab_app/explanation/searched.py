"""What becomes of a stored document when something is searched for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import ChunkId, LegFailure, NotIndexedError, SearchMode, SearchQuery
from kebab_search import Nearness, PassageExaminer, is_bound, parse_query
from kebab_wire import WhyLegV1, WhyPassageV1, WhyTermV1

from kebab_app.explanation.answer_gate import tell_gate
from kebab_app.explanation.blocking_filters import tell_filters, without
from kebab_app.explanation.leg_standing import LegStanding, find_standing
from kebab_app.explanation.meaning import read_nearness, tell_meaning
from kebab_app.explanation.met_words import tell_words, wire_words
from kebab_app.explanation.outcome import Asked, tell_outcome
from kebab_app.explanation.stored import Stored, wire_passage

if TYPE_CHECKING:
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase

_LEGS = {
    SearchMode.LEXICAL: (SearchMode.LEXICAL,),
    SearchMode.VECTOR: (SearchMode.VECTOR,),
    SearchMode.HYBRID: (SearchMode.LEXICAL, SearchMode.VECTOR, SearchMode.HYBRID),
}


class Searched(NamedTuple):
    """What a query meets.

    Attributes:
        terms: What it asks for.
        legs: Where the document stands in each kind of search.
        passages: Of the document, with what the query meets in each.
    """

    terms: tuple[WhyTermV1, ...]
    legs: tuple[WhyLegV1, ...]
    passages: tuple[WhyPassageV1, ...]


def look_for(base: KnowledgeBase, stored: Stored, query: SearchQuery, way: Way) -> Searched | None:
    """Follow a document through a search.

    Args:
        base: The knowledge base.
        stored: The document.
        query: What is asked.
        way: Gets the steps.

    Returns:
        What the query meets; None where the index cannot be searched.

    Raises:
        InvalidInputError: The query is empty or its full-text syntax is wrong.
    """
    ordinals = {chunk.chunk_id: chunk.ordinal for chunk in stored.chunks}
    examiner = PassageExaminer(index=base.lexical_index, documents=base.documents, analyzer=base.analyzer)
    try:
        words = wire_words(examiner.words(query.text, stored.document.doc_id), ordinals)
    except NotIndexedError as error:
        way.stop("not_searchable", "words", error.message, fix=error.hint)
        return None
    blocking = tell_filters(base, stored.document, query.filters, way)
    allowed = query.model_copy(update={"filters": without(query.filters, blocking)})
    are_searched = query.mode is not SearchMode.VECTOR or is_bound(parse_query(query.text))
    tell_words(words, way, are_searched=are_searched)
    nearness: list[Nearness] | LegFailure = []
    if query.mode is not SearchMode.LEXICAL:
        nearness = read_nearness(base, examiner, query, stored)
        tell_meaning(nearness, ordinals, way)
    standings = _find_standings(base, stored, allowed, is_filtered=not blocking)
    tell_outcome(base, Asked(query, stored, words, standings[-1], nearness), way)
    if way.verdict is None:
        tell_gate(base, query, stored.document.doc_id, way)
    near = {} if isinstance(nearness, LegFailure) else {one.chunk_id: one for one in nearness}
    return Searched(
        words,
        tuple(standing.wire() for standing in standings),
        tuple(_passage(stored, at, words, near) for at in range(len(stored.chunks))),
    )


def _find_standings(
    base: KnowledgeBase, stored: Stored, query: SearchQuery, *, is_filtered: bool
) -> list[LegStanding]:
    chunk_ids = frozenset(chunk.chunk_id for chunk in stored.chunks)
    return [
        find_standing(
            base, query.model_copy(update={"mode": mode}), stored.document.doc_id, chunk_ids
        )._replace(is_filtered=is_filtered)
        for mode in _LEGS[query.mode]
    ]


def _passage(
    stored: Stored, at: int, words: tuple[WhyTermV1, ...], near: dict[ChunkId, Nearness]
) -> WhyPassageV1:
    chunk = stored.chunks[at]
    met = tuple(word.text for word in words if chunk.ordinal in word.passages)
    place = near.get(chunk.chunk_id)
    return wire_passage(stored, chunk).model_copy(
        update={
            "terms": met,
            "cosine": place.cosine if place else None,
            "standing": place.standing if place else None,
            "floor": place.floor if place else None,
        }
    )
