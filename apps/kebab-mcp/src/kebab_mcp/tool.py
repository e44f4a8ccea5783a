"""Tools for agents: their parts, their registry, their definitions in the protocol, and reading of arguments.

Each tool is a module in `tools/`, imported when it is first needed; it imports no other part of kebab until it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar, get_args

from kebab_core import Message
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

if TYPE_CHECKING:
    from kebab_app import ArgumentProblem
    from kebab_core import InvalidInputError

    from kebab_mcp.call import Call

READERS = ("search", "bulk_search", "ask", "fetch", "list", "related", "why", "doctor")
"""Tools that only read, in the order of the listing."""
WRITERS = ("write_note", "forget_note", "ingest_file")
"""Tools that change the index; offered where writing is allowed."""
UNLISTED = ("schema", "ingest_stdin")
"""Tools that are carried out where they are called, and not offered, since `doctor` and `write_note` do the same and each costs tokens."""
_SAME = (
    ("query", "question"),
    ("k", "limit"),
    ("address", "path", "document"),
    ("content", "text", "body"),
    ("title", "name"),
)
"""Names of one argument in several tools: any of them is taken where a tool has exactly one."""
FILTERS = "filters"
"""Argument with filters as members of one object, for those that a definition does not list."""
_EMPTY: tuple[object, ...] = ("", [], {})
_OMITTED_KEYS = {"title", "default", "minimum", "maximum", "ge", "le", "items", "additionalProperties"}
"""Keys of pydantic's schema that a definition leaves out: repeated names, defaults, and bounds that errors name."""


class Arguments(BaseModel):
    """The arguments of one tool: closed, and cheap to define."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def _refuse_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


Number = Annotated[int, BeforeValidator(_refuse_truth_value)]
"""A whole number, also as text or with a fraction of zero, as models write it; truth values are refused."""
Texts = str | tuple[str, ...]
"""One text or several; `kebab_app` splits text at its commas where a filter has several values."""

ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


@dataclass(frozen=True, kw_only=True)
class Tool(Generic[ArgumentsT]):
    """One tool."""

    name: str
    description: str
    """Its use and its result, for a model."""
    arguments: type[ArgumentsT]
    returns: str
    """`schema_version` of its result."""
    run: Callable[[Call, ArgumentsT], BaseModel]
    """Runs in a thread and returns a wire object; raises errors of `kebab_core`."""
    hidden_arguments: type[Arguments] = Arguments
    """The class that has the arguments which are taken and left out of the definition, those of earlier versions."""
    is_writer: bool = False
    """True if it changes the index."""


AnyTool = Tool[Any]
INGEST_REPORT = "ingest_report.v1"
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
    """Validate the arguments of a call; an optional one that is null or empty is as if it were absent.

    Raises:
        InvalidInputError: One is unknown, missing or of another kind; names it, and the nearest that there is.
    """
    from kebab_app import find_problem

    known = tool.arguments.model_fields
    given = {
        name: value
        for name, value in _flatten_filters(tool, rename_arguments(given, known)).items()
        if name not in known or (value is not None and (known[name].is_required() or value not in _EMPTY))
    }
    try:
        return tool.arguments.model_validate(given)
    except ValidationError as error:
        complaint = _argument_error(tool, find_problem(error))
        raise complaint from error


def rename_arguments(given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Give arguments that have the name of another tool the name that they have in this one."""
    named: dict[str, Any] = {}
    for name, value in given.items():
        group = next((each for each in _SAME if name in each), ())
        same = [other for other in group if other in known]
        is_other = name not in known and len(same) == 1 and same[0] not in given and same[0] not in named
        named[same[0] if is_other else name] = value
    return named


def _flatten_filters(tool: AnyTool, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put the members of `filters` beside the other arguments.

    Raises:
        InvalidInputError: A filter is given in both ways.
    """
    from kebab_core import InvalidInputError

    filters = given.get(FILTERS)
    if FILTERS not in tool.arguments.model_fields or not isinstance(filters, Mapping):
        return given
    others = {name: value for name, value in given.items() if name != FILTERS}
    if twice := sorted(filters.keys() & others.keys()):
        raise InvalidInputError(
            "{argument} is given twice, alone and in `filters`", hint="give it once", argument=twice[0]
        )
    return {**others, **filters}


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
    choices = get_args(_innermost(tool.arguments, name))
    if problem.kind == "value" and (near := get_close_matches(str(problem.value), map(str, choices), n=1)):
        message = Message("{problem}; did you mean {near!r}?", problem=message, near=near[0])
    if problem.kind == "missing":
        message = Message("the argument {name!r} is missing", name=name)
    return InvalidInputError(message, hint=hint, argument=name)


def _innermost(arguments: type[Arguments], name: str) -> object:
    """The type of an argument; of one that may be absent, that of its values."""
    field = arguments.model_fields.get(name)
    kinds = [] if field is None else [each for each in get_args(field.annotation) if each is not NoneType]
    return kinds[0] if len(kinds) == 1 else field and field.annotation


def list_tools(*, readonly: bool) -> list[dict[str, Any]]:
    """List the definitions of the tools that are offered, as the protocol has them."""
    return [define(tool) for tool in offered_tools(readonly=readonly)]


def define(tool: AnyTool) -> dict[str, Any]:
    """Make the definition of a tool. Every character costs tokens of whoever connects, so nothing is said twice.

    Results have no schema here: they say which one of `wire-schema` they have. An answer that is stored is no change of what the user owns, so that `ask` needs no permission to write.
    """
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": _input_schema(tool),
        # of each the default is the opposite
        "annotations": {"destructiveHint": False} if tool.is_writer else {"readOnlyHint": True},
    }


def _input_schema(tool: AnyTool) -> dict[str, Any]:
    """Schema of the arguments, filters last."""
    schema = tool.arguments.model_json_schema()
    members = schema.get("properties", {})
    own, order = tool.arguments.__annotations__, list(members)
    shown = sorted(
        members.keys() - tool.hidden_arguments.model_fields,
        key=lambda name: (name not in own, order.index(name)),
    )
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
    return shown | ({"items": {"type": kind or "object"}} if shown["type"] == "array" else {})
