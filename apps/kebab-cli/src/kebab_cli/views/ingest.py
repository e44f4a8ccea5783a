"""What a run of ingest did, in a few lines."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_core import IngestItem, IngestReport, IngestResult, SkipReason

from kebab_cli.render import Console, count_of, safe, safe_name
from kebab_cli.views.embedding import render_embedding

MAX_ERRORS_SHOWN = 10
MAX_WARNINGS_SHOWN = 5
_REASONS = {
    SkipReason.LINKED_TWICE: "links to what is read anyway",
    SkipReason.SPELLED_TWICE: "another file or folder beside it has the same name in another spelling "
    "(composed or decomposed letters); rename one",
    SkipReason.UNUSABLE_NAME: "a name that is not UTF-8",
}
"""Reasons whose name says too little."""


def render_report(console: Console, report: IngestReport) -> None:
    """Print the sums, then what went wrong and what to do about it."""
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
    word = console.style("stopped", fg="yellow") if report.aborted else console.style("done", fg="green")
    written = [count_of(counts.chunks_indexed, "chunk")] if len(parts) > 1 or not report.aborted else []
    console.line(f"{word}  {', '.join(parts)}  ({', '.join([*written, _seconds(report)])})")
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
    """Print how many passages a run without vectors has left waiting, and what gives them theirs."""
    if passages:
        wait = "waits" if passages == 1 else "wait"
        console.line(f"note: {count_of(passages, 'passage')} {wait} for vectors (kebab embed)")


def _range(report: IngestReport) -> str:
    """Return how many files there were, and of a run that was stopped how far it came."""
    counts = report.counts
    if not report.aborted:
        return count_of(counts.scanned, "file")
    handled = counts.new + counts.updated + counts.unchanged + counts.moved + counts.skipped + counts.errors
    if not handled:
        return "before any file was read"
    return f"after {min(handled, counts.scanned)} of {count_of(counts.scanned, 'file')}"


def render_documents(console: Console, report: IngestReport) -> None:
    """Print where each document of a run over files that were given by name is now."""
    for item in report.items or ():
        if item.doc_id is not None and item.kind is not IngestResult.REMOVED:
            console.line(f"  {safe_name(item.doc_path)}  (kebab fetch doc {item.doc_id})")
    if report.counts.skipped:
        console.line(
            "hint: a rule of its source leaves it out; change the rule, or give the text to kebab ingest-stdin"
        )


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
    """Return whether an item is a folder that could not be looked into; those have lines of their own."""
    return item.error is not None and f"{item.doc_path}: {item.error.message}" in report.unreadable_folders


def _render_items(console: Console, items: Sequence[IngestItem]) -> None:
    failed = [item for item in items if item.kind is IngestResult.ERROR and item.error]
    for item in failed[:MAX_ERRORS_SHOWN]:
        message = item.error.message if item.error else ""
        console.line(console.style(f"  failed {safe_name(item.doc_path)}: {safe(message)}", fg="red"))
    if len(failed) > MAX_ERRORS_SHOWN:
        console.line(f"  … and {len(failed) - MAX_ERRORS_SHOWN} more (kebab ingest --json lists all)")
    if failed:
        console.line("note: earlier versions of failed files stay searchable, marked stale")
    warned = [(item, warning) for item in items for warning in item.warnings]
    for item, warning in warned[:MAX_WARNINGS_SHOWN]:
        console.line(console.style(f"  warning {safe_name(item.doc_path)}: {safe(warning)}", fg="yellow"))
    if len(warned) > MAX_WARNINGS_SHOWN:
        console.line(f"  … and {count_of(len(warned) - MAX_WARNINGS_SHOWN, 'more warning')}")
