"""One score from two legs.

Ranks forget how far apart candidates are, and fusing them is worse than the better leg on some sets. What is added here
is evidence: how far the cosine stands out, in deviations, and by how much BM25, boosts included, is above that of the
passages that words just let in. That counts in one of two ways, whichever gives more. As a sum: BM25 adds up what each
word tells, and a word tells the same in a long question and in a short one. As a share of what all words of the query
can score, squared: any passage about the subject holds some of them, few hold all, so that all count four times as much
as half. The sum speaks for questions in other words than the text's, where words mislead; the share for titles, names
and sentences that are copied, where one passage that holds everything is no accident.

Passages in another script share next to no word with a query. They get a share of what words add to the best passage in
its own: nothing where no passage holds the words anyway, and never so much that a passage which holds them all and
stands out as far comes after one that holds none. A translation comes after the page it is of; see `translations`.

Constants were chosen on half of the queries of eight sets and of titles in two languages (2026-11); what they gain on
the other half stands in docs/quality.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kebab_search.hits import Candidate
from kebab_search.ordering import FIRST_POOL
from kebab_search.translations import own_first

_EACH_WORD = 0.5
"""Deviations for as much as a word of a single passage tells."""
_ALL_WORDS = 2.5
"""Deviations for as much as all words of the query can score."""
_LEAST_WORDS = 0.8
"""Words of a single passage that a query counts as at least: of a few common words, which stand everywhere, all say
little."""
_STANDING_ABROAD = 1.0
_WORDS_ABROAD = 0.7
"""With 0.6, titles find the page in the other language less well by a point of nDCG@10; with 0.8 no better, but of the
first five for a plain question, where every page is there in both languages, a tenth more are in the other (2026-11)."""
_DOUBT = 1.5
"""Of a query of words that no passage holds: mostly nothing is said of its subject, however far the nearest stand out."""
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
        known: What share of that is of words that chunks hold, in [0, 1].
    """

    most: float
    corpus_size: int
    known: float = 1.0

    def gain(self, above: float) -> float:
        """Return what a score above the floor adds, in deviations, at least 0."""
        word, held = math.log1p(max(1, self.corpus_size)), max(0.0, above)
        share = held / max(self.most, _LEAST_WORDS * word)
        return max(_EACH_WORD * held / word, _ALL_WORDS * share**2)


def fuse_calibrated(candidates: Sequence[Weighed], *, words: Words) -> list[Candidate]:
    """Return the candidates with a score in [0, 1] from both legs.

    A candidate without a vector counts as standing out like those with vectors that words rank beside it, so that what
    was not embedded yet is neither lost nor lifted; the fewer of those have one, the more like the best that there is.

    Args:
        candidates: Every one; their scores are lexical.
        words: What those are measured by.
    """
    first = [one for one in candidates if _is_among_first(one.candidate)]
    floor = min(one.candidate.score for one in first) if len(first) >= FIRST_POOL else 0.0
    usual = _usual_standing([one.candidate for one in first], best=_best_standing(candidates))
    at_home = (words.gain(one.candidate.score - floor) for one in first if not one.is_foreign)
    doubt = _DOUBT * (1 - words.known)
    abroad = _WORDS_ABROAD * max(at_home, default=0.0)

    def value_of(candidate: Candidate, *, is_foreign: bool) -> float:
        standing = usual if candidate.standing is None else candidate.standing
        gain = words.gain(candidate.score - floor)
        return _worth(standing, is_foreign=is_foreign) + gain + (abroad if is_foreign else 0.0)

    passages, foreign = [one.candidate for one in candidates], [one.is_foreign for one in candidates]
    values = [value_of(candidate, is_foreign=is_foreign) for candidate, is_foreign in candidates]
    if any(foreign):
        values = own_first(passages, values, foreign=foreign)
    return [
        passage._replace(score=squash(value - doubt)) for passage, value in zip(passages, values, strict=True)
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


def _is_among_first(candidate: Candidate) -> bool:
    return candidate.lexical_rank is not None and candidate.lexical_rank <= FIRST_POOL


def _usual_standing(first: Iterable[Candidate], *, best: float) -> float:
    """Return the mean of the first candidates by words that have vectors; the best instead as far as few have."""
    ranked = sorted(first, key=lambda candidate: candidate.lexical_rank or 0)
    known = [candidate.standing for candidate in ranked if candidate.standing is not None][:_NEIGHBOURS]
    if not known:
        return best
    beside = ranked[:_NEIGHBOURS]
    lacking = sum(candidate.standing is None for candidate in beside) / len(beside)
    return (1 - lacking) * math.fsum(known) / len(known) + lacking * best


def _best_standing(candidates: Iterable[Weighed]) -> float:
    """Return what no candidate stands out more than, at least what is usual where words are found."""
    worths = (
        _worth(candidate.standing, is_foreign=is_foreign)
        for candidate, is_foreign in candidates
        if candidate.standing is not None
    )
    return max(_USUAL_STANDING, max(worths, default=_USUAL_STANDING))


def _worth(standing: float, *, is_foreign: bool) -> float:
    return _STANDING_ABROAD * standing if is_foreign else standing


def squash(value: float) -> float:
    """Return a share in [0, 1] for deviations: the greater, the nearer to 1."""
    return 1 / (1 + math.exp(-_STEEPNESS * (value - _MIDDLE)))
