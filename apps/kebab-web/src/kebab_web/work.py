"""`Work`: changed files are read, once or as they are saved, and all pages see that."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from kebab_app import WatchOptions, run_remedy
from kebab_core import CancelToken, IngestReport, KebabError, LockedError, ScanCompleted
from kebab_words import Phrases

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import IngestEvent, Message, WatchNotice


class Work:
    """Reads changes in a thread of its own."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._cancel = CancelToken()
        self.is_running = False
        """True while files are read."""
        self.follows = False
        """True while files are read as they are saved."""
        self.outcome: Message | str | None = None
        """Outcome of the last run; None before one has ended, and where another process kept it out."""

    @property
    def is_alive(self) -> bool:
        """True while files are read, or will be as they are saved."""
        return self._thread is not None and self._thread.is_alive()

    def start(self, app: App, kind: str = "ingest", *, follow: bool = False) -> None:
        """Start reading; nothing happens where that is under way.

        Args:
            app: The knowledge base.
            kind: A remedy: `prune` also drops documents of which very many are gone, `verify_files` compares checksums,
                `read_files_again` reads every file, `embed` reads none and computes missing embeddings; any other reads changes.
            follow: Go on until `stop`, and read files as they are saved.

        Raises:
            ReadonlyModeError: Writing is switched off.
        """
        app.require_writable()
        with self._starting:
            if self.is_alive:
                return
            self.outcome, self._cancel = None, CancelToken()
            self.is_running, self.follows = True, follow
            run = partial(self._run, app, kind, follow=follow)
            self._thread = threading.Thread(target=run, name="ingest", daemon=True)
            self._thread.start()

    def stop(self, *, wait_s: float = 0) -> None:
        """Ask to stop after the file in hand, and wait for its end so many seconds."""
        self._cancel.cancel()
        if self._thread is not None:
            self._thread.join(wait_s)

    def _run(self, app: App, kind: str, *, follow: bool) -> None:
        try:
            if follow:
                app.watch(WatchOptions(tell=self._hear, sink=self._watch, cancel=self._cancel))
            else:
                self._tell(run_remedy(app.base, kind, sink=self._watch, cancel=self._cancel))
        except KebabError as error:
            self.outcome = None if isinstance(error, LockedError) else error.message
        finally:
            self.is_running = self.follows = False

    def _watch(self, event: IngestEvent) -> None:
        if isinstance(event, ScanCompleted):
            self.is_running = True

    def _tell(self, report: IngestReport) -> None:
        counts = report.counts
        self.is_running = False
        if not counts.scanned and report.embedding is not None and report.embedding.computed:
            self.outcome = Phrases.embedded(report.embedding.computed)
            return
        folders = len(report.unreadable_folders)
        if counts.new or counts.updated or counts.moved or counts.errors or folders or self.outcome is None:
            self.outcome = Phrases.read_files(
                counts.new, counts.updated + counts.moved, counts.errors, folders=folders
            )

    def _hear(self, said: WatchNotice | IngestReport) -> None:
        if isinstance(said, IngestReport):
            self._tell(said)
        elif said.kind != "watching":
            self.outcome = said.message
