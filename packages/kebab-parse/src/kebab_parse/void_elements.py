"""Void elements of HTML: those that have no content and no end tag (HTML Living Standard, 13.1.2)."""

from __future__ import annotations

VOID_ELEMENTS = frozenset({
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "track",
    "wbr",
})
"""Their tags, in lower case."""
