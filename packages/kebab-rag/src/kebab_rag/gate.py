"""The gate: scores the evidence, so that a model is asked only if the score reaches the threshold.

Ranks say nothing here, since some passage always ranks first. Absolute signals do. A logistic curve maps them to (0, 1):
one curve where a hit has a vector of a model that was measured, one for words alone.

The weights were fitted on five sets at once, each counted the same, and checked on each by the weights of the others
(2026-11). `docs/decisions/0029` has the numbers, and what was tried.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from kebab_core import Evidence, SearchHit


class GateCurve(NamedTuple):
    """Coefficients of a logistic curve over evidence; a signal with coefficient 0 is not used."""

    intercept: float
    bm25_ratio: float = 0.0
    density: float = 0.0
    proximity: float = 0.0
    similarity: float = 0.0
    z_score: float = 0.0

    def score(self, evidence: Evidence, *, allowance: float = 0.0) -> float:
        """Return the sigmoid of the weighted evidence of one hit, in (0, 1); `allowance` is added to the intercept."""
        total = (
            self.intercept
            + allowance
            + self.bm25_ratio * evidence.bm25_ratio
            + self.density * (evidence.density or 0.0)
            + self.proximity * (evidence.proximity or 0.0)
            + self.similarity * (evidence.similarity or 0.0)
            + self.z_score * (evidence.z_score or 0.0)
        )
        return 1.0 / (1.0 + math.exp(-total))


_MEASURED_MODEL = "multilingual-e5-small"
_ALLOWANCE = 0.9
"""Allowance for a single document. With it, a document without any word of the question still scores below 0.25."""
_MANY_DOCUMENTS = 300
"""Number of documents from which the allowance is 0."""
BY_WORDS = GateCurve(intercept=-2.2, density=5.2, proximity=2.3)
WITH_VECTORS = GateCurve(intercept=-11.65, density=3.15, proximity=2.0, z_score=0.71, similarity=8.73)
WHOLE_PASSAGE = GateCurve(intercept=-3.0, bm25_ratio=6.6)
"""Curve for evidence without positions of words in the passage."""


def score_hits(hits: Sequence[SearchHit], *, documents: int | None = None) -> tuple[float, ...]:
    """Return the gate score of each hit, in [0, 1], in the order of hits.

    Args:
        hits: The hits of a search.
        documents: Number of documents in the index; None stands for many.
    """
    allowance = small_corpus_allowance(documents)
    return tuple(_score(hit, allowance=allowance) for hit in hits)


def _score(hit: SearchHit, *, allowance: float) -> float:
    curve = choose_curve(hit)
    return curve.score(hit.evidence, allowance=allowance if curve is BY_WORDS else 0.0)


def small_corpus_allowance(documents: int | None) -> float:
    """Return the addition to the intercept where there are few documents, at least 0.

    Among few documents, weights by rarity say little. A word that none of a few notes has counts as very rare, though
    it may be only another wording; a word that all of them have counts nothing. Only the curve for words gets the allowance.
    """
    if documents is None:
        return 0.0
    share = 1 - math.log(max(documents, 1)) / math.log(_MANY_DOCUMENTS)
    return _ALLOWANCE * max(share, 0.0)


def choose_curve(hit: SearchHit) -> GateCurve:
    """Return the curve for a hit. A hit without a vector, or with one of another model, is judged by words."""
    if hit.evidence.density is None:
        return WHOLE_PASSAGE
    has_vector = hit.evidence.z_score is not None and hit.embedding_model == _MEASURED_MODEL
    return WITH_VECTORS if has_vector else BY_WORDS
