"""Arguments as they come in: checked whole, complained about in words."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

if TYPE_CHECKING:
    from kebab_core import InvalidInputError
    from pydantic_core import ErrorDetails

    from kebab_mcp.tool import AnyTool, ArgumentsT, Tool

_UNKNOWN = "extra_forbidden"
_SHOWN_SIGNS = 80


def show_value(value: object) -> str:
    """Return a given value for an error message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _SHOWN_SIGNS else f"{text[: _SHOWN_SIGNS - 1]}…"


def read_arguments(tool: Tool[ArgumentsT], given: Mapping[str, Any]) -> ArgumentsT:
    """Return the arguments of a call; one that is null is as if it were not there.

    Raises:
        InvalidInputError: One is unknown, missing or of another kind; names it, and the nearest that there is.
    """
    known = tool.arguments.model_fields
    given = {name: value for name, value in given.items() if value is not None or name not in known}
    try:
        return tool.arguments.model_validate(given)
    except ValidationError as error:
        # An unknown name first: it may be what another is missing for.
        first = min(error.errors(), key=lambda each: each["type"] != _UNKNOWN)
        complaint = _complaint(tool, first)
        raise complaint from error


def _complaint(tool: AnyTool, first: ErrorDetails) -> InvalidInputError:
    from kebab_core import InvalidInputError

    name = str(first["loc"][0]) if first["loc"] else ""
    own = tool.arguments.__annotations__
    known = sorted(tool.arguments.model_fields, key=lambda each: each not in own)
    hint = f"{tool.name} takes {', '.join(known)}" if known else f"{tool.name} takes no arguments"
    if first["type"] == _UNKNOWN:
        near = get_close_matches(name, known, n=1)
        advice = f"; did you mean {near[0]!r}?" if near else ""
        return InvalidInputError(f"{tool.name} has no argument {name!r}{advice}", hint=hint, argument=name)
    if first["type"] == "missing":
        return InvalidInputError(f"the argument {name!r} is missing", hint=hint, argument=name)
    said = first["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
    return InvalidInputError(
        f"{name}: {said[:1].lower()}{said[1:]}, got {show_value(first['input'])}", hint=hint, argument=name
    )
