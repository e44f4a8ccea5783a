"""One score from two legs.

Ranks forget how far apart candidates are, and fusing them is worse than the better leg on some sets. What is added here
is evidence: how far the cosine stands out, in deviations, and by how much BM25, boosts included, is above that of the
passages that words just let in, as a share of what the words of the query can score. That share counts the more, the
more the query has to say: words of code searches and short questions stand everywhere, a row of rare words does not.

Passages in another script share next to no word with a query. They get what words usually add to a passage that answers.

Constants were chosen on half of the queries of eight sets and of titles in two languages (2026-11); what they gain on
the other half stands in docs/quality.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kebab_search.hits import Candidate
from kebab_search.ordering import FIRST_POOL

_WORDS = 6.0
_TELLING = 3.0
"""Words of a single passage that a query must be worth for its words to count half of that."""
_ABROAD = 2.4
"""Deviations. With 2.8, a point of nDCG@10 more across languages; up to 1.3 points less within them."""
_MIDDLE = 5.0
_STEEPNESS = 0.7
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


class Words(NamedTuple):
    """What the lexical scores of a query are measured by.

    Attributes:
        most: What its words can score together.
        corpus_size: How many chunks there are.
    """

    most: float
    corpus_size: int

    def share(self, above: float) -> float:
        """Return what a score above the floor says, at least 0, hardly ever above 1."""
        if not self.most:
            return 0.0
        worth = (self.most / math.log1p(max(1, self.corpus_size))) ** 2
        return max(0.0, above) / self.most * worth / (worth + _TELLING**2)


def fuse_calibrated(candidates: Sequence[Weighed], *, words: Words) -> list[Candidate]:
    """Return the candidates with a score in [0, 1] from both legs.

    A candidate without a vector counts as standing out like those with vectors that words rank beside it, so that what
    was not embedded yet is neither lost nor lifted.

    Args:
        candidates: Every one; their scores are lexical.
        words: What those are measured by.
    """
    first = [
        candidate
        for candidate, _ in candidates
        if candidate.lexical_rank is not None and candidate.lexical_rank <= FIRST_POOL
    ]
    floor = min(candidate.score for candidate in first) if len(first) >= FIRST_POOL else 0.0
    usual = _usual_standing(first)
    return [
        candidate._replace(
            score=_squash(
                (usual if candidate.standing is None else candidate.standing)
                + _WORDS * words.share(candidate.score - floor)
                + (_ABROAD if is_foreign else 0.0)
            )
        )
        for candidate, is_foreign in candidates
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


def _usual_standing(first: Iterable[Candidate]) -> float:
    """Return the mean of the first candidates by words that have vectors."""
    ranked = sorted(
        (candidate.lexical_rank or 0, candidate.standing)
        for candidate in first
        if candidate.standing is not None
    )
    nearest = [standing for _, standing in ranked[:_NEIGHBOURS]]
    return math.fsum(nearest) / len(nearest) if nearest else _USUAL_STANDING


def _squash(value: float) -> float:
    return 1 / (1 + math.exp(-_STEEPNESS * (value - _MIDDLE)))
