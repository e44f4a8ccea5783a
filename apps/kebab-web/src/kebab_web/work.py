"""`Work`: one ingest at a time, started from a page and watched by all of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from kebab_core import AssetFinished, CancelToken, KebabError, ScanCompleted

import kebab_web.phrases as say

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import IngestEvent, Message


class Work:
    """Reads changes in a thread of its own.

    Args:
        app: The knowledge base.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._cancel = CancelToken()
        self.done, self.total = 0, 0
        """Files that were read, of those that are to be."""
        self.outcome: Message | str | None = None
        """What came of the last run; None before one has ended."""

    @property
    def is_running(self) -> bool:
        """True while files are read."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start reading; nothing happens where that is under way.

        Raises:
            ReadonlyModeError: Writing is switched off.
        """
        self._app.require_writable()
        with self._starting:
            if self.is_running:
                return
            self.done, self.total, self.outcome = 0, 0, None
            self._cancel = CancelToken()
            self._thread = threading.Thread(target=self._run, name="ingest", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ask to stop after the file in hand."""
        self._cancel.cancel()

    def _run(self) -> None:
        try:
            report = self._app.ingest(sink=self._watch, cancel=self._cancel)
        except KebabError as error:
            self.outcome = error.message
            return
        counts = report.counts
        self.outcome = say.read_files(counts.new, counts.updated + counts.moved, counts.errors)

    def _watch(self, event: IngestEvent) -> None:
        if isinstance(event, ScanCompleted):
            self.total = event.total
        elif isinstance(event, AssetFinished):
            self.done += 1
