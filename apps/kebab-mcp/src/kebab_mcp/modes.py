"""How to search where a call does not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_config import Settings
    from kebab_core import SearchMode


def choose_mode(name: str | None, settings: Settings) -> SearchMode:
    """Return the mode that is named, else both legs where a model is configured and words where none is."""
    from kebab_core import SearchMode

    if name is not None:
        return SearchMode(name)
    return SearchMode.LEXICAL if settings.models.embedding.provider == "none" else SearchMode.HYBRID
