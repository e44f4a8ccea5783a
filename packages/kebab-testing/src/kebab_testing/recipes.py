"""Recipes that are there from the start, as a processor finds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kebab_core import MediaType


def recipe_finder(recipes: Sequence[Any]) -> Callable[[MediaType], Any]:
    """Return the function that finds the first of some `kebab_ingest.Recipe` whose extractor supports a medium, else None."""
    return lambda medium: next((one for one in recipes if one.extractor.supports(medium)), None)
