"""What `kebab watch` prints: a line for each run that changed something, notices, and failures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Lock

from kebab_core import CancelToken, IngestEvent, IngestItem, IngestReport, IngestResult, Message, WatchNotice
from kebab_words import Phrases

from kebab_cli.language import localize, tr
from kebab_cli.remedies import render_remedy
from kebab_cli.render import Console, safe, safe_name
from kebab_cli.views.ingest import describe_unread_folders

_MAX_NAMES = 3
"""Files of a run that are named."""
_MIN_PASSAGES = 100
"""Vectors of fewer passages are not told: each saved note has some."""
_FAILURES = {"failed", "vectors_failed", "source_missing", "polling"}


class WatchView:
    """Prints what a watch tells; may be called by several threads.

    Args:
        console: Where to.
        cancel: Cancelled where nobody reads the output any more.
    """

    def __init__(self, console: Console, cancel: CancelToken) -> None:
        self._console = console
        self._cancel = cancel
        self._lock = Lock()

    def sink(self, event: IngestEvent) -> None:
        """Write an event of a run for programs."""
        from kebab_wire import wire_ingest_event

        with self._writing():
            self._console.wire(wire_ingest_event(event))

    def tell(self, told: WatchNotice | IngestReport) -> None:
        """Print a notice, or the line of a run that changed something and what failed in it."""
        with self._writing():
            if isinstance(told, WatchNotice):
                self._print_notice(told)
            else:
                self._print_run(told)

    def _print_notice(self, notice: WatchNotice) -> None:
        if self._console.json:
            from kebab_wire import wire_watch_notice

            self._console.wire(wire_watch_notice(notice, render=render_remedy))
            return
        text = f"{_time(notice.ts)}  {safe_name(localize(notice.message))}"
        if notice.kind in _FAILURES:
            self._console.error(text, render_remedy(notice.remedy) if notice.remedy else None)
        else:
            self._say(text)

    def _print_run(self, report: IngestReport) -> None:
        if self._console.json:
            from kebab_wire import wire_ingest_report

            self._console.wire(wire_ingest_report(report, render=render_remedy))
            return
        counts = report.counts
        told = {
            IngestResult.NEW: Message("{count} new", count=counts.new),
            IngestResult.UPDATED: Message("{count} updated", count=counts.updated),
            IngestResult.MOVED: Message("{count} moved", count=counts.moved),
            IngestResult.REMOVED: Message("{count} removed", count=counts.removed),
            IngestResult.ERROR: Message("{count} failed", count=counts.errors),
        }
        names = _names(report.items or ())
        parts = [
            f"{localize(text)}{names.get(kind, '')}" for kind, text in told.items() if text.arguments["count"]
        ]
        if folders := report.unreadable_folders:
            parts.append(localize(Phrases.unread_folders(len(folders))))
        embedding = report.embedding
        made = 0 if embedding is None else embedding.computed + embedding.reused
        if made >= _MIN_PASSAGES:
            parts.append(tr("{count} passage embedded", plural="{count} passages embedded", count=made))
        at = _time(report.finished_at)
        if parts:
            took = tr("{seconds:.1f} s", seconds=report.duration_ms / 1000)
            self._say(f"{at}  {', '.join(parts)}  ({took})")
        for item in report.items or ():
            if item.error is not None:
                hint = render_remedy(item.error.remedy) if item.error.remedy else None
                self._console.error(f"{at}  {safe_name(item.doc_path)}: {localize(item.error.message)}", hint)
        for line in describe_unread_folders(report):
            self._console.error(f"{at}  {line}", None)
        if counts.removal_held:
            text = tr(
                "{count} document seems gone from disk and stays in the index",
                plural="{count} documents seem gone from disk and stay in the index",
                count=counts.removal_held,
            )
            self._console.error(f"{at}  {text}", Message("kebab ingest --prune removes them"))
        if embedding is not None and embedding.failure is not None:
            self._console.error(f"{at}  {safe(localize(embedding.failure.message))}", None)

    def _say(self, text: str) -> None:
        if not self._console.quiet:
            self._console.line(text)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except BrokenPipeError:
                self._cancel.cancel()


def _time(at: datetime) -> str:
    return f"{at.astimezone():%H:%M:%S}"


def _names(items: tuple[IngestItem, ...]) -> dict[IngestResult, str]:
    """Return the files of a run by what became of them; none of many. Those that failed have lines of their own."""
    named: dict[IngestResult, list[str]] = {}
    for item in items:
        if item.kind not in {IngestResult.SKIPPED, IngestResult.ERROR}:
            named.setdefault(item.kind, []).append(safe_name(item.doc_path))
    is_few = sum(map(len, named.values())) <= _MAX_NAMES
    return {kind: f": {', '.join(paths)}" for kind, paths in named.items()} if is_few else {}
