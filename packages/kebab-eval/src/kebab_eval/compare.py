"""Is one run better than another, or is it luck?

Queries are compared in pairs by nDCG@10. The interval is a percentile bootstrap over queries (Efron & Tibshirani, An
Introduction to the Bootstrap, 1993): the mean difference of many samples of the queries, drawn with replacement.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from kebab_core import InvalidInputError, Model

SAMPLES = 10_000
SEED = 0
LEVEL = 0.95
_SAME = 1e-9
"""Differences below this are rounding."""


class ChangedQuery(Model):
    """A query that the two runs answer differently well."""

    query_id: str
    before: float
    after: float


class Comparison(Model):
    """What changed from a first run to a second; differences are second minus first."""

    queries: int
    """In both runs."""
    only_first: int
    only_second: int
    wins: int
    """Queries that the second run answers better."""
    losses: int
    ties: int
    difference: float
    """Of the mean nDCG@10 over the queries of both runs."""
    low: float
    high: float
    """Bounds of the 95 % interval of `difference`."""
    improvements: tuple[ChangedQuery, ...]
    """The wins, greatest gain first."""
    regressions: tuple[ChangedQuery, ...]
    """The losses, greatest loss first."""

    @property
    def is_regression(self) -> bool:
        """Whether the whole interval lies below 0."""
        return self.high < 0


def compare_runs(
    first: Mapping[str, float], second: Mapping[str, float], *, samples: int = SAMPLES, seed: int = SEED
) -> Comparison:
    """Compare two runs query by query; equal input gives equal output.

    Args:
        first: Query id to nDCG@10, the baseline.
        second: The same of the run to judge.
        samples: Bootstrap samples, at least 1.
        seed: Start of the random numbers.

    Returns:
        The comparison.

    Raises:
        InvalidInputError: They have no query in common.
    """
    shared = sorted(first.keys() & second.keys())
    if not shared:
        raise InvalidInputError(
            "the two runs have no query in common", hint="compare runs of the same test set"
        )
    changes = [ChangedQuery(query_id=name, before=first[name], after=second[name]) for name in shared]
    differences = [second[name] - first[name] for name in shared]
    low, high = bootstrap_interval(differences, samples=samples, seed=seed)
    better = [change for change in changes if change.after - change.before > _SAME]
    worse = [change for change in changes if change.before - change.after > _SAME]
    return Comparison(
        queries=len(shared),
        only_first=len(first.keys() - second.keys()),
        only_second=len(second.keys() - first.keys()),
        wins=len(better),
        losses=len(worse),
        ties=len(shared) - len(better) - len(worse),
        difference=sum(differences) / len(differences),
        low=low,
        high=high,
        improvements=tuple(sorted(better, key=lambda c: (c.before - c.after, c.query_id))),
        regressions=tuple(sorted(worse, key=lambda c: (c.after - c.before, c.query_id))),
    )


def bootstrap_interval(
    differences: Sequence[float], *, samples: int = SAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """Return the bounds of the 95 % interval of the mean of paired differences.

    Args:
        differences: One for each query, at least one.
        samples: How often to draw as many queries as there are.
        seed: Start of the random numbers.

    Returns:
        Lower and upper bound.
    """
    if not any(differences):
        return 0.0, 0.0
    draw, count = random.Random(seed).choices, len(differences)  # noqa: S311 - statistics, no secret
    means = sorted(sum(draw(differences, k=count)) / count for _ in range(samples))
    tail = (1 - LEVEL) / 2
    return means[int(samples * tail)], means[min(int(samples * (1 - tail)), samples - 1)]
