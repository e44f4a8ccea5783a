"""Remedies in words for the reader of a page, or as a page that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_wire import render_hint

if TYPE_CHECKING:
    from kebab_app import CheckResult, Explanation
    from kebab_core import IngestFailure, KebabError, RemedyKind
    from kebab_words import Words

PAGES: dict[RemedyKind, str] = {
    "ingest": "/library",
    "list_documents": "/library",
    "doctor": "/health",
    "repair": "/health",
}
"""Pages on which a remedy is done."""


def render_remedy(failure: KebabError | Explanation | CheckResult | IngestFailure, words: Words) -> str:
    """Render what to do about a failure; empty where a page helps, or only a command of the terminal."""
    return render_hint(failure, words, handled=PAGES)
