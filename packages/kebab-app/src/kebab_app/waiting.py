"""A run of ingest that waits for another writer: it is heard of while it waits, and may be called off."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from kebab_core import Aborted, Heartbeat, IngestCounts, IngestReport, IngestScope, LockedError, RunId

if TYPE_CHECKING:
    from datetime import datetime

    from kebab_core import Clock

    from kebab_app.ingest.events import EventSink

WAIT_PHASE = "wait"
"""Phase of the heartbeats of a run that waits."""


def tell_of_waiting(sink: EventSink | None, *, clock: Clock) -> Callable[[LockedError], None] | None:
    """Return what says for whom a run waits each time it is called; None where nobody watches."""
    if sink is None:
        return None

    def tell(refusal: LockedError) -> None:
        sink(Heartbeat(ts=clock.now(), phase=WAIT_PHASE, waits_for=_describe_holder(refusal)))

    return tell


def _describe_holder(refusal: LockedError) -> str:
    holder = refusal.details
    if holder["pid"] == "unknown":
        return "another writer"
    return "`{command}` (pid {pid}, host {host})".format(**holder)


def call_off(
    sink: EventSink | None,
    *,
    clock: Clock,
    started_at: datetime,
    started_ms: int,
    scopes: Sequence[IngestScope],
) -> IngestReport:
    """End a run that never got its turn; its last event is `aborted`, and nothing of it is on record.

    Args:
        sink: Gets the event.
        clock: Stamps it.
        started_at: When the run began to wait.
        started_ms: The same by the clock that only goes forward.
        scopes: What it was to look at.

    Returns:
        The report of a run that did nothing.
    """
    report = IngestReport(
        run_id=RunId(f"run_{uuid.uuid4().hex[:16]}"),
        scopes=tuple(scopes),
        counts=IngestCounts(),
        aborted=True,
        duration_ms=clock.monotonic_ms() - started_ms,
        started_at=started_at,
        finished_at=clock.now(),
        items=(),
    )
    if sink is not None:
        sink(Aborted(ts=report.finished_at, counts=report.counts))
    return report
