"""Visible text of raw HTML, as a browser would show it, line by line. Takes linear time even for unclosed tags."""

from __future__ import annotations

import html
import re
import string

_BREAKING = re.compile(
    r"<(?:br|hr|/?(?:p|div|tr|td|th|li|ul|ol|dl|dt|dd|table|details|summary|h[1-6]))\b[^<>]*>", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z](?:[\w-]|:(?!/))*(?:[\s/\"'][^<>]*)?>|<!\[CDATA\[|]]>|<[?!][^<>]*>")
"""A tag, instruction or mark of character data, but not an address in angle brackets."""
_DATA_START = "<![CDATA["
_COMMENT = re.compile("<!(?=--)")
_HIDDEN = re.compile(r"<(script|style)\b")
_PICTURE = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""`str.lower` would make some characters longer."""
_BLANKS = re.compile(r"[ \t]+")


def visible_inline_html(tag: str) -> str:
    """Return the visible text of one inline tag or comment.

    A blank for a break, the `alt` of a picture, the words of character data, else nothing. Line ends of the tag are kept.
    """
    if _PICTURE.match(tag):
        return _unescape_lines(_show_picture(tag))
    if tag.startswith(_DATA_START):
        return tag.removeprefix(_DATA_START).removesuffix("]]>")
    return (" " if _BREAKING.match(tag) else "") + _line_ends(tag)


def visible_html(source: str) -> str:
    """Return the visible text of an HTML block. Every line stays a line, possibly an empty one.

    Closed comments, scripts and styles are invisible. An unclosed one is taken for a mistake, and its words are kept.
    """
    text = _without(source, _COMMENT, closing="-->", keeps_closing=False).replace("<!--", "")
    text = _without(text, _HIDDEN, closing="</{}", keeps_closing=True)
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


def _without(source: str, opening: re.Pattern[str], *, closing: str, keeps_closing: bool) -> str:
    """Return a text without what stands between an opening and its closing, whose name may be that of the opening."""
    kept: list[str] = []
    position = 0
    folded = source.translate(_ASCII_LOWER)
    while found := opening.search(folded, position):
        mark = closing.format(*found.groups())
        end = folded.find(mark, found.end())
        if end < 0:
            break
        end += 0 if keeps_closing else len(mark)
        kept.extend((source[position : found.start()], "\n" * source.count("\n", found.start(), end)))
        position = end
    return "".join([*kept, source[position:]])
