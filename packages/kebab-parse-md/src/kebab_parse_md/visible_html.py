"""Visible text of raw HTML, as a browser would show it, line by line. Takes linear time even for unclosed tags."""

from __future__ import annotations

import html
import re
import string

_BREAKING = re.compile(
    r"<(?:br|hr|/?(?:p|div|tr|td|th|li|ul|ol|dl|dt|dd|table|details|summary|h[1-6]))\b[^<>]*>", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z](?:[\w-]|:(?!/))*(?:[\s/\"'][^<>]*)?>|<[?!][^<>]*>")
"""A tag, comment or instruction, but not an address in angle brackets."""
_HIDDEN = re.compile(r"<(script|style)\b")
_PICTURE = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_ASCII_LOWER = {ord(upper): ord(upper) + 32 for upper in string.ascii_uppercase}
_BLANKS = re.compile(r"[ \t]+")


def visible_inline_html(tag: str) -> str:
    """Return the visible text of one inline tag or comment: a blank for a break, the `alt` of a picture, else nothing.

    Line ends of the tag are kept.
    """
    if _PICTURE.match(tag):
        return _unescape_lines(_show_picture(tag))
    return (" " if _BREAKING.match(tag) else "") + _line_ends(tag)


def visible_html(source: str) -> str:
    """Return the visible text of an HTML block. Every line stays a line, possibly an empty one.

    Closed comments, scripts and styles are invisible. An unclosed one is taken for a mistake, and its words are kept.
    """
    text = _without_comments(source)
    text = _without_hidden(text)
    text = _PICTURE.sub(lambda tag: _show_picture(tag[0]), text)
    text = _BREAKING.sub(lambda tag: " " + _line_ends(tag[0]), text)
    text = _TAG.sub(lambda tag: _line_ends(tag[0]), text)
    return "\n".join(_BLANKS.sub(" ", line).strip() for line in _unescape_lines(text).split("\n"))


def _show_picture(tag: str) -> str:
    """Return the `alt` of a picture, with the line ends of its tag before and after it."""
    found = _ALT.search(tag)
    if found is None:
        return _line_ends(tag)
    alt = found[1] or found[2] or ""
    return _line_ends(tag[: found.start()]) + alt + _line_ends(tag[found.end() :])


def _line_ends(tag: str) -> str:
    return "\n" * tag.count("\n")


def _unescape_lines(text: str) -> str:
    """Return the text with character references replaced. None of them becomes a line end."""
    lines = (html.unescape(line) if "&" in line else line for line in text.split("\n"))
    return "\n".join(line.replace("\n", " ").replace("\r", " ") for line in lines)


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
        if end < 0:
            break
        kept.extend((source[position : opening.start()], "\n" * source.count("\n", opening.start(), end)))
        position = end
    return "".join([*kept, source[position:]])


def _ascii_lower(text: str) -> str:
    """Return the text with ASCII letters in lower case. `str.lower` would make some characters longer."""
    return text.translate(_ASCII_LOWER)
