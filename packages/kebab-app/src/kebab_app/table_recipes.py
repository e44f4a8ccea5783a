"""Recipes of the rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import MediaType
    from kebab_ingest import Recipe


class TableRecipes:
    """Recipes of rows, each built when a file of its medium is met: most folders hold few of the media.

    Args:
        rows: Kind of a medium, of `other` media the label, and what builds a recipe. Of those that read a medium, the
            first is taken.
        find_other: Finds the recipe of a medium that no row reads.
    """

    def __init__(
        self,
        rows: Sequence[tuple[str, Callable[[], Recipe]]],
        find_other: Callable[[MediaType], Recipe | None],
    ) -> None:
        self._rows = [(media, cache(build)) for media, build in rows]
        self._find_other = find_other

    def find(self, media_type: MediaType) -> Recipe | None:
        """Find the recipe of a medium; None if nothing reads it."""
        name = media_type.label if media_type.kind == "other" else media_type.kind
        built = (build() for media, build in self._rows if media == name)
        found = next((recipe for recipe in built if recipe.extractor.supports(media_type)), None)
        return found or self._find_other(media_type)
