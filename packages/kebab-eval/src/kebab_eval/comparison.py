"""Paired comparison of two runs, query by query.

The interval is a percentile bootstrap over queries (Efron & Tibshirani, An Introduction to the Bootstrap, 1993): the
mean difference of nDCG@10 in many samples of the queries, drawn with replacement.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from kebab_core import EvalChange, EvalComparison, EvalInterval, InvalidInputError, Message, Remedy

SAMPLES = 10_000
SEED = 0
LEVEL = 0.95
_ROUNDING = 1e-9
"""Differences below this count as ties."""


def compare_runs(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    names: tuple[str, str] = ("first", "second"),
    samples: int = SAMPLES,
    seed: int = SEED,
) -> EvalComparison:
    """Compare two runs query by query; equal input gives equal output.

    Args:
        first: Query id to nDCG@10, the baseline.
        second: The same of the run to judge.
        names: Ids of the two runs.
        samples: Bootstrap samples, at least 1.
        seed: Seed of the random numbers.

    Returns:
        The comparison.

    Raises:
        InvalidInputError: They have no query in common.
    """
    shared = sorted(first.keys() & second.keys())
    if not shared:
        raise InvalidInputError(
            "the two runs have no query in common",
            remedy=Remedy(advice=Message("compare runs of the same test set")),
        )
    changes = [EvalChange(query_id=name, before=first[name], after=second[name]) for name in shared]
    differences = [second[name] - first[name] for name in shared]
    low, high = bootstrap_interval(differences, samples=samples, seed=seed)
    better = [change for change in changes if change.after - change.before > _ROUNDING]
    worse = [change for change in changes if change.before - change.after > _ROUNDING]
    return EvalComparison(
        first=names[0],
        second=names[1],
        queries=len(shared),
        only_first=len(first.keys() - second.keys()),
        only_second=len(second.keys() - first.keys()),
        wins=len(better),
        losses=len(worse),
        ties=len(shared) - len(better) - len(worse),
        difference=sum(differences) / len(differences),
        interval=EvalInterval(low=low, high=high, level=LEVEL, samples=samples, seed=seed),
        regressed=high < 0,
        improvements=tuple(sorted(better, key=lambda c: (c.before - c.after, c.query_id))),
        regressions=tuple(sorted(worse, key=lambda c: (c.after - c.before, c.query_id))),
    )


def bootstrap_interval(
    differences: Sequence[float], *, samples: int = SAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """Return the bounds of the 95 % interval of the mean of paired differences.

    Args:
        differences: One for each query, at least one.
        samples: Number of samples, each of as many queries as there are.
        seed: Seed of the random numbers.

    Returns:
        Lower and upper bound.
    """
    if not any(differences):
        return 0.0, 0.0
    draw, count = random.Random(seed).choices, len(differences)  # noqa: S311 - statistics, no secret
    means = sorted(sum(draw(differences, k=count)) / count for _ in range(samples))
    tail = (1 - LEVEL) / 2
    return means[int(samples * tail)], means[min(int(samples * (1 - tail)), samples - 1)]
