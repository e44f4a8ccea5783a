"""An ingest as a call: told how far it is, stopped when nobody waits for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_app import CancelToken
    from kebab_core import IngestEvent, IngestReport
    from kebab_wire import IngestReportV1

    from kebab_mcp.call import Call

    Work = Callable[[Callable[[IngestEvent], None], CancelToken], IngestReport]


def watch_ingest(call: Call, work: Work) -> IngestReportV1:
    """Return the report of an ingest that is watched.

    Args:
        call: Is told how far it is; when it is cancelled, the ingest ends after the file in hand.
        work: The ingest.
    """
    from kebab_app import CancelToken
    from kebab_wire import wire_ingest_report

    cancel = CancelToken()
    call.on_cancel(cancel.cancel)
    seen = 0
    call.report(seen, None, "opening the index for writing")

    def watch(event: IngestEvent) -> None:
        nonlocal seen
        seen += 1
        call.report(seen, None, event.kind.replace("_", " "))

    return wire_ingest_report(work(watch, cancel))
