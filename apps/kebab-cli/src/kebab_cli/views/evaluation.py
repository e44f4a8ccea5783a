"""Runs of evaluations, and what changed between two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_cli.render import Console, one_line

if TYPE_CHECKING:
    from kebab_core import AnswerMetrics, EvalComparison, EvalMetrics, GoldenMetrics, HitMetrics
    from kebab_wire import (
        EvalRunListV1,
        EvalRunV1,
    )

_SHOWN_CHANGES = 10


def render_eval_run(console: Console, run: EvalRunV1) -> None:
    """Print the table of a run, what it is about, and its comparison if it has one."""
    part = "" if run.part == "1/1" else f", part {run.part}"
    console.line(console.style(f"{one_line(run.suite)}  {run.mode.value}", bold=True) + f"  ({run.run_id})")
    console.line(f"{run.queries} queries{part}, {run.documents} documents")
    console.line()
    rows = [
        (run.mode.value, run.queries, run.metrics),
        *((name, run.queries, metrics) for name, metrics in run.baselines.items()),
        *((f"{one_line(part.name)} ({part.by})", part.queries, part.metrics) for part in run.slices),
    ]
    _render_metrics(console, rows)
    console.line()
    latency = run.latency_ms
    worked = (
        ""
        if latency.cpu_p95 is None
        else f"; of it at work {latency.cpu_p50:.1f} and {latency.cpu_p95:.1f} ms"
    )
    console.line(f"one search: {latency.p50:.1f} ms (median), {latency.p95:.1f} ms (95 %){worked}")
    if run.hits is not None:
        _render_hits(console, run.hits)
    if run.golden is not None:
        _render_golden(console, run.golden)
    if run.answers is not None:
        _render_answers(console, run.answers)
    if "grep" in run.baselines:
        console.line("grep: documents by how many distinct words of the query they contain, then by id")
    for remark in _remarks(run):
        console.line(console.style(f"note: {remark}", fg="yellow"))
    if run.run_dir is not None:
        console.line(f"kept in {run.run_dir}")
    if run.comparison is not None:
        console.line()
        render_comparison(console, run.comparison)


def _render_hits(console: Console, hits: HitMetrics) -> None:
    console.line()
    console.line(console.style(f"first hits of {hits.searches} searches", dim=True))
    scores = hits.scores
    for name, value in (
        ("first hit without words", hits.boilerplate),
        ("strangers among five", hits.strangers),
        ("no hit, topic absent", hits.absent_no_hit),
        ("no hit, documents expected", hits.judged_no_hit),
        ("different scores", hits.distinct_scores),
        ("ten equal scores", hits.saturated),
        ("calibration error", None if scores is None else scores.calibration_error),
        ("Brier score", None if scores is None else scores.brier),
    ):
        _render_share(console, name, value)


def _render_golden(console: Console, golden: GoldenMetrics) -> None:
    console.line()
    console.line(console.style(f"passages of {golden.chunk_queries} queries", dim=True))
    for name, value in (
        (f"hit@{golden.k}", golden.hit_at_k),
        ("MRR", golden.mrr),
        (f"precision@{golden.k} of passages", golden.precision_at_k_chunk),
        (f"recall@{golden.k} of documents", golden.recall_at_k_doc),
    ):
        _render_share(console, name, value)


_ANSWER_ROWS = (
    ("answered", "answered"),
    ("answer in citations", "answer_in_citations"),
    ("answer in what is printed", "answer_in_printed"),
    ("contains what it must", "must_contain"),
    ("nothing forbidden", "forbidden"),
    ("quotes verbatim", "quotes_verbatim"),
    ("claims cited", "citation_coverage"),
    ("citations relevant", "citation_precision"),
    ("refusal precision", "refusal_precision"),
    ("refusal recall", "refusal_recall"),
    ("refusal AUROC", "refusal_auroc"),
    ("in the question's language", "in_language"),
    ("right, of the answered", "answered_right"),
    ("right, of the answerable", "answerable_right"),
    ("not sure", "not_sure"),
    ("near misses answered", "near_answered"),
    ("absent topics answered", "absent_answered"),
)


def _render_answers(console: Console, answers: AnswerMetrics) -> None:
    console.line()
    head = f"answers to {answers.answerable} answerable and {answers.unanswerable} unanswerable questions"
    console.line(console.style(head, dim=True))
    for name, field in _ANSWER_ROWS:
        _render_share(console, name, getattr(answers, field))
    console.line(
        f"one answer: {answers.latency_p50:.1f} ms (median), {answers.latency_p95:.1f} ms (95 %); "
        f"of it at work {answers.cpu_p50:.1f} and {answers.cpu_p95:.1f} ms"
    )


def _render_share(console: Console, name: str, value: float | None) -> None:
    if value is not None:
        console.line(f"  {name:28}{value:.4f}")


def _render_metrics(console: Console, rows: Sequence[tuple[str, int, EvalMetrics]]) -> None:
    width = max(len(name) for name, _, _ in rows)
    console.line(
        console.style(f"{'':{width}}  queries  nDCG@10  MRR@10  recall@10   hit@1   hit@3", dim=True)
    )
    for name, queries, metrics in rows:
        console.line(
            f"{name:{width}}  {queries:7}  {metrics.ndcg_at_10:7.4f}  {metrics.mrr_at_10:6.4f}  "
            f"{metrics.recall_at_10:9.4f}  {metrics.hit_at_1:.4f}"
            + ("" if metrics.hit_at_3 is None else f"  {metrics.hit_at_3:.4f}")
        )


def _remarks(run: EvalRunV1) -> list[str]:
    counted = (
        (run.queries_skipped, "queries without a relevant document were not asked"),
        (run.queries_unknown, "ids of queries in qrels.tsv are not in queries.jsonl"),
        (run.queries_failed, "queries were refused by search and count as having found nothing"),
        (run.documents_failed, "documents could not be indexed"),
        (run.documents_missing, "relevant documents are not in the collection"),
    )
    legs = ", ".join(leg.value for leg in run.missing_legs)
    return [f"{count} {text}" for count, text in counted if count] + (
        [f"not searched by {legs}"] if legs else []
    )


def render_comparison(console: Console, comparison: EvalComparison) -> None:
    """Print the difference with its interval, and the queries that changed most."""
    low, high = comparison.interval.low, comparison.interval.high
    console.line(console.style(f"{comparison.first}  ->  {comparison.second}", bold=True))
    console.line(
        f"nDCG@10 {comparison.difference:+.4f}  (95 % between {low:+.4f} and {high:+.4f}; "
        f"{comparison.interval.samples} samples, seed {comparison.interval.seed})"
    )
    console.line(
        f"{comparison.wins} better, {comparison.losses} worse, {comparison.ties} the same "
        f"of {comparison.queries} queries"
    )
    if comparison.only_first or comparison.only_second:
        console.line(
            f"not compared: {comparison.only_first} only in the first, {comparison.only_second} only in the second"
        )
    for title, changes in (("worse", comparison.regressions), ("better", comparison.improvements)):
        for change in changes[:_SHOWN_CHANGES]:
            console.line(
                f"  {title:6}  {change.before:.3f} -> {change.after:.3f}  {one_line(change.query_id)}"
            )
        if len(changes) > _SHOWN_CHANGES:
            console.line(f"  {title:6}  and {len(changes) - _SHOWN_CHANGES} more (--json lists them)")
    if comparison.regressed:
        console.line(console.style("regression: the whole interval lies below 0", fg="red"))


def render_eval_runs(console: Console, runs: EvalRunListV1) -> None:
    """Print one line for each run."""
    if not runs.runs:
        console.line("no runs yet")
        console.line("hint: kebab eval beir FOLDER")
        return
    _render_metrics(console, [(run.run_id, run.queries, run.metrics) for run in runs.runs])
