"""The report of a run of ingest or embed, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_core import (
    DEFAULT_SOURCE_ID,
    DatabaseCorruptError,
    EmbeddingFailure,
    EmbeddingSummary,
    IndexModelMismatchError,
    IngestItem,
    IngestReport,
    IngestResult,
    Message,
    SkipReason,
    StorageError,
)

from kebab_cli.remedies import hint_of, render_remedy
from kebab_cli.render import Console, count_of, safe, safe_name

MAX_ERRORS_SHOWN = 10
MAX_WARNINGS_SHOWN = 5
_REASONS = {
    SkipReason.LINKED_TWICE: "links to what is read anyway",
    SkipReason.SPELLED_TWICE: "another file or folder beside it has the same name in another spelling "
    "(composed or decomposed letters); rename one",
    SkipReason.UNUSABLE_NAME: "a name that is not UTF-8",
}
"""Texts of reasons whose name says too little."""
_INDEX_FAILURES = {StorageError.code, DatabaseCorruptError.code, IndexModelMismatchError.code}
"""Codes of failures of the vector index, not of the model."""
_LEXICAL_ONLY = {
    None: "passages without vectors are found by their words alone",
    1: "it is found by its words alone",
}
"""By how many passages have no vector."""

_LONG_SECONDS, _LONG_MINUTES = 120, 120
"""From which on a length of time is shown in minutes, and in hours."""


def render_report(console: Console, report: IngestReport) -> None:
    """Print the counts, then errors, warnings and hints."""
    counts = report.counts
    parts = [_range(report)]
    for count, name in (
        (counts.new, "new"),
        (counts.updated, "updated"),
        (counts.unchanged, "unchanged"),
        (counts.moved, "moved"),
        (counts.removed, "removed"),
        (counts.skipped, "skipped"),
        (counts.errors, "failed"),
    ):
        if count:
            parts.append(f"{count} {name}")
    written = [count_of(counts.chunks_indexed, "chunk")] if len(parts) > 1 or not report.aborted else []
    console.line(
        f"{_outcome(console, report)}  {', '.join(parts)}  ({', '.join([*written, _seconds(report)])})"
    )
    _render_skips(console, report)
    _render_items(console, [item for item in report.items or () if not _is_folder(item, report)])
    for message in report.unreadable_folders:
        text = f"  failed to look into {safe(message)}; what was indexed beneath it stays"
        console.line(console.style(text, fg="red"))
    if counts.removal_held:
        seem = "document seems" if counts.removal_held == 1 else "documents seem"
        console.line(
            f"note: {counts.removal_held} {seem} gone from disk, kept in case a drive is not mounted"
        )
        console.line("hint: kebab ingest --prune removes them")
    if not (counts.scanned or counts.removed or counts.removal_held or counts.errors or report.aborted):
        console.line("hint: there are no files here yet; put some Markdown or text into the folder")
    if report.embedding is not None:
        render_embedding(console, report.embedding)
    if report.aborted:
        console.line("hint: run kebab ingest again to go on; what is done stays done")


def render_waiting(console: Console, passages: int) -> None:
    """Print how many passages wait for vectors."""
    if passages:
        wait = "waits" if passages == 1 else "wait"
        console.line(f"note: {count_of(passages, 'passage')} {wait} for vectors (kebab embed)")


def describe_waiting(passages: int) -> Message:
    """Say that passages wait for vectors and can be searched."""
    return Message(
        "{count} passage waits for its vector; `kebab search` finds it by its words already",
        plural="{count} passages wait for vectors; `kebab search` finds them by their words already",
        count=passages,
    )


def format_duration(seconds: float) -> str:
    """Format a length of time for people, in one or two units: `90 s`, `12 min`, `3 h 05 min`."""
    if seconds < _LONG_SECONDS:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < _LONG_MINUTES else f"{minutes // 60} h {minutes % 60:02} min"


def _range(report: IngestReport) -> str:
    """Count of files, and of a stopped run how far it came."""
    counts = report.counts
    if not report.aborted:
        return count_of(counts.scanned, "file")
    handled = counts.new + counts.updated + counts.unchanged + counts.moved + counts.skipped + counts.errors
    if not handled:
        return "before any file was read"
    return f"after {min(handled, counts.scanned)} of {count_of(counts.scanned, 'file')}"


def render_documents(console: Console, report: IngestReport) -> None:
    """Print the path and id of each document of a run over files given by name."""
    for item in report.items or ():
        if item.doc_id is not None and item.kind is not IngestResult.REMOVED:
            source = "" if item.source_id == DEFAULT_SOURCE_ID else f"{item.source_id}:"
            console.line(f"  {safe_name(source + item.doc_path)}  (kebab fetch doc {item.doc_id})")
    if report.counts.skipped:
        console.line(
            "hint: a rule of its source leaves it out; change the rule, or give the text to kebab ingest-stdin"
        )


def _outcome(console: Console, report: IngestReport) -> str:
    return console.style("stopped", fg="yellow") if report.aborted else console.style("done", fg="green")


def _seconds(report: IngestReport) -> str:
    return f"{report.duration_ms / 1000:.1f} s"


def _render_skips(console: Console, report: IngestReport) -> None:
    for reason, count in report.skipped_by_reason.items():
        example = next((e.paths[0] for e in report.skip_examples if e.reason is reason), "")
        text = f"skipped {count}: {_REASONS.get(reason, reason.value.replace('_', ' '))}"
        if reason.value == "unsupported_media" and report.skipped_by_extension:
            kinds = ", ".join(f".{ext} {n}" for ext, n in list(report.skipped_by_extension.items())[:6])
            text = f"{text} ({kinds.replace('.<no-ext>', 'without extension')})"
        elif example:
            text = f"{text}, such as {safe_name(example)}"
        console.line(console.style(f"  {text}", dim=True))


def _is_folder(item: IngestItem, report: IngestReport) -> bool:
    """True if an item is a folder that could not be read; those have lines of their own."""
    return item.error is not None and f"{item.doc_path}: {item.error.message}" in report.unreadable_folders


def _render_items(console: Console, items: Sequence[IngestItem]) -> None:
    failed = [item for item in items if item.kind is IngestResult.ERROR and item.error]
    for item in failed[:MAX_ERRORS_SHOWN]:
        message = item.error.message if item.error else ""
        console.line(console.style(f"  failed {safe_name(item.doc_path)}: {safe(message)}", fg="red"))
        if item.error and item.error.remedy:
            console.line(f"  hint: {safe(render_remedy(item.error.remedy))}")
    if len(failed) > MAX_ERRORS_SHOWN:
        console.line(f"  … and {len(failed) - MAX_ERRORS_SHOWN} more (kebab ingest --json lists all)")
    if failed:
        console.line("note: earlier versions of failed files stay searchable, marked stale")
    warned = [(item, warning) for item in items for warning in item.warnings]
    for item, warning in warned[:MAX_WARNINGS_SHOWN]:
        console.line(console.style(f"  warning {safe_name(item.doc_path)}: {safe(warning)}", fg="yellow"))
    if len(warned) > MAX_WARNINGS_SHOWN:
        console.line(f"  … and {count_of(len(warned) - MAX_WARNINGS_SHOWN, 'more warning')}")


def render_embedding_report(console: Console, report: IngestReport) -> None:
    """Print the report of `kebab embed`."""
    summary = report.embedding or EmbeddingSummary()
    console.line(
        f"{_outcome(console, report)}  {_counts(summary) or 'nothing to embed'}  ({_seconds(report)})"
    )
    _render_rest(console, summary)
    if report.aborted:
        console.line("hint: run kebab embed again to go on; what is done stays done")


def render_embedding(console: Console, summary: EmbeddingSummary) -> None:
    """Print the counts of vectors of a run over files; nothing where there are none."""
    if counts := _counts(summary):
        console.line(console.style(f"  vectors: {counts}", dim=True))
    _render_rest(console, summary)
    if summary.failure is None and summary.pending and not summary.time_limit_reached:
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
        if summary.time_limit_reached:
            console.line(
                "hint: the time of --embed-for is over; the next kebab ingest or kebab embed goes on"
            )


def _state_of(summary: EmbeddingSummary, failure: EmbeddingFailure) -> str:
    if summary.pending is None:
        return "no vectors were made"
    if summary.pending:
        return f"{count_of(summary.pending, 'passage')} without vectors"
    if failure.code in _INDEX_FAILURES:
        return "every passage has its vector, but their index could not be brought up to date"
    return "every passage has its vector, but questions get none"


def _advise(summary: EmbeddingSummary, failure: EmbeddingFailure) -> str:
    advice = hint_of(failure) or "mend the model, or choose another (kebab models list)"
    then = "" if "kebab embed" in advice else "; then kebab embed"
    if summary.pending == 0:
        return (
            f"{advice}{then}"
            if failure.code in _INDEX_FAILURES
            else f"{advice}; until then search goes by words alone"
        )
    return f"{advice}{then}; until then {_LEXICAL_ONLY.get(summary.pending, 'they are found by their words alone')}"
