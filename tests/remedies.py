"""Remedies in the words of the command line, for assertions of tests."""

from __future__ import annotations

from typing import Protocol

from kebab_cli import render_remedy
from kebab_core import Remedy


class Advised(Protocol):
    """An error, a check, a step or anything else that carries a remedy."""

    @property
    def remedy(self) -> Remedy | None: ...


def say(found: Advised) -> str | None:
    """Render a remedy as the command line prints it; None where there is none."""
    return None if found.remedy is None else render_remedy(found.remedy)
