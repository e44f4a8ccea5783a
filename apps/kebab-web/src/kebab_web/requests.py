"""Words for values that a request cannot have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, Message

if TYPE_CHECKING:
    from kebab_app import ArgumentProblem


def complain(problem: ArgumentProblem) -> InvalidInputError:
    """Word a value that a request cannot have."""
    if problem.kind == "time":
        return InvalidInputError("{value} is not a time", value=str(problem.value))
    return InvalidInputError(
        "{name}: {detail}",
        _name=problem.argument,
        _detail=problem.detail or Message("this value is not possible"),
    )
