"""`ingest_stdin`: a text to find again, which the call itself carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel

from kebab_mcp.tool import INGEST_REPORT, Arguments, Tool

if TYPE_CHECKING:
    from kebab_mcp.call import Call


class IngestStdinArguments(Arguments):
    """The text and what it is called."""

    content: str
    title: str
    source_uri: str | None = None


def _run(call: Call, arguments: IngestStdinArguments) -> BaseModel:
    from kebab_mcp.call import watch_ingest

    app = call.app
    return watch_ingest(
        call,
        lambda sink, cancel: app.ingest_text(
            arguments.content,
            title=arguments.title,
            source_uri=arguments.source_uri,
            sink=sink,
            cancel=cancel,
            wait=True,
        ),
    )


TOOL = Tool(
    name="ingest_stdin",
    description="Store Markdown or plain text as a document.",
    arguments=IngestStdinArguments,
    returns=INGEST_REPORT,
    run=_run,
    is_writer=True,
)
