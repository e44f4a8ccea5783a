"""Runs of evaluations, and what changed between two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core import Message

from kebab_cli.language import localize, tr
from kebab_cli.render import Console, columns_of, one_line, pad, show_hint

if TYPE_CHECKING:
    from kebab_core import AnswerMetrics, EvalComparison, EvalMetrics, GoldenMetrics, HitMetrics
    from kebab_wire import (
        EvalRunListV1,
        EvalRunV1,
    )

_SHOWN_CHANGES = 10


def render_eval_run(console: Console, run: EvalRunV1) -> None:
    """Print the table of a run, what it is about, and its comparison if it has one."""
    part = "" if run.part == "1/1" else f", {tr('part {part}', part=run.part)}"
    console.line(console.style(f"{one_line(run.suite)}  {run.mode.value}", bold=True) + f"  ({run.run_id})")
    queries = tr("{number} queries", number=run.queries)
    console.line(f"{queries}{part}, {tr('{number} documents', number=run.documents)}")
    console.line()
    rows = [
        (run.mode.value, run.queries, run.metrics),
        *((name, run.queries, metrics) for name, metrics in run.baselines.items()),
        *((f"{one_line(part.name)} ({part.by})", part.queries, part.metrics) for part in run.slices),
    ]
    _render_metrics(console, rows)
    console.line()
    latency = run.latency_ms
    took = tr("one search: {p50:.1f} ms (median), {p95:.1f} ms (95 %)", p50=latency.p50, p95=latency.p95)
    if latency.cpu_p95 is not None:
        took = _with_work(took, latency.cpu_p50, latency.cpu_p95)
    console.line(took)
    if run.hits is not None:
        _render_hits(console, run.hits)
    if run.golden is not None:
        _render_golden(console, run.golden)
    if run.answers is not None:
        _render_answers(console, run.answers)
    if "grep" in run.baselines:
        grep = tr("grep: documents by how many distinct words of the query they contain, then by id")
        console.line(grep)
    for remark in _remarks(run):
        console.line(console.style(f"{tr('note:')} {remark}", fg="yellow"))
    if run.run_dir is not None:
        console.line(tr("kept in {folder}", folder=str(run.run_dir)))
    if run.comparison is not None:
        console.line()
        render_comparison(console, run.comparison)


def _with_work(took: str, median: float | None, high: float | None) -> str:
    return tr("{took}; CPU time {median:.1f} and {high:.1f} ms", took=took, median=median, high=high)


def _render_hits(console: Console, hits: HitMetrics) -> None:
    console.line()
    console.line(console.style(tr("first hits of {number} searches", number=hits.searches), dim=True))
    scores = hits.scores
    for name, value in (
        (tr("first hit without words"), hits.boilerplate),
        (tr("irrelevant among five"), hits.strangers),
        (tr("no hit, topic absent"), hits.absent_no_hit),
        (tr("no hit, documents expected"), hits.judged_no_hit),
        (tr("different scores"), hits.distinct_scores),
        (tr("ten equal scores"), hits.saturated),
        (tr("calibration error"), None if scores is None else scores.calibration_error),
        (tr("Brier score"), None if scores is None else scores.brier),
    ):
        _render_share(console, name, value)


def _render_golden(console: Console, golden: GoldenMetrics) -> None:
    console.line()
    console.line(console.style(tr("passages of {number} queries", number=golden.chunk_queries), dim=True))
    for name, value in (
        (f"hit@{golden.k}", golden.hit_at_k),
        ("MRR", golden.mrr),
        (tr("precision@{k} of passages", k=golden.k), golden.precision_at_k_chunk),
        (tr("recall@{k} of documents", k=golden.k), golden.recall_at_k_doc),
    ):
        _render_share(console, name, value)


_ANSWER_ROWS = (
    (Message("answered"), "answered"),
    (Message("answer in citations"), "answer_in_citations"),
    (Message("answer in what is printed"), "answer_in_printed"),
    (Message("contains what it must"), "must_contain"),
    (Message("nothing forbidden"), "forbidden"),
    (Message("quotes verbatim"), "quotes_verbatim"),
    (Message("claims cited"), "citation_coverage"),
    (Message("citations relevant"), "citation_precision"),
    (Message("refusal precision"), "refusal_precision"),
    (Message("refusal recall"), "refusal_recall"),
    (Message("refusal AUROC"), "refusal_auroc"),
    (Message("in the question's language"), "in_language"),
    (Message("right, of the answered"), "answered_right"),
    (Message("right, of the answerable"), "answerable_right"),
    (Message("not sure"), "not_sure"),
    (Message("near misses answered"), "near_answered"),
    (Message("absent topics answered"), "absent_answered"),
)


def _render_answers(console: Console, answers: AnswerMetrics) -> None:
    console.line()
    head = tr(
        "answers to {answerable} answerable and {unanswerable} unanswerable questions",
        answerable=answers.answerable,
        unanswerable=answers.unanswerable,
    )
    console.line(console.style(head, dim=True))
    for name, field in _ANSWER_ROWS:
        _render_share(console, localize(name), getattr(answers, field))
    took = tr(
        "one answer: {p50:.1f} ms (median), {p95:.1f} ms (95 %)",
        p50=answers.latency_p50,
        p95=answers.latency_p95,
    )
    console.line(_with_work(took, answers.cpu_p50, answers.cpu_p95))


def _render_share(console: Console, name: str, value: float | None) -> None:
    if value is not None:
        console.line(f"  {pad(name, 28)}{value:.4f}")


def _render_metrics(console: Console, rows: Sequence[tuple[str, int, EvalMetrics]]) -> None:
    width = max(columns_of(name) for name, _, _ in rows)
    console.line(
        console.style(
            f"{'':{width}}  {pad(tr('queries'), 7)}  nDCG@10  MRR@10  recall@10   hit@1   hit@3", dim=True
        )
    )
    for name, queries, metrics in rows:
        console.line(
            f"{pad(name, width)}  {queries:7}  {metrics.ndcg_at_10:7.4f}  {metrics.mrr_at_10:6.4f}  "
            f"{metrics.recall_at_10:9.4f}  {metrics.hit_at_1:.4f}"
            + ("" if metrics.hit_at_3 is None else f"  {metrics.hit_at_3:.4f}")
        )


def _remarks(run: EvalRunV1) -> list[str]:
    counted = (
        Message("{number} queries without a relevant document were not asked", number=run.queries_skipped),
        Message("{number} ids of queries in qrels.tsv are not in queries.jsonl", number=run.queries_unknown),
        Message(
            "{number} queries were refused by search and count as having found nothing",
            number=run.queries_failed,
        ),
        Message("{number} documents could not be indexed", number=run.documents_failed),
        Message("{number} relevant documents are not in the collection", number=run.documents_missing),
    )
    remarks = [localize(text) for text in counted if text.arguments["number"]]
    if run.missing_legs:
        remarks.append(tr("not searched by {legs}", legs=", ".join(leg.value for leg in run.missing_legs)))
    return remarks


def render_comparison(console: Console, comparison: EvalComparison) -> None:
    """Print the difference with its interval, and the queries that changed most."""
    low, high = comparison.interval.low, comparison.interval.high
    console.line(console.style(f"{comparison.first}  ->  {comparison.second}", bold=True))
    console.line(
        tr(
            "nDCG@10 {difference:+.4f}  (95 % between {low:+.4f} and {high:+.4f}; {samples} samples, seed {seed})",
            difference=comparison.difference,
            low=low,
            high=high,
            samples=comparison.interval.samples,
            seed=comparison.interval.seed,
        )
    )
    console.line(
        tr(
            "{wins} better, {losses} worse, {ties} the same of {number} queries",
            wins=comparison.wins,
            losses=comparison.losses,
            ties=comparison.ties,
            number=comparison.queries,
        )
    )
    if comparison.only_first or comparison.only_second:
        console.line(
            tr(
                "not compared: {first} only in the first, {second} only in the second",
                first=comparison.only_first,
                second=comparison.only_second,
            )
        )
    for title, changes in (
        (tr("worse"), comparison.regressions),
        (tr("better"), comparison.improvements),
    ):
        for change in changes[:_SHOWN_CHANGES]:
            console.line(
                f"  {pad(title, 6)}  {change.before:.3f} -> {change.after:.3f}  {one_line(change.query_id)}"
            )
        if len(changes) > _SHOWN_CHANGES:
            more = tr("and {count} more (--json lists them)", count=len(changes) - _SHOWN_CHANGES)
            console.line(f"  {pad(title, 6)}  {more}")
    if comparison.regressed:
        console.line(console.style(tr("regression: the whole interval lies below 0"), fg="red"))


def render_eval_runs(console: Console, runs: EvalRunListV1) -> None:
    """Print one line for each run."""
    if not runs.runs:
        console.line(tr("no runs yet"))
        show_hint(console, "kebab eval beir FOLDER")
        return
    _render_metrics(console, [(run.run_id, run.queries, run.metrics) for run in runs.runs])
