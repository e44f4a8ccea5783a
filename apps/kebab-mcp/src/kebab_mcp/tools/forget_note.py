"""`forget_note`: a note that kebab keeps leaves the index, or comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel

from kebab_mcp.note_run import write_document
from kebab_mcp.tool import Arguments, Tool

if TYPE_CHECKING:
    from kebab_mcp.call import Call


class ForgetNoteArguments(Arguments):
    """The note."""

    address: str
    undo: bool = False


def _run(call: Call, arguments: ForgetNoteArguments) -> BaseModel:
    from kebab_core import InvalidInputError, Remedy
    from kebab_wire import NoteResultV1

    app = call.app
    app.require_writable()
    if arguments.undo:
        return write_document(
            call, lambda sink, cancel: app.undo_forget(arguments.address, sink=sink, cancel=cancel)
        )
    plan = app.plan_forget([arguments.address], keep_answers=True)
    if not plan.copies:
        raise InvalidInputError(
            "{address!r} is no note that kebab keeps",
            remedy=Remedy(kind="list_documents"),
            address=arguments.address,
        )
    done = app.forget([arguments.address], keep_answers=True)
    return NoteResultV1(address=done.documents[0], status="forgotten")


TOOL = Tool(
    name="forget_note",
    description="Remove a note of write_note. undo: restore it, or its last text.",
    arguments=ForgetNoteArguments,
    returns="note_result.v1",
    run=_run,
    is_writer=True,
)
