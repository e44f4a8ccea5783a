"""`Work`: changed files are read, once or as they are saved, and all pages see that."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from kebab_app import WatchOptions, build_overview, run_remedy
from kebab_core import CancelToken, IngestReport, KebabError, LockedError, ScanCompleted
from kebab_words import Phrases

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import IngestEvent, Message, WatchNotice


_PATIENCE_S = 10.0


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
        self._is_reading = False
        self.follows = False
        """True while files are read as they are saved."""
        self._outcome: Message | str | None = None
        self._met_other = False

    @property
    def is_running(self) -> bool:
        """True while files are read."""
        return self._is_reading

    @property
    def is_kept_out(self) -> bool:
        """True while another process works that kept the last run out."""
        if not self._met_other:
            return False
        overview = build_overview(self._app.base)
        return overview.is_writing or overview.work is not None

    @property
    def outcome(self) -> Message | str | None:
        """Outcome of the last run; None before one has ended, and when the process that kept it out has ended."""
        return None if self._met_other and not self.is_kept_out else self._outcome

    def start(self, kind: str = "ingest", *, follow: bool = False) -> None:
        """Start reading; nothing happens where that is under way.

        Args:
            kind: A remedy: `prune` also drops documents of which very many are gone, `verify_files` compares checksums,
                `read_files_again` reads every file, `embed` reads none and computes missing embeddings; any other reads changes.
            follow: Go on until `stop`, and read files as they are saved.

        Raises:
            ReadonlyModeError: Writing is switched off.
        """
        self._app.require_writable()
        with self._starting:
            if self._thread is not None and self._thread.is_alive():
                return
            self._outcome, self._met_other = None, False
            self._cancel = CancelToken()
            self._is_reading, self.follows = True, follow
            run = partial(self._run, kind, follow=follow)
            self._thread = threading.Thread(target=run, name="ingest", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ask to stop after the file in hand."""
        self._cancel.cancel()

    def wait(self) -> None:
        """Wait for the end of the file in hand, for some seconds."""
        if self._thread is not None:
            self._thread.join(_PATIENCE_S)

    def _run(self, kind: str, *, follow: bool) -> None:
        try:
            if follow:
                self._app.watch(WatchOptions(tell=self._hear, sink=self._watch, cancel=self._cancel))
            else:
                self._tell(run_remedy(self._app.base, kind, sink=self._watch, cancel=self._cancel))
        except KebabError as error:
            self._outcome, self._met_other = error.message, isinstance(error, LockedError)
        finally:
            self._is_reading = self.follows = False

    def _watch(self, event: IngestEvent) -> None:
        if isinstance(event, ScanCompleted):
            self._is_reading = True

    def _tell(self, report: IngestReport) -> None:
        counts = report.counts
        self._is_reading = False
        if not counts.scanned and report.embedding is not None and report.embedding.computed:
            self._outcome = Phrases.embedded(report.embedding.computed)
        elif counts.new or counts.updated or counts.moved or counts.errors or self._outcome is None:
            self._outcome = Phrases.read_files(counts.new, counts.updated + counts.moved, counts.errors)

    def _hear(self, said: WatchNotice | IngestReport) -> None:
        if isinstance(said, IngestReport):
            self._tell(said)
        elif said.kind != "watching":
            self._outcome = said.message
