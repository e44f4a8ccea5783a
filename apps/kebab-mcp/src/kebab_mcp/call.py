"""One call of a tool: its knowledge base, cancellation and progress; ingest as a call; errors as results."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from kebab_core import CancelToken, Message

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import IndexedChunk, IngestEvent, IngestReport, LockedError, SearchHit
    from kebab_wire import ErrorV1, IngestReportV1

    IngestWork = Callable[[Callable[[IngestEvent], None], CancelToken], IngestReport]


WRITER_WAIT_S = 10.0
"""Seconds to wait for another writer; less than clients wait for an answer."""
_LOG = logging.getLogger("kebab.mcp")

Report = Callable[[float, float | None, str], None]
"""Receives progress, which only rises, the total where it is known, and a message. From any thread."""


class Call:
    """The knowledge base for one call, its cancellation, and its progress.

    Args:
        open_app: Opens the knowledge base; raises errors of its configuration.
        report: Receives progress; None where the client did not ask for it.
    """

    def __init__(self, open_app: Callable[[], App], *, report: Report | None = None) -> None:
        self._open_app = open_app
        self._report = report
        self._guard = threading.Lock()
        self._on_cancel: list[Callable[[], None]] = []
        self.token = CancelToken()
        """Asks the work of the call to stop once it is cancelled."""
        self.pictures: list[bytes] = []
        """PNGs that come with the result."""

    @property
    def app(self) -> App:
        """The knowledge base, opened now where it is not yet."""
        return self._open_app()

    @property
    def is_cancelled(self) -> bool:
        """Whether the call was cancelled."""
        return self.token.is_cancelled

    def raise_if_cancelled(self) -> None:
        """Stop the work of a cancelled call.

        Raises:
            WorkCancelledError: The call was cancelled.
        """
        self.token.raise_if_cancelled()

    def on_cancel(self, stop: Callable[[], None]) -> None:
        """Call `stop` when the call is cancelled; at once where it is already."""
        with self._guard:
            if not self.is_cancelled:
                self._on_cancel.append(stop)
                return
        stop()

    def cancel(self) -> None:
        """Cancel the call; from any thread, more than once."""
        with self._guard:
            self.token.cancel()
            waiting, self._on_cancel = self._on_cancel, []
        for stop in waiting:
            stop()

    def report(self, progress: float, total: float | None, message: str) -> None:
        """Report progress, unless the call is cancelled."""
        if self._report is not None and not self.is_cancelled:
            self._report(progress, total, message)


def count_hit(hit: SearchHit) -> int:
    """Tokens of a hit for agents."""
    from kebab_wire import agent_hit_cost

    return agent_hit_cost(hit)


def count_chunk(chunk: IndexedChunk) -> int:
    """Tokens of a neighbour of a fetched chunk."""
    from kebab_wire import fetched_chunk_cost

    return fetched_chunk_cost(chunk)


def watch_ingest(call: Call, work: IngestWork, *, wait_s: float = WRITER_WAIT_S) -> IngestReportV1:
    """Run an ingest with progress and cancellation.

    Args:
        call: Receives the progress; when it is cancelled, the ingest ends after the current file.
        work: The ingest; waits for another writer.
        wait_s: Seconds that it may wait.

    Returns:
        The report.

    Raises:
        LockedError: Another writer did not finish in that time.
    """
    from kebab_wire import wire_ingest_report

    from kebab_mcp.remedies import render_remedy

    cancel = CancelToken()
    call.on_cancel(cancel.cancel)
    seen = 0
    call.report(seen, None, "opening the index for writing")
    deadline = time.monotonic() + wait_s
    waits_for: str | None = None

    def watch(event: IngestEvent) -> None:
        nonlocal seen, waits_for
        seen += 1
        holder = getattr(event, "waits_for", None)
        call.report(seen, None, "waiting for another writer" if holder else event.kind.replace("_", " "))
        if holder and time.monotonic() >= deadline:
            waits_for = holder
            cancel.cancel()

    report = work(watch, cancel)
    if waits_for is not None:
        call.raise_if_cancelled()
        refusal = _locked(waits_for)
        raise refusal
    return wire_ingest_report(report, render=render_remedy)


def _locked(holder: str) -> LockedError:
    from kebab_core import LockedError

    if f"(pid {os.getpid()}," in holder:
        message = Message("an earlier call is still writing this knowledge base")
    elif "(pid " in holder:
        message = Message("another process is writing this knowledge base: {holder}", holder=holder)
    else:
        message = Message("another process is writing this knowledge base")
    return LockedError(message, hint="call again in a moment", holder=holder)


def wire_failure(error: Exception) -> ErrorV1:
    """Make the wire object of an error, with hints for agents; a bug is also logged, under the id in its details."""
    from kebab_core import KebabError, Remedy, StorageError
    from kebab_wire import ErrorCode, classify_error

    from kebab_mcp.remedies import render_remedy

    if isinstance(error, OSError):
        name = f": {error.filename}" if error.filename else ""
        error = StorageError(
            "{reason}{name}",
            hint="check the path, its permissions and the space on the disk",
            kind=type(error).__name__,
            _reason=(error.strerror or str(error)).lower(),
            _name=name,
        )
    if isinstance(error, KebabError) and not error.hint and error.remedy is None:
        error.remedy = Remedy(kind="doctor")
    failure = classify_error(error, render=render_remedy)
    if failure.code is ErrorCode.INTERNAL:
        error_id = failure.details.get("error_id")
        _LOG.error("internal error %s", error_id, exc_info=error, extra={"error_id": error_id})
    return failure
