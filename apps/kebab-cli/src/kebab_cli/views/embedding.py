"""What a run did for vectors, in a line or two."""

from __future__ import annotations

from kebab_core import EmbeddingSummary, IngestReport

from kebab_cli.render import Console, count_of, safe


def render_embedding_report(console: Console, report: IngestReport) -> None:
    """Print what a run over vectors alone did."""
    word = console.style("stopped", fg="yellow") if report.aborted else console.style("done", fg="green")
    summary = report.embedding or EmbeddingSummary()
    console.line(f"{word}  {_counts(summary) or 'nothing to embed'}  ({report.duration_ms / 1000:.1f} s)")
    _render_rest(console, summary)
    if report.aborted:
        console.line("hint: run kebab embed again to go on; what is done stays done")


def render_embedding(console: Console, summary: EmbeddingSummary) -> None:
    """Print what a run over files did for vectors; nothing where there was nothing to do."""
    if counts := _counts(summary):
        console.line(console.style(f"  vectors: {counts}", dim=True))
    _render_rest(console, summary)
    if summary.failure is None and summary.pending:
        console.line("hint: kebab embed goes on with them")


def _counts(summary: EmbeddingSummary) -> str:
    made = summary.computed + summary.reused
    parts = [count_of(made, "passage") + " embedded"] if made else []
    if made and summary.reused:
        parts[0] += f" ({summary.reused} known from before)"
    return ", ".join([*parts, *([f"{summary.removed} removed"] if summary.removed else [])])


def _render_rest(console: Console, summary: EmbeddingSummary) -> None:
    if summary.failure is not None:
        console.line(f"note: {_who_is_without(summary.pending)}: {safe(summary.failure.message)}")
        advice = summary.failure.hint or "mend the model, or choose another (kebab models list)"
        if summary.pending == 0:
            advice = f"{advice}; until then search goes by words alone"
        else:
            found = "they" if summary.pending else "passages without vectors"
            then = "" if "kebab embed" in advice else "; then kebab embed"
            advice = f"{advice}{then}; until then {found} are found by their words alone"
        console.line(f"hint: {safe(advice)}")
    elif summary.pending:
        wait = "waits" if summary.pending == 1 else "wait"
        console.line(f"note: {count_of(summary.pending, 'passage')} still {wait} for vectors")


def _who_is_without(pending: int | None) -> str:
    if pending is None:
        return "no vectors were made"
    if pending == 0:
        return "every passage has its vector, but questions get none"
    return f"{count_of(pending, 'passage')} without vectors"
