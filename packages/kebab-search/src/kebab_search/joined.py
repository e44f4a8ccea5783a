"""Both legs together: every passage that either of them finds, with what both say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kebab_core import ChunkId, DocumentSet, DocumentStore, IndexedChunk

from kebab_search.fusion import Weighed
from kebab_search.hits import Candidate
from kebab_search.lexical_leg import LexicalFinds
from kebab_search.ordering import FIRST_POOL, pool_of, pool_size, step_above
from kebab_search.query import ParsedQuery
from kebab_search.question import Question
from kebab_search.scripts import script_of_language
from kebab_search.sides import Near, Placed, VectorQuestion
from kebab_search.vector_leg import VectorLeg


def is_bound(parsed: ParsedQuery) -> bool:
    """Return whether a query says which letters every hit must hold, or has none, so that meaning can only rank."""
    return parsed.raw is not None or bool(parsed.phrases) or not any(map(str.isalnum, parsed.words))


class Asked(NamedTuple):
    """A query put to both legs.

    Attributes:
        question: To the lexical index.
        near: To the vector index.
        is_bound: Whether only what words find is a hit.
    """

    question: Question
    near: VectorQuestion
    is_bound: bool


class JoinedLegs:
    """Joins what two legs found.

    Args:
        documents: What chunks belong to.
        vectors: The vector leg; the lexical one has been asked before.
    """

    def __init__(self, documents: DocumentStore, vectors: VectorLeg) -> None:
        self._documents = documents
        self._vectors = vectors

    def find(
        self, asked: Asked, words: LexicalFinds, documents: DocumentSet | None, *, places: int
    ) -> list[Weighed]:
        """Return the chunks to give so many places to.

        Args:
            asked: The query.
            words: What the lexical leg found, for as many places.
            documents: Only chunks of these; None is all of them.
            places: How many places there are to give.
        """
        by_words = {candidate.chunk_id: candidate for candidate in words.every()}
        nearest = {} if asked.is_bound else self._nearest(asked, documents, places=places)
        found = {chunk_id: candidate.found for chunk_id, candidate in by_words.items()}
        others = [chunk_id for chunk_id in nearest if chunk_id not in found]
        found |= {item.chunk.chunk_id: item for item in self._documents.get_chunks(others)}
        placed = self._vectors.place(
            asked.near, [(chunk_id, item.document.lang) for chunk_id, item in found.items()]
        )
        beside = {candidate.chunk_id for candidate in words.beside}
        joined = (
            _join(
                item,
                by_words.get(chunk_id),
                nearest.get(chunk_id) if chunk_id in placed else None,
                is_beside=chunk_id in beside,
            )
            for chunk_id, item in found.items()
            if chunk_id in placed or chunk_id in by_words  # a vector may have gone since it was found
        )
        return [_weigh(candidate, asked.near, placed.get(candidate.chunk_id)) for candidate in joined]

    def _nearest(self, asked: Asked, documents: DocumentSet | None, *, places: int) -> Mapping[ChunkId, Near]:
        """Return the nearest chunks that are near enough to be hits for that alone."""
        floor = self._vectors.floor(asked.near, knows_words=bool(asked.question.weighted.searched))
        depth = pool_size(step_above(places))
        nearest = self._vectors.nearest(asked.near, depth=depth, documents=documents, floor=floor)
        return {near.chunk_id: near for near in nearest}


def _join(item: IndexedChunk, by_words: Candidate | None, near: Near | None, *, is_beside: bool) -> Candidate:
    """Return a chunk with what either leg says of it within the depth at which it comes in.

    What lies deeper would be known only when more hits are asked for.
    """
    rank = near.rank if near else None
    if by_words is None:
        return Candidate(item, None, None, 0.0, rank)
    if is_beside:
        return by_words._replace(vector_rank=_within(FIRST_POOL, rank))
    pool = pool_of(by_words._replace(vector_rank=rank).depth)
    if _within(pool, by_words.lexical_rank) is None:
        return Candidate(item, None, None, 0.0, rank)
    return by_words._replace(vector_rank=_within(pool, rank))


def _within(pool: int, rank: int | None) -> int | None:
    return rank if rank is not None and rank <= pool else None


def _weigh(candidate: Candidate, near: VectorQuestion, place: Placed | None) -> Weighed:
    is_foreign = script_of_language(candidate.found.document.lang) is not near.script
    if place is None:
        return Weighed(candidate, is_foreign)
    return Weighed(candidate._replace(cosine=place.cosine, standing=place.standing), is_foreign)
