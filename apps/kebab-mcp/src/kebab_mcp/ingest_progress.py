"""An ingest as a call: waits for its turn, told how far it is, stopped when nobody waits for it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_app import CancelToken
    from kebab_core import IngestEvent, IngestReport, LockedError
    from kebab_wire import IngestReportV1

    from kebab_mcp.call import Call

    Work = Callable[[Callable[[IngestEvent], None], CancelToken], IngestReport]

TURN_S = 10.0
"""How long to wait for another writer: less than clients wait for an answer."""


def watch_ingest(call: Call, work: Work, *, turn_s: float = TURN_S) -> IngestReportV1:
    """Return the report of an ingest that is watched.

    Args:
        call: Is told how far it is; when it is cancelled, the ingest ends after the file in hand.
        work: The ingest; waits for another writer.
        turn_s: How long it may wait for one.

    Raises:
        LockedError: Another writer did not finish in that time.
    """
    from kebab_app import CancelToken
    from kebab_wire import wire_ingest_report

    cancel = CancelToken()
    call.on_cancel(cancel.cancel)
    seen = 0
    call.report(seen, None, "opening the index for writing")
    deadline = time.monotonic() + turn_s
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
        call.require_wanted()
        refusal = _locked(waits_for)
        raise refusal
    return wire_ingest_report(report)


def _locked(holder: str) -> LockedError:
    from kebab_core import LockedError

    if f"(pid {os.getpid()}," in holder:
        message = "an earlier call is still writing this knowledge base"
    else:
        named = f": {holder}" if "(pid " in holder else ""
        message = f"another process is writing this knowledge base{named}"
    return LockedError(message, hint="call again in a moment", holder=holder)
