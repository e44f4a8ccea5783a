"""`write_note`: a text to find again, kept as a note; a note with the same address or title is updated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel

from kebab_mcp.note_run import write_document
from kebab_mcp.tool import Arguments, Tool

if TYPE_CHECKING:
    from kebab_mcp.call import Call


class WriteNoteArguments(Arguments):
    """The text and what it is called."""

    title: str
    content: str
    source_uri: str | None = None


def _run(call: Call, arguments: WriteNoteArguments) -> BaseModel:
    return write_document(
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


TOOL = Tool(
    name="write_note",
    description="Store Markdown as a note. Same title or source_uri updates it.",
    arguments=WriteNoteArguments,
    returns="note_result.v1",
    run=_run,
    is_writer=True,
)
