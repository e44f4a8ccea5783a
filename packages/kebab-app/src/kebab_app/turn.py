"""One writer's turn: the lock is held, and what happens is logged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from kebab_core import IngestEvent, IngestScope, LockedError

from kebab_app.ingest.request import CancelToken
from kebab_app.run_log import open_run_log
from kebab_app.waiting import call_off, tell_of_waiting
from kebab_app.writer_lock import hold_writer_lock

if TYPE_CHECKING:
    from kebab_core import IngestReport

    from kebab_app.ingest.events import EventSink
    from kebab_app.knowledge_base import KnowledgeBase


def take_turn(
    base: KnowledgeBase,
    work: Callable[[EventSink], IngestReport],
    *,
    scopes: Sequence[IngestScope] = (),
    sink: EventSink | None,
    cancel: CancelToken,
    wait: bool,
    advice: str,
) -> IngestReport:
    """Carry one run out, with the writer lock held and a log of its own.

    Args:
        base: The knowledge base, writable.
        work: The run; called with the lock held, so that it may write, and with what takes its events.
        scopes: What it is to look at, for the report of a run that never got its turn.
        sink: Gets every event.
        cancel: Ends the wait for another writer.
        wait: Wait for another writer instead of failing.
        advice: What to do about another writer.

    Returns:
        What was done; nothing, and aborted, where the wait was ended.

    Raises:
        LockedError: Another process is writing, and there was no wait.
        ReadonlyModeError: The data folder may not be written.
        StorageError: The data folder cannot be made.
    """
    started_at, started_ms = base.clock.now(), base.clock.monotonic_ms()
    lock = hold_writer_lock(
        base.data_dir,
        until=cancel if wait else None,
        while_waiting=tell_of_waiting(sink, clock=base.clock),
        advice=advice,
    )
    with ExitStack() as held:
        try:
            held.enter_context(lock)
        except LockedError:
            if not wait:
                raise
            return call_off(
                sink, clock=base.clock, started_at=started_at, started_ms=started_ms, scopes=scopes
            )
        log = held.enter_context(open_run_log(base.loaded, clock=base.clock))

        def tell(event: IngestEvent) -> None:
            log(event)
            if sink is not None:
                sink(event)

        return work(tell)
