"""Score of a hit: the probability that the passage is about what was asked, on one scale in every mode.

Evidence is counted in z-scores: that of the cosine above the highest that chance gives among so many passages, and what
words and names add. A word that no passage holds speaks against all of them. Below 0 nothing is a hit.

The constants were chosen with `bench/fusion_features.py` (2026-11); docs/quality.md has the figures.
Used by `fusion` and by `SearchRetriever`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from kebab_core import SearchMode

from kebab_search.lexical_search import QueryAnalysis
from kebab_search.query import is_bound
from kebab_search.ranking import FIRST_POOL, Candidate

SCORE = "score@2"
"""Version of the score. Change it with the score, so that older cursors become stale."""
_SHARE = 3.5
"""Evidence of all words of the query in one sentence, and of a query that is a heading."""
_NAME = 5.0
"""Evidence of a query that is a name of the document; a match counts squared, since half a name says little."""
_CROSS_SCRIPT = 2.5
"""Least evidence of a passage in another script that words do not find, beside passages that they do. Strangers among the
first five hits, hand-written queries: 0.8 and 0.9 % instead of 5.7 and 5.2 (2026-11)."""
_MIDDLE = 3.3
"""Evidence of the best passage with score 0.5."""
_STEEPNESS = 0.5
_PRIOR_PASSAGES = 300
"""Passages of which a word that none of them holds says half as much as of a large index: a few notes know few words. Over
18 sets, from 10 to 15,000 passages, 1.9 % of right hits are lost instead of 2.7 %, and 85 % instead of 88 % of queries
about something else find nothing (2026-11)."""


def chance_z_score(passages: float) -> float:
    """Estimate the highest z-score among so many passages that have nothing to do with a query."""
    return math.sqrt(2 * math.log(max(passages, 1.0)))


def score_candidates(
    candidates: Iterable[Candidate], analysis: QueryAnalysis, *, mode: SearchMode
) -> list[Candidate]:
    """Score candidates in [0, 1]; those that are no hits are left out.

    The score of a passage behind the best one is lowered by how far it is behind. Left out are, in vector mode, passages
    without a vector, and in hybrid mode passages in another script that lexical search does not find and that have little
    evidence, if any candidate is in the script of the query or holds a word of it.

    Args:
        candidates: In lexical mode with BM25, boosts included; else with z-score, share and name.
        analysis: The query.
        mode: The search that found them.
    """
    if mode is SearchMode.LEXICAL:
        found = [
            one._replace(
                name=analysis.match.name(one.passage.document), heading=analysis.match.heading(one.passage)
            )
            for one in candidates
        ]
        value_of = _lexical_evidence(found, analysis)
    elif mode is SearchMode.VECTOR:
        found = [one for one in candidates if one.z_score is not None]
        # Words do not count here: those of a similar passage speak for it as much as its similarity, on average.
        value_of = lambda one: 2 * _above_chance(one, analysis)  # noqa: E731
    else:
        found = list(candidates)
        value_of = lambda one: _evidence(one, analysis)  # noqa: E731
    values = [value_of(one) for one in found]
    best = max(
        (value for one, value in zip(found, values, strict=True) if one.depth <= FIRST_POOL), default=0.0
    )
    has_words = any(one.share or not one.is_cross_script for one in found)
    limit = _CROSS_SCRIPT if mode is SearchMode.HYBRID and has_words and best >= 0 else -math.inf
    return [
        one._replace(score=_probability(value - max(0.0, best - value)))
        for one, value in zip(found, values, strict=True)
        if value >= limit or one.lexical_rank is not None or not one.is_cross_script
    ]


def has_evidence(
    candidates: Iterable[Candidate],
    analysis: QueryAnalysis,
    *,
    mode: SearchMode,
    asks_for_language: bool = False,
) -> bool:
    """True if something speaks for the best passage, one holds every word, or the query says itself what is a hit.

    Only candidates for the first places count, so that it does not depend on how many hits are asked for.

    Args:
        candidates: As for `score_candidates`.
        analysis: The query.
        mode: The search that found them.
        asks_for_language: True for a query in one script that asks for passages in another, whose words cannot speak.
    """
    first = [one for one in candidates if one.depth <= FIRST_POOL]
    if is_bound(analysis.parsed) or analysis.parsed.prefixes or asks_for_language:
        return bool(first)
    value_of: Callable[[Candidate], float] = (
        _lexical_evidence(first, analysis)
        if mode is SearchMode.LEXICAL
        else lambda one: _evidence(one, analysis)
    )
    if any(value_of(one) >= 0 for one in first):
        return True
    is_lexical = mode is SearchMode.LEXICAL  # others have the share
    return any((analysis.match.share(one.passage) if is_lexical else one.share) >= 1 for one in first)


def _evidence(candidate: Candidate, analysis: QueryAnalysis) -> float:
    of_words = _SHARE * candidate.share + _of_names(candidate)
    # A passage in another script cannot hold the words; how much that says depends on how many passages could.
    weight = analysis.script_share if candidate.is_cross_script else 1.0
    return _above_chance(candidate, analysis) + of_words - weight * _unknown_words(analysis)


def _above_chance(candidate: Candidate, analysis: QueryAnalysis) -> float:
    """Compute the z-score above that of chance; a passage without a vector counts as similar as chance makes one."""
    return 0.0 if candidate.z_score is None else candidate.z_score - chance_z_score(analysis.corpus_size)


def _unknown_words(analysis: QueryAnalysis) -> float:
    """Compute what speaks against all passages: the share of words that none holds, which says more of many passages."""
    passages = analysis.corpus_size
    weight = passages / (passages + _PRIOR_PASSAGES)
    return weight * chance_z_score(passages) * (1 - analysis.weighted.known_share)


def _lexical_evidence(
    candidates: Sequence[Candidate], analysis: QueryAnalysis
) -> Callable[[Candidate], float]:
    """Make the evidence of lexical search.

    In place of the share it has the BM25, boosts included, above that of the weakest of a full first pool, over the most
    that all words weigh: what any of many passages holds says nothing.
    """
    pool = [
        one.score for one in candidates if one.lexical_rank is not None and one.lexical_rank <= FIRST_POOL
    ]
    weakest = min(pool) if len(pool) >= FIRST_POOL else 0.0
    most = max(1.0, analysis.weighted.max_weight)
    unknown = _unknown_words(analysis)
    return lambda one: _SHARE * (one.score - weakest) / most + _of_names(one) - unknown


def _of_names(candidate: Candidate) -> float:
    return max(_NAME * candidate.name**2, _SHARE * candidate.heading**2)


def _probability(value: float) -> float:
    return 1 / (1 + math.exp(-_STEEPNESS * (value - _MIDDLE)))
