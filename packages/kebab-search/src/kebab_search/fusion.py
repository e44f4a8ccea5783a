"""Fusion of lexical and vector search: candidates of both are merged, and each gets one score.

Ranks forget how far apart candidates are, and fusing ranks is worse than the better search alone on some sets. So the
score adds evidence in one unit: the z-score of the cosine among the passages of the same script, the share of the query's
words in one sentence, and the match of the query with a name of the document. A passage in another script is there on its
own evidence alone. See `score`; used by `SearchRetriever` in the modes vector and hybrid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import ChunkId, IndexedChunk
from kebab_text import script_of_language

from kebab_search.folding import page_key
from kebab_search.lexical_search import LexicalResult, QueryAnalysis
from kebab_search.query import is_bound
from kebab_search.ranking import FIRST_POOL, FIRST_STEP, Candidate, pool_of, pool_size, step_above
from kebab_search.score import LEAST_SCORE
from kebab_search.vector_search import VectorQuery, VectorSearch

if TYPE_CHECKING:
    from kebab_core import DocumentStore, Selection

_RESERVED_PLACES = 2
"""Places of the first ten that are reserved for passages in another script than the query."""
_LEAST_Z_SCORE = 2.0
"""Least z-score of a passage in a reserved place."""
FUSION = "fusion@10"
"""Version of the fused order. Change it with the order, so that older cursors become stale."""


def merge_candidates(
    analysis: QueryAnalysis,
    query: VectorQuery,
    lexical: LexicalResult,
    *,
    vectors: VectorSearch,
    documents: DocumentStore,
    within: Selection | None,
    places: int,
) -> list[Candidate]:
    """List the candidates of lexical and vector search for the first `places` ranks, each chunk once.

    Args:
        analysis: The query for lexical search.
        query: The query for vector search.
        lexical: The lexical candidates for as many places; scores are BM25 with boosts, 0 for a candidate without.
        vectors: Vector search.
        documents: The documents of the chunks.
        within: Only chunks of these; None is all of them.
        places: Places of the result, at least 1.
    """
    by_words = {candidate.chunk_id: candidate for candidate in lexical.merged()}
    ranks: dict[ChunkId, int] = {}
    if not is_bound(analysis.parsed):
        nearest = vectors.nearest(
            query,
            depth=pool_size(step_above(places)),
            documents=within,
            min_score=vectors.min_score(query, has_known_terms=bool(analysis.weighted.searched)),
        )
        ranks = {chunk_id: rank for rank, chunk_id in enumerate(nearest, start=1)}
    passages = {chunk_id: candidate.passage for chunk_id, candidate in by_words.items()}
    others = [chunk_id for chunk_id in ranks if chunk_id not in passages]
    passages |= {item.chunk.chunk_id: item for item in documents.get_chunks(others)}
    similarities = vectors.similarities(
        query, [(chunk_id, item.document.lang) for chunk_id, item in passages.items()]
    )
    by_surface = {candidate.chunk_id for candidate in lexical.by_surface}
    analysis.match.look_up_names(passages.values())
    merged: list[Candidate] = []
    for chunk_id, item in passages.items():
        similarity = similarities.get(chunk_id)
        if similarity is None and chunk_id not in by_words:
            continue  # its vector has gone since it was found
        candidate = _merge_ranks(
            item,
            by_words.get(chunk_id),
            ranks.get(chunk_id) if similarity else None,
            is_by_surface=chunk_id in by_surface,
        )
        symbol, symbol_match = analysis.match.symbol(item)
        merged.append(
            candidate._replace(
                cosine=similarity.cosine if similarity else None,
                z_score=similarity.z_score if similarity else None,
                above_chance=similarity.above_chance if similarity else 0.0,
                is_cross_script=script_of_language(item.document.lang) is not query.script,
                share=analysis.match.share(item),
                name=analysis.match.name(item.document),
                heading=analysis.match.heading(item),
                symbol=symbol,
                symbol_match=symbol_match,
            )
        )
    return merged


def fuse_ranks(candidates: Iterable[Candidate], *, k: int) -> list[Candidate]:
    """Score candidates by reciprocal rank fusion: the sum over its maximum, in [0, 1].

    Args:
        candidates: All of them.
        k: Smoothing constant: the greater, the less the first ranks differ.
    """
    most = 2 / (k + 1)
    return [
        candidate._replace(
            score=sum(
                1 / (k + rank) for rank in (candidate.lexical_rank, candidate.vector_rank) if rank is not None
            )
            / most
        )
        for candidate in candidates
    ]


def fill_reserved_places(
    found: Sequence[Candidate], scored: Sequence[Candidate], *, is_folded: bool
) -> list[Candidate]:
    """Fill the reserved places with the nearest passages in another script than the query.

    A passage in the script of the query holds some of its words and beats one that says the same in another script. So a passage
    in a reserved place has the score of the hit before these places, if that is more than its own. Where there are fewer hits it needs no
    place among the first ten, and comes last with `LEAST_SCORE`. None is filled where scores have brought as many passages in
    another script among the first ten. Source code, and pages whose translation stands before the reserved places, get none.

    Args:
        found: The candidates, with z-scores.
        scored: Those of them that may be hits, with scores.
        is_folded: True if a place is that of a document, false if it is that of a passage.

    Returns:
        `scored`, with the passages in reserved places and their scores.
    """

    def place_of(one: Candidate) -> str:
        return one.passage.document.doc_id if is_folded else one.chunk_id

    first: dict[str, Candidate] = {}
    for one in sorted(scored, key=lambda one: -one.score):
        if one.depth <= FIRST_POOL and one.score >= LEAST_SCORE and len(first) < FIRST_STEP:
            first.setdefault(place_of(one), one)
    free = _RESERVED_PLACES - sum(one.is_cross_script for one in first.values())
    before = list(first.values())[: FIRST_STEP - _RESERVED_PLACES]
    if not before or free <= 0:
        return list(scored)
    pages = {page_key(one.passage.document) for one in before}
    near: dict[str, Candidate] = {}
    for one in sorted(found, key=lambda one: -(one.z_score or 0.0)):
        is_near = (one.z_score or 0.0) >= _LEAST_Z_SCORE and one.depth <= FIRST_POOL
        is_other = one.is_cross_script and one.passage.chunk.role is None
        is_new = place_of(one) not in first and page_key(one.passage.document) not in pages
        if is_near and is_other and is_new:
            near.setdefault(place_of(one), one)
    score = before[-1].score if len(before) == FIRST_STEP - _RESERVED_PLACES else LEAST_SCORE
    own = {one.chunk_id: one.score for one in scored}
    reserved = {
        one.chunk_id: one._replace(score=max(score, own.get(one.chunk_id, 0.0)))
        for one in list(near.values())[:free]
    }
    return [*(one for one in scored if one.chunk_id not in reserved), *reserved.values()]


def _merge_ranks(
    item: IndexedChunk, by_words: Candidate | None, rank: int | None, *, is_by_surface: bool
) -> Candidate:
    """Merge both ranks of a chunk, each only within the depth at which the chunk becomes a candidate.

    A deeper rank would be known only when more hits are asked for.
    """
    if by_words is None:
        return Candidate(item, None, None, 0.0, rank)
    if is_by_surface:
        return by_words._replace(vector_rank=_within(FIRST_POOL, rank))
    pool = pool_of(by_words._replace(vector_rank=rank).depth)
    if _within(pool, by_words.lexical_rank) is None:
        return Candidate(item, None, None, 0.0, rank)
    return by_words._replace(vector_rank=_within(pool, rank))


def _within(pool: int, rank: int | None) -> int | None:
    return rank if rank is not None and rank <= pool else None
