"""An ingest run over one document: what it reports becomes the reply of a tool."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import IngestReport

    from kebab_mcp.call import Call, IngestWork


def write_document(call: Call, run: IngestWork) -> BaseModel:
    """Carry out a run over one document; its vectors follow the reply.

    Raises:
        StorageError: It was not stored.
    """
    from kebab_core import StorageError
    from kebab_wire import wire_note_result

    from kebab_mcp.call import watch_ingest

    app, reports = call.app, list["IngestReport"]()

    def write(sink: Any, cancel: Any) -> IngestReport:
        reports.append(run(sink, cancel))
        return reports[-1]

    watch_ingest(call, write)
    result = wire_note_result(reports[-1])
    if result is None:
        failed = next((item.error for item in reports[-1].items or () if item.error is not None), None)
        message = "the document could not be stored" if failed is None else failed.message
        raise StorageError("{reason}", _reason=message)
    if app.base.wants_vectors:
        # the server ends by leaving its threads behind, and what they have not stored waits for the next run
        Thread(target=_embed, args=(app,), name="vectors-of-notes", daemon=True).start()
    return result


def _embed(app: App) -> None:
    from kebab_core import KebabError

    with suppress(KebabError):
        app.embed()
