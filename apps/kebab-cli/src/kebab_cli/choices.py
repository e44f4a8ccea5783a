"""Values of flags out of a fixed set, or several separated by commas."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import click
from click.shell_completion import CompletionItem


class OneOf(click.Choice[str]):
    """One of a few words in any case; a wrong one is answered with the nearest."""

    def __init__(self, choices: Sequence[str]) -> None:
        super().__init__(choices, case_sensitive=False)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's
        """Return what is wrong, the words there are, and the nearest of them."""
        return complain(str(value), list(self.choices))


class Commas(click.ParamType[tuple[str, ...]]):
    """Values separated by commas, of a fixed set where there are choices.

    Args:
        choices: Words in lower case; anything goes where there are none.
    """

    name = "a,b,…"

    def __init__(self, choices: Sequence[str] = ()) -> None:
        self._choices = tuple(choices)

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> tuple[str, ...]:
        """Return the parts that are not empty."""
        if isinstance(value, tuple):
            return value
        parts = tuple(part.strip() for part in value.split(",") if part.strip())
        if not parts:
            self.fail("needs at least one value", parameter, context)
        return tuple(self._checked(part, parameter, context) for part in parts)

    def _checked(self, part: str, parameter: click.Parameter | None, context: click.Context | None) -> str:
        if not self._choices:
            return part
        if part.lower() not in self._choices:
            self.fail(complain(part, self._choices), parameter, context)
        return part.lower()

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        param: click.Parameter,  # noqa: ARG002 - click's
        incomplete: str,
    ) -> list[CompletionItem]:
        """Return the words that what follows the last comma may become."""
        before, comma, begun = incomplete.rpartition(",")
        return [
            CompletionItem(before + comma + choice)
            for choice in self._choices
            if choice.startswith(begun.lower())
        ]


def complain(value: str, choices: Sequence[str]) -> str:
    """Return that a value is none of the choices, and which is nearest where one is near."""
    near = get_close_matches(value.lower(), choices, n=1)
    advice = f"; did you mean {near[0]!r}?" if near else ""
    return f"{value!r} is not one of {', '.join(choices)}{advice}"
