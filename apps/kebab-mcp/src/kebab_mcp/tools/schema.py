"""`schema`: what kebab can do and what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel

from kebab_mcp.tool import Arguments, Tool

if TYPE_CHECKING:
    from kebab_mcp.call import Call


class SchemaArguments(Arguments):
    """None."""


def _run(call: Call, _arguments: SchemaArguments) -> BaseModel:
    from kebab_wire import WIRE_SCHEMAS, wire_schema_report

    return wire_schema_report(call.app.schema(), schemas=WIRE_SCHEMAS)


TOOL = Tool(
    name="schema",
    description="List capabilities, versions, and counts of the index by language and kind.",
    arguments=SchemaArguments,
    returns="schema.v1",
    run=_run,
)
