"""Remedies in words for the reader of a page, or as a page that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_wire import render_hint
from kebab_words import Phrases

import kebab_web.phrases as say

if TYPE_CHECKING:
    from kebab_app import CheckResult, Explanation
    from kebab_core import IngestFailure, KebabError, Message, Remedy, RemedyKind
    from kebab_words import Words

PAGES: dict[RemedyKind, str] = {
    "ingest": "/library",
    "list_documents": "/library",
    "doctor": "/health",
    "repair": "/health",
}
"""Pages on which a remedy is done."""


class Button(NamedTuple):
    """A form that does a remedy."""

    action: str
    do: str
    label: Message


def find_button(remedy: Remedy | None) -> Button | None:
    """Return the button that does a remedy; None where it is done by hand."""
    if remedy is None:
        return None
    if remedy.kind in Phrases.RUNS:
        return Button("/library/read", remedy.kind, Phrases.RUNS[remedy.kind])
    return Button("/health/repair", "", say.REPAIR) if remedy.kind == "repair" else None


def render_remedy(failure: KebabError | Explanation | CheckResult | IngestFailure, words: Words) -> str:
    """Render what to do about a failure; empty where a page helps, or only a command of the terminal."""
    return render_hint(failure, words, handled=PAGES)


def find_page(remedy: Remedy | None) -> str:
    """Return the address of the page that helps; empty where none does."""
    return PAGES.get(remedy.kind, "") if remedy is not None else ""
