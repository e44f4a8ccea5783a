"""Titles, headings and names, which are repeated with every passage of a document: their longest lengths."""

from __future__ import annotations

import unicodedata

MAX_LABEL_CHARS = 200
"""Maximum length, in code points, of a title or heading as label of a document or section.

A label is indexed, embedded and printed with each passage below it, so a longer one would cost a thousand times. The
whole heading stays in the text. A title has 60 characters on average; a Korean sentence has 50."""
MAX_NAME_CHARS = 100
"""Maximum length of a tag or an alias, in code points."""
MAX_NAMES = 500
"""Maximum number of tags of a document, and of aliases."""
MAX_USER_METADATA_CHARS = 16_384
"""Maximum size, in code points of JSON, of the front-matter keys and values that kebab only keeps."""
_ELLIPSIS = "…"
_JOINERS = {"\u200d", "\ufe0f"}


def shorten_label(text: str, limit: int = MAX_LABEL_CHARS) -> str:
    """Return a title or heading, ending in `…` where it was too long; one that is short enough is returned as it is.

    Args:
        text: Any text.
        limit: Most code points of the result, at least 2.
    """
    return text if len(text) <= limit else shorten(text, limit - 1) + _ELLIPSIS


def shorten(text: str, limit: int) -> str:
    """Return the text on one line, cut at a word, or else between characters as people count them.

    Args:
        text: Any text.
        limit: Most code points of the result, at least 1.

    Returns:
        At most `limit` code points without blanks at the ends.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    head = line[: limit + 1].rpartition(" ")[0]
    if len(head) > limit // 2:
        return head
    end = limit
    while end > 1 and continues_character(line[end - 1], line[end]):
        end -= 1
    return line[:end].rstrip()


def continues_character(before: str, char: str) -> bool:
    """True if a code point belongs to the same character, as people count them, as the one before it.

    U+FE0E, which asks for a sign without colour, does not count: ids depend on where headings are cut.
    """
    return char in _JOINERS or before == "\u200d" or unicodedata.combining(char) != 0
