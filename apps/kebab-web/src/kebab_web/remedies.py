"""Remedies in words for the reader of a page, or as a page that helps."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kebab_wire import REMEDY_WORDS, render_remedy as render
from kebab_words import Words

import kebab_web.phrases as say

if TYPE_CHECKING:
    from kebab_app import CheckResult, Explanation
    from kebab_core import IngestFailure, KebabError, Message, Remedy, RemedyKind

PAGES: dict[RemedyKind, str] = {
    "ingest": "/library",
    "list_documents": "/library",
    "doctor": "/health",
    "repair": "/health",
}
"""Pages on which a remedy is done."""


_READING = frozenset({"ingest", "read_files_again", "verify_files", "prune", "embed"})
"""Remedies that a run does."""


class Button(NamedTuple):
    """A form that does a remedy."""

    action: str
    do: str
    label: Message


def find_button(remedy: Remedy | None) -> Button | None:
    """Return the button that does a remedy; None where it is done by hand."""
    if remedy is None:
        return None
    if remedy.kind in _READING:
        return Button("/library/read", remedy.kind, say.REMEDIES[remedy.kind])
    return Button("/health/repair", "", say.REPAIR) if remedy.kind == "repair" else None


def render_remedy(failure: KebabError | Explanation | CheckResult | IngestFailure, words: Words) -> str:
    """Say what to do about a failure; empty where a page helps, or only a command of the terminal."""
    remedy = failure.remedy
    if remedy is None:
        hint: Message | str | None = getattr(failure, "hint", None)
        return words.localize(hint) if hint else ""
    if remedy.kind in PAGES or not _has_words(remedy.kind):
        return ""
    return render(remedy.model_copy(update={"then": None, "otherwise": None}), translate=words.translate)


def find_page(remedy: Remedy | None) -> str:
    """Return the address of the page that helps; empty where none does."""
    return PAGES.get(remedy.kind, "") if remedy is not None else ""


@cache
def _has_words(kind: RemedyKind) -> bool:
    """Return whether the words of a remedy are those of all faces, which the catalogue has; others name a command."""
    text = REMEDY_WORDS.get(kind)
    return text is not None and Words("ko").localize_text(text) != text
