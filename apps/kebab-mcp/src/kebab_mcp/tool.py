"""Tools for agents: their parts, their registry, their definitions in the protocol, and reading of arguments.

Each tool is a module in `tools/`, imported when it is first needed; it imports no other part of kebab until it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

from kebab_core import Message
from mcp import types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from kebab_app import ArgumentProblem
    from kebab_core import InvalidInputError

    from kebab_mcp.call import Call

READERS = ("search", "bulk_search", "ask", "fetch", "schema", "doctor")
"""Tools that only read, in the order of the listing."""
WRITERS = ("ingest_file", "ingest_stdin")
"""Tools that change the index; offered where writing is allowed."""
_OMITTED_KEYS = {"title", "minimum", "maximum", "items"}
"""Keys of pydantic's schema that a definition leaves out: repeated names, and bounds that errors name."""


class Arguments(BaseModel):
    """The arguments of one tool: closed, and cheap to define."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


Number = Annotated[int, Field(strict=True)]
"""A whole number; text and truth values are refused."""
Texts = str | tuple[str, ...]
"""One text or several; `kebab_app` splits text at its commas where a filter has several values."""

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


@dataclass(frozen=True, kw_only=True)
class Returns:
    """The part of a result's schema that is worth its tokens; the published schema has the rest."""

    version: str
    """`schema_version` of the wire object."""
    fields: tuple[str, ...]
    """Fields of its top level that are always present and needed first."""


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[ArgumentsT]):
    """One tool."""

    name: str
    description: str
    """Its use and its result, for a model."""
    arguments: type[ArgumentsT]
    returns: Returns
    run: Callable[[Call, ArgumentsT], BaseModel]
    """Runs in a thread and returns a wire object; raises errors of `kebab_core`."""
    shows_filters: bool = False
    """True if its definition lists the filters; one list is enough for all tools that take them."""
    is_writer: bool = False
    """True if it changes the index."""
    keeps_results: bool = False
    """True if its results are stored, where writing is allowed."""


AnyTool = Tool[Any]
INGEST_REPORT = Returns(
    version="ingest_report.v1",
    fields=("new", "updated", "errors", "items"),
)
"""Result of the tools that ingest one document."""


def load_tool(name: str) -> AnyTool:
    """Import a tool.

    Args:
        name: One of `READERS` or `WRITERS`.
    """
    tool: AnyTool = import_module(f"kebab_mcp.tools.{name}").TOOL
    return tool


def offered_tools(*, readonly: bool) -> Iterable[AnyTool]:
    """Load the tools to be listed."""
    return (load_tool(name) for name in (READERS if readonly else READERS + WRITERS))


def read_arguments(tool: Tool[ArgumentsT], given: Mapping[str, Any]) -> ArgumentsT:
    """Validate the arguments of a call; one that is null is as if it were absent.

    Raises:
        InvalidInputError: One is unknown, missing or of another kind; names it, and the nearest that there is.
    """
    from kebab_app import find_problem

    known = tool.arguments.model_fields
    given = {name: value for name, value in given.items() if value is not None or name not in known}
    try:
        return tool.arguments.model_validate(given)
    except ValidationError as error:
        complaint = _argument_error(tool, find_problem(error))
        raise complaint from error


def _argument_error(tool: AnyTool, problem: ArgumentProblem) -> InvalidInputError:
    from kebab_core import InvalidInputError

    name = problem.argument
    own = tool.arguments.__annotations__
    known = sorted(tool.arguments.model_fields, key=lambda each: each not in own)
    hint = f"{tool.name} takes {', '.join(known)}" if known else f"{tool.name} takes no arguments"
    message = Message("{name}: {detail}", name=name, detail=problem.detail)
    if problem.kind == "unknown":
        message = Message("{tool} has no argument {name!r}", tool=tool.name, name=name)
        if near := get_close_matches(name, known, n=1):
            message = Message("{problem}; did you mean {near!r}?", problem=message, near=near[0])
    if problem.kind == "missing":
        message = Message("the argument {name!r} is missing", name=name)
    return InvalidInputError(message, hint=hint, argument=name)


def define(tool: AnyTool, *, readonly: bool = False) -> types.Tool:
    """Make the definition of a tool. Every character costs tokens of whoever connects, so nothing is said twice.

    Args:
        tool: The tool.
        readonly: Whether writing is switched off.
    """
    writes = tool.is_writer or (tool.keeps_results and not readonly)
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=_input_schema(tool),
        output_schema=_output_schema(tool.returns),
        annotations=types.ToolAnnotations(
            read_only_hint=not writes,
            destructive_hint=False if writes else None,
            idempotent_hint=tool.is_writer or None,
            open_world_hint=False,
        ),
    )


def _input_schema(tool: AnyTool) -> dict[str, Any]:
    """Schema of the arguments, filters last."""
    schema = tool.arguments.model_json_schema()
    members = schema.get("properties", {})
    own = tool.arguments.__annotations__
    shown = sorted(members, key=lambda name: name not in own) if tool.shows_filters else own
    properties = {name: _compact(members[name]) for name in shown}
    required = schema.get("required")
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _compact(member: dict[str, Any]) -> dict[str, Any]:
    """Schema of one argument without omitted keys; an optional one is not null, a truth value is false by default."""
    choices = [choice for choice in member.get("anyOf", ()) if choice.get("type") != "null"]
    merged = {key: value for key, value in member.items() if key != "anyOf"} | (choices[0] if choices else {})
    kind = merged.get("items", {}).get("type")
    shown = {
        key: value
        for key, value in merged.items()
        if key not in _OMITTED_KEYS and value is not False and value not in (None, [])
    }
    return shown | ({"items": {"type": kind}} if shown["type"] == "array" else {})


def _output_schema(returns: Returns) -> dict[str, Any]:
    return {"type": "object", "required": list(returns.fields)}
