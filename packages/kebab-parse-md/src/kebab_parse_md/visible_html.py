"""What a browser would show of raw HTML, by line. Linear in its input, whatever is left open."""

from __future__ import annotations

import html
import re
import string

_BREAKING = re.compile(
    r"<(?:br|hr|/?(?:p|div|tr|td|th|li|ul|ol|dl|dt|dd|table|details|summary|h[1-6]))\b[^<>]*>", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<[?!][^<>]*>")
_HIDDEN = re.compile(r"<(script|style)\b")
_PICTURE = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_ASCII_LOWER = {ord(upper): ord(upper) + 32 for upper in string.ascii_uppercase}
_BLANKS = re.compile(r"[ \t]+")


def visible_inline_html(tag: str) -> str:
    """Return what one inline tag or comment shows: a blank for a break, the `alt` of a picture, else nothing."""
    if tag.startswith("<!--"):
        return ""
    if _PICTURE.match(tag):
        return html.unescape(_alt(tag))
    return " " if _BREAKING.match(tag) else ""


def visible_html(source: str) -> str:
    """Return the visible words of an HTML block; every line of it stays a line, possibly an empty one.

    Closed comments, scripts and styles show nothing. A comment that is never closed is taken for a slip and
    its words are kept.
    """
    text = _without_comments(source)
    text = _without_hidden(text)
    text = _PICTURE.sub(lambda picture: _alt(picture[0]), text)
    text = _TAG.sub("", _BREAKING.sub(" ", text))
    lines = (_BLANKS.sub(" ", html.unescape(line)).strip() for line in text.split("\n"))
    return "\n".join(line.replace("\n", " ").replace("\r", " ") for line in lines)


def _alt(tag: str) -> str:
    found = _ALT.search(tag)
    return (found[1] or found[2] or "") if found else ""


def _without_comments(source: str) -> str:
    kept: list[str] = []
    position = 0
    while True:
        start = source.find("<!--", position)
        end = source.find("-->", start + 4) if start >= 0 else -1
        if end < 0:
            return "".join([*kept, source[position:].replace("<!--", "")])
        kept.extend((source[position:start], "\n" * source.count("\n", start, end)))
        position = end + 3


def _without_hidden(source: str) -> str:
    kept: list[str] = []
    position = 0
    folded = _ascii_lower(source)
    while opening := _HIDDEN.search(folded, position):
        end = folded.find(f"</{opening[1]}", opening.end())
        end = len(source) if end < 0 else end
        kept.extend((source[position : opening.start()], "\n" * source.count("\n", opening.start(), end)))
        position = end
    return "".join([*kept, source[position:]])


def _ascii_lower(text: str) -> str:
    """Return the text folded letter for letter: `str.lower` makes some characters longer, shifting positions."""
    return text.translate(_ASCII_LOWER)
