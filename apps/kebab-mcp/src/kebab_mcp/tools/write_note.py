"""`write_note`: a text to find again, kept as a note; a note with the same address or title is updated."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from kebab_mcp.tool import Arguments, Tool

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import IngestReport

    from kebab_mcp.call import Call, IngestWork


class WriteNoteArguments(Arguments):
    """The text and what it is called."""

    title: str
    content: str
    source_uri: str | None = None


def _run(call: Call, arguments: WriteNoteArguments) -> BaseModel:
    return write_note(
        call,
        lambda sink, cancel: call.app.ingest_text(
            arguments.content,
            title=arguments.title,
            source_uri=arguments.source_uri,
            sink=sink,
            cancel=cancel,
            wait=True,
            embed=False,
        ),
    )


def write_note(call: Call, run: IngestWork) -> BaseModel:
    """Carry out a run over one note; its vectors follow the reply.

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
        message = "the note could not be stored" if failed is None else failed.message
        raise StorageError("{reason}", _reason=message)
    if app.base.wants_vectors:
        # the server ends by leaving its threads behind, and what they have not stored waits for the next run
        Thread(target=_embed, args=(app,), name="vectors-of-notes", daemon=True).start()
    return result


def _embed(app: App) -> None:
    from kebab_core import KebabError

    with suppress(KebabError):
        app.embed()


TOOL = Tool(
    name="write_note",
    description="Keep Markdown as a note. Same title or source_uri updates it.",
    arguments=WriteNoteArguments,
    returns="note_result.v1",
    run=_run,
    is_writer=True,
)
