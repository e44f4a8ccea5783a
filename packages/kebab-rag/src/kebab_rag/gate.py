"""The gate: scores the evidence, so that a model is asked only if the score reaches the threshold.

Ranks say nothing here, since some passage always ranks first. Absolute signals do. A logistic curve maps them to (0, 1):
one curve where a hit has a vector of a model that was measured, one for words alone.

The weights were fitted on five sets at once, each counted the same, and checked on each by the weights of the others
(2026-11). `docs/quality.md` has the figures, `docs/decisions/0029` the choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from kebab_core import Evidence, SearchHit, ends_of_symbol, fold_name, split_symbol
from kebab_text import find_identifiers


class GateCurve(NamedTuple):
    """Coefficients of a logistic curve over evidence; a signal with coefficient 0 is not used."""

    intercept: float
    bm25_ratio: float = 0.0
    density: float = 0.0
    proximity: float = 0.0
    similarity: float = 0.0
    z_score: float = 0.0

    def log_odds(self, evidence: Evidence) -> float:
        """Return the weighted evidence of one hit, with the intercept."""
        return (
            self.intercept
            + self.bm25_ratio * evidence.bm25_ratio
            + self.density * (evidence.density or 0.0)
            + self.proximity * (evidence.proximity or 0.0)
            + self.similarity * (evidence.similarity or 0.0)
            + self.z_score * (evidence.z_score or 0.0)
        )


_MEASURED_MODEL = "multilingual-e5-small"
_ALLOWANCE = 0.9
"""Allowance for a single document. With it, a document without any word of the question still scores below 0.25."""
_MANY_DOCUMENTS = 300
"""Number of documents from which the allowance is 0."""
BY_WORDS = GateCurve(intercept=-2.2, density=5.2, proximity=2.3)
WITH_VECTORS = GateCurve(intercept=-11.65, density=3.15, proximity=2.0, z_score=0.71, similarity=8.73)
NAMED = 0.8
"""Least score of the source code whose name is in the question. The name says more than the share of the words, which the
lines of a function need not hold."""
WHOLE_PASSAGE = GateCurve(intercept=-3.0, bm25_ratio=6.6)
"""Curve for evidence without positions of words in the passage."""


def score_hits(
    hits: Sequence[SearchHit], *, documents: int | None = None, question: str = ""
) -> tuple[float, ...]:
    """Return the gate score of each hit, in [0, 1], in the order of hits.

    Args:
        hits: The hits of a search.
        documents: Number of documents in the index; None stands for many.
        question: What was searched. A hit whose symbol it names scores `NAMED` at least.
    """
    few = share_of_few(documents)
    names = {fold_name("".join(split_symbol(word))) for word in find_identifiers(question)}
    scores = (1.0 / (1.0 + math.exp(-_log_odds(hit, few=few))) for hit in hits)
    return tuple(
        max(score, NAMED) if hit.symbol and not names.isdisjoint(ends_of_symbol(hit.symbol)) else score
        for hit, score in zip(hits, scores, strict=True)
    )


def _log_odds(hit: SearchHit, *, few: float) -> float:
    """Return the log-odds of a hit. Among few documents what words say counts, too, where it is more than the curve says.

    Z-scores are low there, since there is little to stand out from.
    """
    curve = choose_curve(hit)
    odds = curve.log_odds(hit.evidence)
    if curve is WHOLE_PASSAGE:
        return odds
    by_words = BY_WORDS.log_odds(hit.evidence) + _ALLOWANCE * few
    return by_words if curve is BY_WORDS else odds + few * max(by_words - odds, 0.0)


def share_of_few(documents: int | None) -> float:
    """Return how few documents there are: 1 for a single one, falling with their logarithm to 0 for many.

    Among few documents, weights by rarity say little. A word that none of a few notes has counts as very rare, though
    it may be only another wording; a word that all of them have counts nothing.
    """
    if documents is None:
        return 0.0
    return max(1 - math.log(max(documents, 1)) / math.log(_MANY_DOCUMENTS), 0.0)


def choose_curve(hit: SearchHit) -> GateCurve:
    """Return the curve for a hit. A hit without a vector, or with one of another model, is judged by words."""
    if hit.evidence.density is None:
        return WHOLE_PASSAGE
    has_vector = hit.evidence.z_score is not None and hit.embedding_model == _MEASURED_MODEL
    return WITH_VECTORS if has_vector else BY_WORDS
