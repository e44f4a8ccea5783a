"""What many queries come to: means, slices, latencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Literal

from kebab_core import Model

from kebab_eval.metrics import Metrics, mean_metrics
from kebab_eval.runner import QueryResult


class Slice(Model):
    """Queries that have something in common."""

    by: Literal["language", "kind"]
    name: str
    queries: int
    metrics: Metrics


class Latency(Model):
    """Milliseconds of one search; percentiles are those of a query that was really asked (nearest rank)."""

    p50: float
    p95: float
    mean: float
    max: float
    cpu_p50: float | None = None
    """The same of the time that this process worked, which other programs do not stretch."""
    cpu_p95: float | None = None


def summarize(results: Sequence[QueryResult]) -> Metrics:
    """Return the mean of each metric over all queries."""
    return mean_metrics([result.metrics for result in results])


def summarize_baselines(results: Sequence[QueryResult]) -> dict[str, Metrics]:
    """Return the means of every baseline that was measured, by name."""
    names = dict.fromkeys(name for result in results for name in result.baselines)
    return {name: mean_metrics([result.baselines[name] for result in results]) for name in names}


def slice_results(results: Sequence[QueryResult]) -> tuple[Slice, ...]:
    """Return the queries by language, then by kind where the set tells it, each by name."""
    languages = _group("language", ((result.language, result) for result in results))
    kinds = _group("kind", ((result.kind, result) for result in results if result.kind is not None))
    return (*languages, *kinds)


def summarize_latency(results: Sequence[QueryResult]) -> Latency:
    """Return the latencies of the queries that were answered; all 0 where none was."""
    times = sorted(result.latency_ms for result in results if result.error is None)
    if not times:
        return Latency(p50=0, p95=0, mean=0, max=0)
    worked = sorted(result.cpu_ms for result in results if result.cpu_ms is not None)
    return Latency(
        p50=find_percentile(times, 50),
        p95=find_percentile(times, 95),
        mean=round(sum(times) / len(times), 3),
        max=times[-1],
        cpu_p50=find_percentile(worked, 50) if worked else None,
        cpu_p95=find_percentile(worked, 95) if worked else None,
    )


def find_percentile(ascending: Sequence[float], percent: float) -> float:
    """Return the least value that so many percent of the values do not exceed; there must be one."""
    return ascending[max(ceil(len(ascending) * percent / 100), 1) - 1]


def _group(by: Literal["language", "kind"], named: Iterable[tuple[str, QueryResult]]) -> list[Slice]:
    groups: dict[str, list[QueryResult]] = {}
    for name, result in named:
        groups.setdefault(name, []).append(result)
    return [
        Slice(by=by, name=name, queries=len(members), metrics=summarize(members))
        for name, members in sorted(groups.items())
    ]
