"""Queries that are still being typed: the last word may go on."""

from __future__ import annotations

import re

_LAST_WORD = re.compile(r"(?:^|\s)([^\W_][\w'-]*)$")
_LONE_JAMO = re.compile(r"[\u3131-\u318e]+$")
_LEAST_LATIN = 2
_SYNTAX = re.compile(r"[\"*:()|]|^'|^raw:")


def complete_typing(text: str) -> str:
    """Return the query to search for by words while a text is being typed.

    The last word also finds the words that begin with it. Letters of a syllable that has only begun are left out; one Latin letter is
    searched as it stands, and so is a query with syntax of its own.

    Args:
        text: What is in the box; it may end with a space, after which the last word is whole.
    """
    if _SYNTAX.search(text):
        return text
    begun = _LONE_JAMO.sub("", text) if len(text.strip()) > 1 else text
    text = begun if begun.strip() else text
    found = _LAST_WORD.search(text)
    if found is None or _LONE_JAMO.search(found[1]) or (found[1].isascii() and len(found[1]) < _LEAST_LATIN):
        return text
    return f"{text} {found[1]}*"
