"""The screens by name. Each is loaded when it is first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kebab_tui.screens.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.screen import Screen


def list_faces(query: str) -> Mapping[str, Callable[[], Screen[Any]]]:
    """Return what makes each screen, by its name.

    Args:
        query: Stands in the box of the first one.
    """
    return {
        "search": lambda: Search(query),
        "ask": _ask,
        "library": _library,
        "inspect": _inspect,
        "work": _work,
    }


def _ask() -> Screen[Any]:
    from kebab_tui.screens.ask import Ask

    return Ask()


def _library() -> Screen[Any]:
    from kebab_tui.screens.library import Library

    return Library()


def _inspect() -> Screen[Any]:
    from kebab_tui.screens.inspect import Inspect

    return Inspect()


def _work() -> Screen[Any]:
    from kebab_tui.screens.work import Work

    return Work()
