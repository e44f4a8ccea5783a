"""z-scores of cosine similarities: distributions by script, priors of known models, the minimum of a candidate.

Cosines of a model lie in a narrow band that differs for every query and every pair of languages, so that 0.84 alone says
nothing. A z-score, the distance from the mean of the index in standard deviations, compares between queries, corpora and
scripts, and does not depend on how many passages were looked at. Used by `VectorSearch`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kebab_core import LanguageDistribution, VectorMatrix
from kebab_text import Script, script_of_language

from kebab_search.query_centroids import QueryCentroids, max_cosine
from kebab_search.score import chance_z_score

_LEAST_DEVIATION = 0.005
_PRIOR_VECTORS = 30
"""Weight of a model's prior in vectors: the mean of ten passages says little."""
_GIBBERISH = -0.003
"""Cosine by which a query may be nearer to questions than to gibberish and still count as gibberish."""


class CosineDistribution(NamedTuple):
    """Cosines of a query with many passages: their number, mean and standard deviation."""

    vectors: float
    mean: float
    deviation: float

    def z_score(self, cosine: float) -> float:
        """Compute the distance of a cosine from the mean, in standard deviations."""
        return (cosine - self.mean) / max(self.deviation, _LEAST_DEVIATION)


class MinScore(NamedTuple):
    """Minimum z-score of a candidate by similarity alone.

    Attributes:
        same_script: For passages in the script of the query.
        cross_script: For all others.
    """

    same_script: float
    cross_script: float


class ModelCalibration(NamedTuple):
    """Measured properties of an embedding model.

    Attributes:
        same_script: Prior of the cosines between a query and passages of any subject in its script; None: unknown.
        cross_script: The same between scripts, after the query centroid was subtracted.
    """

    same_script: CosineDistribution | None
    cross_script: CosineDistribution | None


_CALIBRATIONS: Mapping[str, ModelCalibration] = {
    "multilingual-e5-small": ModelCalibration(
        CosineDistribution(_PRIOR_VECTORS, 0.78, 0.021),
        CosineDistribution(_PRIOR_VECTORS, 0.0, 0.033),
    ),
}
_UNCALIBRATED = ModelCalibration(None, None)
"""For a model that was not measured; numbers of one model say nothing of another."""


def expected_z_score(
    passages: float, distribution: CosineDistribution, *, prior: CosineDistribution | None
) -> float:
    """Estimate the z-score above which a similarity is evidence: that of chance, less if the query is near to all passages.

    In an index about one subject no passage stands out, and a question that it can answer is near to all of it. So the
    nearness of the query, in standard deviations, is subtracted. Below 0 it is ignored: a question about one of many
    subjects is far from most passages.

    Args:
        passages: Number of passages in the distribution.
        distribution: Of the cosines of a query.
        prior: Of the model; None: unknown.
    """
    nearness = 0.0 if prior is None else (distribution.mean - prior.mean) / prior.deviation
    return chance_z_score(passages) - max(nearness, 0.0)


def calibration_of(model_id: str) -> ModelCalibration:
    """Look up the calibration of a model; a default without priors if it was not measured."""
    return _CALIBRATIONS.get(model_id, _UNCALIBRATED)


def distributions_by_script(
    by_language: Iterable[LanguageDistribution], *, prior: CosineDistribution | None = None
) -> Mapping[Script, CosineDistribution]:
    """Pool the cosine distributions of languages by script.

    Args:
        by_language: Of one query over the passages of each language.
        prior: Of the model, pooled with each script; None: unknown.
    """
    by_script: dict[Script, list[CosineDistribution]] = {}
    for one in by_language:
        distribution = CosineDistribution(one.vectors, one.mean, one.deviation)
        by_script.setdefault(script_of_language(one.lang), []).append(distribution)
    priors = [] if prior is None else [prior]
    return {script: _pool([*distributions, *priors]) for script, distributions in by_script.items()}


def min_score_for(query: VectorMatrix, *, centroids: QueryCentroids, has_known_terms: bool) -> MinScore:
    """Compute the minimum z-scores of candidates by similarity alone: those of passages above the mean.

    Args:
        query: Its vector, shape (1, d).
        centroids: Of the model; without them gibberish cannot be recognized, and z-scores of passages in another script say
            nothing.
        has_known_terms: True if any passage of the index holds a term of the query.
    """
    if not has_known_terms and _is_gibberish(query, centroids):
        return MinScore(math.inf, math.inf)
    return MinScore(0.0, 0.0 if centroids.questions else math.inf)


def _pool(distributions: list[CosineDistribution]) -> CosineDistribution:
    vectors = sum(one.vectors for one in distributions)
    mean = sum(one.vectors * one.mean for one in distributions) / vectors
    variance = sum(one.vectors * (one.deviation**2 + (one.mean - mean) ** 2) for one in distributions)
    return CosineDistribution(vectors, mean, math.sqrt(variance / vectors))


def _is_gibberish(query: VectorMatrix, centroids: QueryCentroids) -> bool:
    gibberish, questions = max_cosine(query, centroids.gibberish), max_cosine(query, centroids.questions)
    return gibberish is not None and questions is not None and gibberish - questions > _GIBBERISH
