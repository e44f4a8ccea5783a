"""Arguments of a call: validated as a whole, with errors that name the argument."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

if TYPE_CHECKING:
    from kebab_app import ArgumentProblem
    from kebab_core import InvalidInputError

    from kebab_mcp.tool import AnyTool, ArgumentsT, Tool


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
    message = f"{name}: {problem.detail}"
    if problem.kind == "unknown":
        near = get_close_matches(name, known, n=1)
        advice = f"; did you mean {near[0]!r}?" if near else ""
        message = f"{tool.name} has no argument {name!r}{advice}"
    if problem.kind == "missing":
        message = f"the argument {name!r} is missing"
    return InvalidInputError(message, hint=hint, argument=name)
