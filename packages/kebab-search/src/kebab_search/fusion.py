"""Fusion of lexical and vector search: candidates of both are merged, and each gets one score.

Ranks forget how far apart candidates are, and fusing ranks is worse than the better search alone on some sets. So the
calibrated score adds evidence: the z-score of the cosine, and a gain for BM25, boosts included, above that of the weakest
of the first lexical candidates. The gain is the greater of two. A sum: BM25 adds the weights of words, and a word weighs
the same in a long query and in a short one. A share of the most that all words of the query can score, squared: any
passage about the subject holds some of them, few hold all, so that all count four times as much as half. The sum suits
queries in other words than the text's, where words mislead; the share suits titles, names and copied sentences.

Passages in another script share next to no word with a query. They get a share of the best gain in the query's script:
nothing if no passage holds the words, and never so much that a passage with all words and the same z-score comes after
one without any. Of two translations of a page, the one in the query's script comes first.

Constants were chosen on half of the queries of eight sets and of titles in two languages (2026-11); docs/quality.md has
the gain on the other half. Used by `SearchRetriever` in the modes vector and hybrid.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kebab_core import (
    ChunkId,
    DocumentSet,
    DocumentStore,
    IndexedChunk,
    SearchMode,
    SearchSettings,
)
from kebab_text import script_of_language

from kebab_search.lexical_search import LexicalResult, QueryAnalysis
from kebab_search.query import is_bound
from kebab_search.ranking import FIRST_POOL, Candidate, pool_of, pool_size, step_above
from kebab_search.translations import page_key
from kebab_search.vector_search import VectorQuery, VectorSearch

FUSION = "fusion@4"
"""Version of the fused order. Change it with the order, so that older cursors become stale."""
_EACH_WORD = 0.5
"""Gain, in z-scores, for the weight of a word that one passage holds."""
_ALL_WORDS = 2.5
"""Gain, in z-scores, for the most that all words of the query can score."""
_LEAST_WORDS = 0.8
"""Lower bound of the scale, in words that one passage holds: even all words of a query of few common words prove little."""
_CROSS_SCRIPT_SHARE = 0.7
"""With 0.6, titles find the page in the other language less well by a point of nDCG@10; with 0.8 no better, but of the
first five for a plain question, where every page is there in both languages, a tenth more are in the other (2026-11)."""
_UNKNOWN_TERM_PENALTY = 1.5
"""For a query of words that no passage holds: mostly the index says nothing of its subject, however similar the nearest."""
_SIGMOID_MIDDLE = 5.0
"""Value with score 0.5."""
_SIGMOID_STEEPNESS = 0.7
_NEIGHBOURS = 10
"""Candidates whose mean z-score stands for that of a candidate without a vector."""
_PRIOR_Z_SCORE = 3.0
"""Mean z-score of a passage that holds words of the query; for a candidate without a vector, if no other has one."""
_LEAD = 2.0
"""z-scores by which a translation may be ahead and still comes second. Of the first five for a plain question where
every page is there twice, half are in the other language then instead of two thirds; without a limit a third, but titles
find the page in the other language less well by two points of nDCG@10 (2026-11)."""
_NEXT = 1e-6


class LexicalScale(NamedTuple):
    """The scale of a query's lexical scores.

    Attributes:
        max_score: The most that its words can score together.
        corpus_size: Chunks in the index.
        known_share: Share of that score that belongs to words which chunks hold, in [0, 1].
    """

    max_score: float
    corpus_size: int
    known_share: float = 1.0

    def gain(self, above: float) -> float:
        """Convert a lexical score above that of the weakest candidate to z-scores, at least 0."""
        word, held = math.log1p(max(1, self.corpus_size)), max(0.0, above)
        share = held / max(self.max_score, _LEAST_WORDS * word)
        return max(_EACH_WORD * held / word, _ALL_WORDS * share**2)


def merge_candidates(
    analysis: QueryAnalysis,
    query: VectorQuery,
    lexical: LexicalResult,
    *,
    vectors: VectorSearch,
    documents: DocumentStore,
    within: DocumentSet | None,
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
        merged.append(
            candidate._replace(
                cosine=similarity.cosine if similarity else None,
                z_score=similarity.z_score if similarity else None,
                is_cross_script=script_of_language(item.document.lang) is not query.script,
            )
        )
    return merged


def score_candidates(
    candidates: Sequence[Candidate], analysis: QueryAnalysis, *, mode: SearchMode, settings: SearchSettings
) -> list[Candidate]:
    """Score merged candidates by the mode and `search.hybrid_fusion`; those that are no hits are left out."""
    if mode is SearchMode.VECTOR:
        return _score_by_similarity(candidates)
    if settings.hybrid_fusion == "rrf":
        return fuse_ranks(candidates, k=settings.rrf_k)
    weighted = analysis.weighted
    scale = LexicalScale(weighted.max_weight, analysis.corpus_size, weighted.known_share)
    return fuse_calibrated(candidates, scale=scale)


def fuse_calibrated(candidates: Sequence[Candidate], *, scale: LexicalScale) -> list[Candidate]:
    """Score candidates in [0, 1] by z-score and lexical gain.

    A candidate without a vector gets the mean z-score of its lexical neighbours, so that what was not embedded yet is
    neither lost nor lifted; the fewer of them have a vector, the more it gets the best z-score of all.

    Args:
        candidates: All of them; their scores are lexical.
        scale: Of the lexical scores.
    """
    first = [one for one in candidates if one.lexical_rank is not None and one.lexical_rank <= FIRST_POOL]
    weakest = min(one.score for one in first) if len(first) >= FIRST_POOL else 0.0
    substitute = _substitute_z_score(first, best=_best_z_score(candidates))
    same_script = (scale.gain(one.score - weakest) for one in first if not one.is_cross_script)
    cross_script_gain = _CROSS_SCRIPT_SHARE * max(same_script, default=0.0)
    unknown_term_penalty = _UNKNOWN_TERM_PENALTY * (1 - scale.known_share)

    def value_of(candidate: Candidate) -> float:
        z_score = substitute if candidate.z_score is None else candidate.z_score
        gain = scale.gain(candidate.score - weakest)
        return z_score + gain + (cross_script_gain if candidate.is_cross_script else 0.0)

    values = prefer_query_script(candidates, [value_of(candidate) for candidate in candidates])
    return [
        candidate._replace(score=sigmoid(value - unknown_term_penalty))
        for candidate, value in zip(candidates, values, strict=True)
    ]


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


def prefer_query_script(candidates: Sequence[Candidate], values: Sequence[float]) -> Sequence[float]:
    """Raise passages in the query's script above their translations if these are not far ahead.

    A page and its translation say the same; which has the higher z-score is chance, and readers want the one in the
    language they asked in. Translations are recognized by their names alone: `ko/search.md` and `en/search.md`, `README.md`
    and `README.ko.md`. The best passage of a page is compared with the best of its translation, the second with the
    second, and so on; only among those for the first places, so that no value depends on how many hits are asked for.

    Args:
        candidates: Passages.
        values: Their values in z-scores.

    Returns:
        The values, in the order of the candidates.
    """
    if not any(candidate.is_cross_script for candidate in candidates):
        return values
    places: dict[tuple[str, ...], tuple[list[int], list[int]]] = {}
    for at, candidate in enumerate(candidates):
        if candidate.depth <= FIRST_POOL:
            pages = places.setdefault(page_key(candidate.passage.document), ([], []))
            pages[candidate.is_cross_script].append(at)
    raised = list(values)
    for own, others in places.values():
        for held in (own, others):
            held.sort(key=lambda at: -values[at])
        for at, other in zip(own, others, strict=False):
            if 0 <= values[other] - values[at] <= _LEAD:
                raised[at] = values[other] + _NEXT
    return raised


def sigmoid(value: float) -> float:
    """Map a value in z-scores to (0, 1); 5 gives a half."""
    return 1 / (1 + math.exp(-_SIGMOID_STEEPNESS * (value - _SIGMOID_MIDDLE)))


def _score_by_similarity(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Score by z-score, in (0, 1): cosines of passages in two scripts do not compare."""
    return [
        candidate._replace(score=sigmoid(candidate.z_score))
        for candidate in candidates
        if candidate.z_score is not None
    ]


def _substitute_z_score(first: Iterable[Candidate], *, best: float) -> float:
    """Average the first lexical candidates that have vectors; the fewer have one, the more `best` counts."""
    ranked = sorted(first, key=lambda candidate: candidate.lexical_rank or 0)
    known = [candidate.z_score for candidate in ranked if candidate.z_score is not None][:_NEIGHBOURS]
    if not known:
        return best
    neighbours = ranked[:_NEIGHBOURS]
    lacking = sum(candidate.z_score is None for candidate in neighbours) / len(neighbours)
    return (1 - lacking) * math.fsum(known) / len(known) + lacking * best


def _best_z_score(candidates: Iterable[Candidate]) -> float:
    """Find the highest z-score of the candidates; the prior mean if that is higher."""
    known = (candidate.z_score for candidate in candidates if candidate.z_score is not None)
    return max([_PRIOR_Z_SCORE, *known])


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
