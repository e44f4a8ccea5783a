"""`ingest_file`: a file to find again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

from kebab_mcp.note_run import write_document
from kebab_mcp.tool import Arguments, Tool

if TYPE_CHECKING:
    from kebab_mcp.call import Call


class IngestFileArguments(Arguments):
    """Arguments of `ingest_file`."""

    path: str


def _run(call: Call, arguments: IngestFileArguments) -> BaseModel:
    from kebab_core import InvalidInputError

    app = call.app
    app.require_writable()
    path = Path(arguments.path)
    if not path.is_absolute() and not arguments.path.startswith("~"):
        raise InvalidInputError(
            "the path {path!r} is relative, and the server stands in a folder of its own",
            hint="give the absolute path",
            argument="path",
            _path=arguments.path,
        )
    return write_document(
        call,
        lambda sink, cancel: app.ingest_file(
            path, sink=sink, cancel=cancel, wait=True, embed=False, by_agent=True
        ),
    )


TOOL = Tool(
    name="ingest_file",
    description="Index one file by absolute path: in a source, or a folder that the user allows.",
    arguments=IngestFileArguments,
    returns="note_result.v1",
    run=_run,
    is_writer=True,
)
