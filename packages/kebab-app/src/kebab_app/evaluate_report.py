"""A run of an evaluation as Markdown, for people who come across its folder later."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_wire import EvalCompareV1, EvalMetricsV1, EvalRunV1, WirePart


def write_report(run: EvalRunV1) -> Iterator[str]:
    """Yield the lines of a report: what was measured, the table, and how to repeat it."""
    yield f"# {run.suite}: {run.mode.value} search"
    yield ""
    yield (
        f"{run.queries} queries ({run.queries_skipped} without a relevant document left out, "
        f"{run.queries_failed} refused), {run.documents} documents, {run.created_at:%Y-%m-%d %H:%M} UTC."
    )
    if run.missing_legs:
        yield f"Not searched by: {', '.join(leg.value for leg in run.missing_legs)}."
    yield ""
    yield "| | queries | nDCG@10 | MRR@10 | recall@10 | hit@1 |"
    yield "|---|---:|---:|---:|---:|---:|"
    yield _row(f"**{run.mode.value}**", run.queries, run.metrics)
    for name, metrics in run.baselines.items():
        yield _row(name, run.queries, metrics)
    for part in run.slices:
        yield _row(f"{run.mode.value}, {part.by} {part.name}", part.queries, part.metrics)
    yield ""
    yield f"One search took {run.latency_ms.p50:.1f} ms (median) and {run.latency_ms.p95:.1f} ms (95 %)."
    yield ""
    for title, measured in (("Golden suite", run.golden), ("Answers", run.answers)):
        if measured is not None:
            yield from _measured(title, measured)
    if run.comparison is not None:
        yield from _comparison(run.comparison)
    for title, values in (("Versions", run.versions), ("Settings", run.config)):
        yield f"## {title}"
        yield ""
        yield "```json"
        yield json.dumps(values, ensure_ascii=False, indent=2)
        yield "```"
        yield ""


def _measured(title: str, part: WirePart) -> Iterator[str]:
    """Yield a table of what could be measured."""
    yield f"## {title}"
    yield ""
    yield "| | |"
    yield "|---|---:|"
    for name, value in part.model_dump(exclude_none=True).items():
        yield f"| {name} | {value:.4f} |" if isinstance(value, float) else f"| {name} | {value} |"
    yield ""


def _comparison(comparison: EvalCompareV1) -> Iterator[str]:
    interval = comparison.interval
    yield (
        f"Against `{comparison.first}`: nDCG@10 {comparison.difference:+.4f}, 95 % between {interval.low:+.4f} and "
        f"{interval.high:+.4f}; {comparison.wins} queries better, {comparison.losses} worse, {comparison.ties} the same."
    )
    yield ""


def _row(name: str, queries: int, metrics: EvalMetricsV1) -> str:
    values = (metrics.ndcg_at_10, metrics.mrr_at_10, metrics.recall_at_10, metrics.hit_at_1)
    return f"| {name} | {queries} | {' | '.join(f'{value:.4f}' for value in values)} |"
