"""Work: runs of ingest and embedding, and following the folders; Esc stops after the file or batch in hand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from kebab_words import Phrases
from textual import on
from textual.widgets import Input

import kebab_tui.phrases as say
from kebab_tui.document import Line
from kebab_tui.items import one_line, remark
from kebab_tui.keys import START, Key
from kebab_tui.screens.face import Face
from kebab_tui.texts import BAD, QUIET, show
from kebab_tui.widgets.lines import Item

if TYPE_CHECKING:
    from kebab_app import App, Overview
    from kebab_core import IngestEvent, IngestReport, KebabError, Message, WatchNotice

    from kebab_tui.jobs import Turn

_TICK_S = 0.1
"""Least time between two drawings of the progress."""
_KINDS = {**Phrases.RUNS, "watch": say.FOLLOW}
"""Labels of the runs, in the order of the list."""
_MOST = 200
"""Most failed files of a run that are listed."""


class Work(Face):
    """Screen that starts runs and shows their progress."""

    ENTER: ClassVar[Key] = START
    PLACEHOLDER: ClassVar[Message] = say.FILTER

    def __init__(self) -> None:
        super().__init__()
        self._doing = ""
        self._progress, self._outcome = "", ""
        self._lines: list[Line] = []
        self._ticked = 0.0

    def begin(self, text: str) -> None:  # noqa: ARG002 - it begins with what can be done
        """Show the state of the index."""
        if not self._doing:
            self.run("overview", self._read)

    def _read(self, app: App, turn: Turn) -> None:  # noqa: ARG002 - it is short
        from kebab_app import build_overview

        self.tell(self._show_progress, self._describe(build_overview(app.base), readonly=app.base.readonly))

    def _describe(self, overview: Overview, *, readonly: bool) -> str:
        import os

        from kebab_words import list_gaps

        coverage = overview.coverage
        said: list[Message] = [Phrases.INDEX_EMPTY]
        if coverage is not None:
            said = [Phrases.documents(coverage.documents_indexed), *list_gaps(coverage)]
        if overview.writer is not None and overview.writer != os.getpid():
            said = [say.other_writes(overview.writer)]
        if coverage is not None and coverage.documents_held:
            said.append(Phrases.held(coverage.documents_held))
        if readonly:
            said.append(say.READONLY)
        return ", ".join(map(self.w, said))

    def _show_progress(self, said: str) -> None:
        self._progress = said
        self._show()

    @on(Input.Changed)
    def _show(self) -> None:
        typed = self.box.value.casefold()
        labels = {kind: self.w(label) for kind, label in _KINDS.items()}
        items = [
            one_line(kind, show(label), kind) for kind, label in labels.items() if typed in label.casefold()
        ]
        if self._doing:
            items = [remark(f"{self.w(_KINDS[self._doing])}: {self.w(say.ESC_STOPS)}"), *items]
        self.say_status(self._progress)
        self.listing.show_items(items)

    def show_item(self, item: Item | None) -> None:  # noqa: ARG002 - the text is about the last run
        """Show the result of the last run."""
        self.show_text(self._outcome, self._lines)

    def action_open(self) -> None:
        """Start what is chosen; nothing happens where something is being done."""
        chosen = self.listing.chosen
        if chosen is None or self._doing:
            return
        kind = chosen.key
        self._doing, self._outcome, self._lines = kind, "", []
        self._progress = self.w(say.SCANNING)

        def work(app: App, turn: Turn) -> None:
            try:
                self._do(app, turn, kind)
            finally:
                self.tell(self._finish)

        self.run("work", work)
        self._show()

    def _do(self, app: App, turn: Turn, kind: str) -> None:
        from kebab_app import WatchOptions, run_remedy

        if kind == "watch":
            app.require_writable()
            app.watch(WatchOptions(tell=self._hear, sink=self._see, cancel=turn.cancel))
        else:
            self._hear(run_remedy(app.base, kind, sink=self._see, cancel=turn.cancel))

    def _see(self, event: IngestEvent) -> None:
        """Take an event of a run, in its thread."""
        now = time.monotonic()
        match event.kind:
            case "asset_finished":
                said = say.read_of(event.idx, event.total, event.path)
            case "embed_batch_finished" if event.total:
                said = say.embedded_of(event.done, event.total)
            case "ocr_page_finished":
                said = say.RECOGNISING
            case _:
                return
        if now - self._ticked >= _TICK_S:
            self._ticked = now
            self.tell(self._tick, self.w(said))

    def _tick(self, said: str) -> None:
        if self._doing:
            self._progress = said
            self.say_status(said)

    def _hear(self, said: WatchNotice | IngestReport) -> None:
        """Take the result of a run, in its thread."""
        if said.__class__.__name__ == "WatchNotice":
            self.tell(self._tick, self.w(said.message))  # type: ignore[union-attr]  # by its name: it loads models
            return
        report: IngestReport = said  # type: ignore[assignment]
        counts = report.counts
        folders = report.unreadable_folders
        outcome = Phrases.read_files(
            counts.new, counts.updated + counts.moved, counts.errors, folders=len(folders)
        )
        lines = [Line("", show(each, BAD)) for each in folders[:_MOST]]
        lines += [
            Line("", show(f"{each.doc_path}  {self.w(each.error.message)}", BAD))
            for each in (report.items or ())[:_MOST]
            if each.error is not None
        ]
        if report.embedding is not None and report.embedding.computed:
            lines.append(Line("", show(self.w(Phrases.embedded(report.embedding.computed)), QUIET)))
        self.tell(self._show_outcome, self.w(say.STOPPED_WORK if report.aborted else outcome), lines)

    def _show_outcome(self, outcome: str, lines: list[Line]) -> None:
        self._outcome, self._lines = outcome, lines
        self.show_text(outcome, lines)

    def _finish(self) -> None:
        self._doing = ""
        self.run("overview", self._read)

    def fail(self, error: KebabError) -> None:
        """Show the error of a run."""
        from kebab_tui.remedies import render_remedy

        hint = render_remedy(error, self.kebab.words)
        self._show_outcome(self.w(error.message), [Line("", show(hint))] if hint else [])

    def stop(self) -> bool:
        """Stop after the file or batch in hand."""
        if not self._doing:
            return False
        self.stop_jobs("work")
        self._tick(self.w(say.STOPPING))
        return True
