"""The report of a run of ingest or embed, in a few lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from kebab_core import (
    DEFAULT_SOURCE_ID,
    SKIP_REASONS,
    DatabaseCorruptError,
    EmbeddingFailure,
    EmbeddingSummary,
    IndexModelMismatchError,
    IngestFailure,
    IngestItem,
    IngestReport,
    IngestResult,
    Message,
    OcrStarted,
    OcrSummary,
    StorageError,
    advise_on_unread,
)
from kebab_words import Phrases

from kebab_cli.language import localize, tr
from kebab_cli.remedies import hint_of, render_remedy
from kebab_cli.render import Console, count_of, safe, safe_name, show_hint, show_note

MAX_ERRORS_SHOWN = 10
MAX_WARNINGS_SHOWN = 5
_NO_EXTENSION = "<no-ext>"
"""As reports have it."""
_INDEX_FAILURES = {StorageError.code, DatabaseCorruptError.code, IndexModelMismatchError.code}
"""Codes of failures of the vector index, not of the model."""
_LONG_SECONDS, _LONG_MINUTES = 120, 120
"""From which on a length of time is shown in minutes, and in hours."""


def render_report(console: Console, report: IngestReport) -> None:
    """Print the counts, then errors, warnings and hints."""
    counts = report.counts
    parts = [_range(report)]
    for count, words in (
        (counts.new, Message("{count} new", count=counts.new)),
        (counts.updated, Message("{count} updated", count=counts.updated)),
        (counts.unchanged, Message("{count} unchanged", count=counts.unchanged)),
        (counts.moved, Message("{count} moved", count=counts.moved)),
        (counts.removed, Message("{count} removed", count=counts.removed)),
        (counts.skipped, Message("{count} skipped", count=counts.skipped)),
        (counts.errors, Message("{count} failed", count=counts.errors)),
        (len(report.unreadable_folders), Phrases.unread_folders(len(report.unreadable_folders))),
    ):
        if count:
            parts.append(localize(words))
    written = [count_of(counts.chunks_indexed, "passage")] if len(parts) > 1 or not report.aborted else []
    console.line(
        f"{_outcome(console, report)}  {', '.join(parts)}  ({', '.join([*written, _seconds(report)])})"
    )
    _render_skips(console, report)
    _render_items(console, report.items or ())
    for text in describe_unread_folders(report):
        console.line(console.style(f"  {text}", fg="red"))
    if counts.removal_held:
        gone = Message(
            "{count} document seems gone from disk, kept in case a drive is not mounted",
            plural="{count} documents seem gone from disk, kept in case a drive is not mounted",
            count=counts.removal_held,
        )
        show_note(console, gone)
        show_hint(console, Message("kebab ingest --prune removes them"))
    is_empty = not (counts.scanned or counts.removed or counts.removal_held)
    if is_empty and not (report.unreadable_folders or report.aborted):
        show_hint(console, Message("there are no files here yet; put some Markdown or text into the folder"))
    _render_read(console, report)
    if report.embedding is not None:
        render_embedding(console, report.embedding)
    if report.aborted:
        show_hint(console, Message("run kebab ingest again to continue; finished work is kept"))


def describe_unread_folders(report: IngestReport) -> Iterator[str]:
    """Say of each folder that could not be read why, and what becomes of its documents.

    Yields:
        One line for each.
    """
    for message in report.unreadable_folders:
        folder, _, reason = message.partition(": ")
        shown = f"{folder}: {localize(Message('{text}', text=reason))}"
        yield tr("cannot read {folder}; the documents in it stay indexed (kebab doctor)", folder=safe(shown))


def render_waiting(console: Console, passages: int) -> None:
    """Print how many passages wait for vectors."""
    if passages:
        waiting = Message(
            "{count} passage has no vector (kebab embed)",
            plural="{count} passages have no vectors (kebab embed)",
            count=passages,
        )
        show_note(console, waiting)


def describe_waiting(passages: int) -> Message:
    """Say that passages wait for vectors and can be searched."""
    return Message(
        "{count} passage has no vector yet; full-text search finds it already",
        plural="{count} passages have no vectors yet; full-text search finds them already",
        count=passages,
    )


def describe_pictures(event: OcrStarted) -> str:
    """Say what is about to be read or heard, how long it takes, and how to do without."""
    if event.parts:
        return tr(
            "listening to recordings, about {time}; kebab ingest --no-ocr leaves it out",
            time=format_duration(max(event.estimated_ms / 1000, 1)),
        )
    parts = [count_of(event.pictures, "picture")] if event.pictures else []
    parts += [count_of(event.pages, "scanned page")] if event.pages else []
    return tr(
        "reading the text of {pages}, about {time}; kebab ingest --no-ocr leaves it out",
        pages=tr("{first} and {second}", first=parts[0], second=parts[1]) if len(parts) > 1 else parts[0],
        time=format_duration(max(event.estimated_ms / 1000, 1)),
    )


def format_duration(seconds: float) -> str:
    """Format a length of time for people, in one or two units: `90 s`, `12 min`, `3 h 05 min`."""
    if seconds < _LONG_SECONDS:
        return tr("{seconds:.0f} s", seconds=seconds)
    minutes = round(seconds / 60)
    if minutes < _LONG_MINUTES:
        return tr("{minutes} min", minutes=minutes)
    return tr("{hours} h {minutes:02} min", hours=minutes // 60, minutes=minutes % 60)


def _range(report: IngestReport) -> str:
    """Count of files, and of a stopped run how far it came."""
    counts = report.counts
    if not report.aborted:
        return count_of(counts.scanned, "file")
    handled = counts.new + counts.updated + counts.unchanged + counts.moved + counts.skipped + counts.errors
    if not handled:
        return tr("before any file was read")
    files = count_of(counts.scanned, "file")
    return tr("after {handled} of {files}", handled=min(handled, counts.scanned), files=files)


def render_documents(console: Console, report: IngestReport) -> None:
    """Print the address of each document of a run over files given by name, and the command that reads it."""
    for item in report.items or ():
        if item.doc_id is not None and item.kind not in {IngestResult.REMOVED, IngestResult.ERROR}:
            source = "" if item.source_id == DEFAULT_SOURCE_ID else f"{item.source_id}:"
            address = safe_name(source + item.doc_path)
            console.line(f"  {address}  (kebab fetch {shlex.quote(address)})")
    if report.counts.skipped:
        left_out = Message(
            "a rule of its source excludes it; change the rule, or pipe the text to kebab ingest-stdin"
        )
        show_hint(console, left_out)


def _outcome(console: Console, report: IngestReport) -> str:
    if report.aborted:
        return console.style(tr("stopped"), fg="yellow")
    return console.style(tr("done"), fg="green")


def _seconds(report: IngestReport) -> str:
    return tr("{seconds:.1f} s", seconds=report.duration_ms / 1000)


def _render_skips(console: Console, report: IngestReport) -> None:
    for reason, count in report.skipped_by_reason.items():
        paths = next((e.paths for e in report.skip_examples if e.reason is reason), ())
        kinds = {PurePosixPath(path).suffix: path for path in reversed(paths)}
        examples = ", ".join(safe_name(path) for path in paths if path in kinds.values())
        text = tr(
            "skipped {count}: {reason}",
            count=count,
            reason=SKIP_REASONS.get(reason, reason.value.replace("_", " ")),
        )
        if reason.value == "unsupported_media" and report.skipped_by_extension:
            text = f"{text} ({_list_extensions(report)})"
        elif examples:
            text = tr("{skipped}, such as {path}", skipped=text, path=examples)
        console.line(console.style(f"  {text}", dim=True))
    commonest = next((name for name in report.skipped_by_extension if name != _NO_EXTENSION), None)
    if commonest is not None:
        extension = safe_name(commonest)
        advice = localize(advise_on_unread(extension) or _read_by_name(extension))
        show_hint(console, Message("{advice} (kebab list formats has all that is read)", advice=advice))


def _read_by_name(extension: str) -> Message:
    return Message("kebab ingest-file FILE reads a .{extension} file if it is text", extension=extension)


def _list_extensions(report: IngestReport) -> str:
    """List the extensions of unsupported files with their counts, most first."""
    return ", ".join(
        f"{tr('without extension') if name == _NO_EXTENSION else safe_name(f'.{name}')} {count}"
        for name, count in report.skipped_by_extension.items()
    )


def _render_items(console: Console, items: Sequence[IngestItem]) -> None:
    failed = [item for item in items if item.kind is IngestResult.ERROR and item.error]
    for item in failed[:MAX_ERRORS_SHOWN]:
        message = item.error.message if item.error else ""
        text = tr("failed {path}: {reason}", path=safe_name(item.doc_path), reason=safe(message))
        console.line(console.style(f"  {text}", fg="red"))
        if item.error and item.error.remedy:
            console.line(f"  {tr('hint:')} {safe(render_remedy(item.error.remedy))}")
    _render_rest_of_errors(console, len(failed))
    if any(item.error and not item.error.remedy for item in failed):
        show_hint(console, Message("kebab doctor says what to do about failed files"))
    if any(item.doc_id for item in failed):
        show_note(console, Message("earlier versions of failed files stay searchable, marked stale"))
    warned = [(item, warning) for item in items for warning in item.warnings]
    for item, warning in warned[:MAX_WARNINGS_SHOWN]:
        text = tr("warning {path}: {reason}", path=safe_name(item.doc_path), reason=safe(warning))
        console.line(console.style(f"  {text}", fg="yellow"))
    if (more := len(warned) - MAX_WARNINGS_SHOWN) > 0:
        rest = tr("and {count} more warning", plural="and {count} more warnings", count=more)
        console.line(f"  … {rest}")


def render_embedding_report(console: Console, report: IngestReport) -> None:
    """Print the report of `kebab embed`."""
    summary = report.embedding or EmbeddingSummary()
    console.line(
        f"{_outcome(console, report)}  {_counts(summary) or tr('nothing to embed')}  ({_seconds(report)})"
    )
    _render_rest(console, summary)
    if report.aborted:
        show_hint(console, Message("run kebab embed again to continue; finished work is kept"))


def render_embedding(console: Console, summary: EmbeddingSummary) -> None:
    """Print the counts of vectors of a run over files; nothing where there are none."""
    if counts := _counts(summary):
        console.line(console.style(f"  {tr('vectors: {counts}', counts=counts)}", dim=True))
    _render_rest(console, summary)
    if summary.failure is None and summary.pending and not summary.time_limit_reached:
        show_hint(console, Message("kebab embed continues with them"))


def _render_read(console: Console, report: IngestReport) -> None:
    """Print what came of pictures and recordings."""
    if report.ocr is not None:
        render_ocr(console, report.ocr)
        if report.ocr.unlinked and (report.counts.new or report.counts.updated):
            _render_unlinked(console, report.ocr.unlinked)
    if report.asr is not None:
        render_asr(console, report.asr)


def render_ocr(console: Console, summary: OcrSummary) -> None:
    """Print what came of text in pictures: counts, failures, what waits."""
    if summary.read or summary.reused:
        pages = count_of(summary.read + summary.reused, "page")
        counts = tr("{pages} read", pages=pages)
        if summary.reused:
            counts += f" ({tr('{count} reused', count=summary.reused)})"
        console.line(console.style(f"  {tr('text in pictures: {counts}', counts=counts)}", dim=True))
    _render_captions(console, summary)
    _render_unread(
        console,
        [
            tr(
                "no text from {path}, page {page}: {reason}",
                path=safe_name(each.doc_path),
                page=each.page,
                reason=safe(each.failure.message),
            )
            for each in summary.failures
        ],
    )
    if summary.waiting:
        waiting = Message(
            "the text of {count} picture or scanned page is not read yet",
            plural="the text of {count} pictures and scanned pages is not read yet",
            count=summary.waiting,
        )
        show_note(console, waiting)
        if summary.elsewhere:
            show_note(console, Message("another process is reading {pages} of them", pages=summary.elsewhere))
        _render_failure(console, summary.missing)


def render_asr(console: Console, summary: OcrSummary) -> None:
    """Print what came of speech in recordings: counts, failures, what waits."""
    if summary.read or summary.reused:
        counts = count_of(summary.documents, "document")
        console.line(
            console.style(f"  {tr('speech in recordings: {documents}', documents=counts)}", dim=True)
        )
    _render_unread(
        console,
        [
            tr(
                "no speech from {path}: {reason}",
                path=safe_name(each.doc_path),
                reason=safe(each.failure.message),
            )
            for each in summary.failures
        ],
    )
    if summary.waiting:
        waiting = Message(
            "{count} recording, or part of one, is not listened to yet, and is found by its name",
            plural="{count} recordings, or parts of them, are not listened to yet, and are found by their names",
            count=summary.waiting,
        )
        show_note(console, waiting)
        _render_failure(console, summary.missing)


def _render_unread(console: Console, failures: Sequence[str]) -> None:
    for text in failures[:MAX_ERRORS_SHOWN]:
        console.line(console.style(f"  {text}", fg="yellow"))
    _render_rest_of_errors(console, len(failures))


def _render_rest_of_errors(console: Console, errors: int) -> None:
    if (more := errors - MAX_ERRORS_SHOWN) > 0:
        console.line(f"  … {tr('and {count} more (kebab ingest --json lists all)', count=more)}")


def _render_captions(console: Console, summary: OcrSummary) -> None:
    if summary.captioned:
        counts = count_of(summary.captioned, "picture")
        line = tr("captions by a model: {pictures}", pictures=counts)
        console.line(console.style(f"  {line}", dim=True))
    _render_failure(console, summary.caption_failure)


def _render_failure(console: Console, failure: IngestFailure | None) -> None:
    """Print why nothing can be read, heard or captioned, and what to do about it."""
    if failure is None:
        return
    show_note(console, safe(failure.message))
    if failure.remedy is not None:
        show_hint(console, safe(render_remedy(failure.remedy)))


def _render_unlinked(console: Console, pictures: int) -> None:
    left = Message(
        "ingest.ocr.pictures leaves the text of {count} picture unread",
        plural="ingest.ocr.pictures leaves the text of {count} pictures unread",
        count=pictures,
    )
    show_note(console, left)
    show_hint(console, Message("kebab ocr PATH reads the pictures in a folder"))


def _counts(summary: EmbeddingSummary) -> str:
    made = summary.computed + summary.reused
    parts = []
    if made:
        parts.append(tr("{passages} embedded", passages=count_of(made, "passage")))
    if made and summary.reused:
        parts[0] += f" ({tr('{count} reused', count=summary.reused)})"
    if summary.removed:
        parts.append(tr("{count} removed", count=summary.removed))
    return ", ".join(parts)


def _render_rest(console: Console, summary: EmbeddingSummary) -> None:
    if summary.failure is not None:
        show_note(console, f"{_state_of(summary, summary.failure)}: {safe(summary.failure.message)}")
        show_hint(console, safe(_advise(summary, summary.failure)))
    elif summary.pending:
        waiting = Message(
            "{count} passage still has no vector",
            plural="{count} passages still have no vectors",
            count=summary.pending,
        )
        show_note(console, waiting)
        if summary.time_limit_reached:
            over = Message("the time of --embed-for is over; the next kebab ingest or kebab embed continues")
            show_hint(console, over)


def _state_of(summary: EmbeddingSummary, failure: EmbeddingFailure) -> str:
    if summary.pending is None:
        return tr("no vectors were made")
    if summary.pending:
        return tr("{passages} without vectors", passages=count_of(summary.pending, "passage"))
    if failure.code in _INDEX_FAILURES:
        return tr("every passage has a vector, but the vector index could not be updated")
    return tr("every passage has a vector, but queries cannot be embedded")


def _advise(summary: EmbeddingSummary, failure: EmbeddingFailure) -> str:
    advice = hint_of(failure) or tr("repair the model, or choose another (kebab models list)")
    if summary.pending == 0 and failure.code not in _INDEX_FAILURES:
        return tr("{advice}; until then only full-text search works", advice=advice)
    if "kebab embed" not in advice:
        advice = tr("{advice}; then kebab embed", advice=advice)
    if summary.pending == 0:
        return advice
    if summary.pending is None:
        return tr("{advice}; until then only full-text search finds passages without vectors", advice=advice)
    return tr(
        "{advice}; until then only full-text search finds it",
        plural="{advice}; until then only full-text search finds them",
        advice=advice,
        count=summary.pending,
    )
