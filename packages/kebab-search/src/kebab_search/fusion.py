"""One score from two legs.

Ranks forget how far apart candidates are, and fusing them is worse than the better leg on most sets. Fused scores are
not: how far the cosine stands out, and three times the BM25, boosts included, as a share of the most that the words of
the query can score. Constants were chosen on half of the queries of eight sets (2026-11); what they gain on the others
stands in docs/quality.md.

Passages in another script hold next to no word of the query. What words say of the passages in its own script would
put all of those first, the more words the best of them holds; so the others get about as much as that best one has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kebab_search.hits import Candidate
from kebab_search.ordering import FIRST_POOL

_WORDS = 3.0
_WORDS_ABROAD = 1.0
"""The same for passages in another script: names and code that both share."""
_BEST_AT_HOME = 3.5
_ABROAD = -0.5
_MIDDLE = 7.0
_STEEPNESS = 0.5
_NEIGHBOURS = 10
_USUAL_STANDING = 3.0
"""Of a passage that holds words of the query, where none of its like has a vector yet."""


class Weighed(NamedTuple):
    """A candidate with what speaks for it.

    Attributes:
        candidate: Its score is BM25 with boosts, 0 where words did not find it.
        is_foreign: Whether it is in another script than the query.
    """

    candidate: Candidate
    is_foreign: bool

    def word_share(self, most: float) -> float:
        """Return its lexical score as a share of the most that the words of the query can score."""
        return self.candidate.score / most if most else 0.0


def fuse_calibrated(candidates: Sequence[Weighed], *, most: float) -> list[Candidate]:
    """Return the candidates with a score in [0, 1] from both legs.

    A candidate without a vector counts as standing out like those with vectors that words rank beside it, so that what
    was not embedded yet is neither lost nor lifted.

    Args:
        candidates: Every one.
        most: What the words of the query can score together.
    """
    usual = _usual_standing(candidates)
    at_home = [
        weighed.word_share(most)
        for weighed in candidates
        if not weighed.is_foreign and (weighed.candidate.lexical_rank or FIRST_POOL + 1) <= FIRST_POOL
    ]
    best = max(at_home, default=0.0)
    return [
        weighed.candidate._replace(score=_squash(_sum(weighed, usual=usual, most=most, best_at_home=best)))
        for weighed in candidates
    ]


def fuse_ranks(candidates: Iterable[Weighed], *, k: int) -> list[Candidate]:
    """Return the candidates with the sum of their reciprocal ranks over the most it can be, in [0, 1].

    Args:
        candidates: Every one.
        k: Smooths: the greater, the less the first ranks differ.
    """
    most = 2 / (k + 1)
    return [
        candidate._replace(
            score=sum(
                1 / (k + rank) for rank in (candidate.lexical_rank, candidate.vector_rank) if rank is not None
            )
            / most
        )
        for candidate, _ in candidates
    ]


def _sum(weighed: Weighed, *, usual: float, most: float, best_at_home: float) -> float:
    known = weighed.candidate.standing
    standing = usual if known is None else known
    words = weighed.word_share(most)
    if weighed.is_foreign:
        return standing + _WORDS_ABROAD * words + _BEST_AT_HOME * best_at_home + _ABROAD
    return standing + _WORDS * words


def _usual_standing(candidates: Iterable[Weighed]) -> float:
    """Return the mean of the first candidates by words that have vectors."""
    ranked = sorted(
        (candidate.lexical_rank, candidate.standing)
        for candidate, _ in candidates
        if candidate.lexical_rank is not None
        and candidate.lexical_rank <= FIRST_POOL
        and candidate.standing is not None
    )
    first = [standing for _, standing in ranked[:_NEIGHBOURS]]
    return math.fsum(first) / len(first) if first else _USUAL_STANDING


def _squash(value: float) -> float:
    return 1 / (1 + math.exp(-_STEEPNESS * (value - _MIDDLE)))
