"""What a run did for vectors, in a line or two."""

from __future__ import annotations

from kebab_core import (
    DatabaseCorruptError,
    EmbeddingFailure,
    EmbeddingSummary,
    IndexModelMismatchError,
    IngestReport,
    StorageError,
)

from kebab_cli.render import Console, count_of, safe

_OF_THE_INDEX = {StorageError.code, DatabaseCorruptError.code, IndexModelMismatchError.code}
"""Failures of what vectors are stored in, not of the model."""
_FOUND_AS = {
    None: "passages without vectors are found by their words alone",
    1: "it is found by its words alone",
}
"""By how many passages have no vector."""


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
        console.line(f"note: {_state_of(summary, summary.failure)}: {safe(summary.failure.message)}")
        console.line(f"hint: {safe(_advise(summary, summary.failure))}")
    elif summary.pending:
        wait = "waits" if summary.pending == 1 else "wait"
        console.line(f"note: {count_of(summary.pending, 'passage')} still {wait} for vectors")


def _state_of(summary: EmbeddingSummary, failure: EmbeddingFailure) -> str:
    if summary.pending is None:
        return "no vectors were made"
    if summary.pending:
        return f"{count_of(summary.pending, 'passage')} without vectors"
    if failure.code in _OF_THE_INDEX:
        return "every passage has its vector, but their index could not be brought up to date"
    return "every passage has its vector, but questions get none"


def _advise(summary: EmbeddingSummary, failure: EmbeddingFailure) -> str:
    advice = failure.hint or "mend the model, or choose another (kebab models list)"
    then = "" if "kebab embed" in advice else "; then kebab embed"
    if summary.pending == 0:
        return (
            f"{advice}{then}"
            if failure.code in _OF_THE_INDEX
            else f"{advice}; until then search goes by words alone"
        )
    return (
        f"{advice}{then}; until then {_FOUND_AS.get(summary.pending, 'they are found by their words alone')}"
    )
