"""Parsing of HTML, in a time that grows with the length of a page and not with how deep its elements are nested."""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MOST_OPEN = 2000
"""Open elements from which on no more are opened: parsers look through all of them, browsers end at 512."""
_TAG = re.compile(r"<(?:!--|(/?)([A-Za-z][A-Za-z0-9]{0,30}))")
_OPEN_ENDED = (
    "area base body br col colgroup dd dt embed head hr html img input li link meta option optgroup p param rp rt source"
    " tbody td tfoot th thead tr track wbr"
)
_END_MAY_BE_MISSING = frozenset(_OPEN_ENDED.split())
"""Elements that hold none, or that the next one of their kind ends; all others are counted."""
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_RAW = frozenset({"script", "style", "textarea", "title", "noscript", "template", "xmp"})
"""Elements of which the text is no HTML of the page."""


def parse_page(text: str) -> LexborHTMLParser:
    """Parse a page. The words of elements that are nested too deep stay, in the element above them."""
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser(bound_nesting(text))


def bound_nesting(text: str) -> str:
    """Leave out the start tags of elements that would be opened when `_MOST_OPEN` are open."""
    if text.count("<") < _MOST_OPEN:
        return text
    folded = text.translate(_LOWER)
    kept: list[str] = []
    opened = position = raw_end = 0
    for tag in _TAG.finditer(text):
        if tag.start() < raw_end:
            continue
        name = (tag[2] or "").lower()
        if not name or (name in _RAW and not tag[1]):
            raw_end = _find_end(folded, f"</{name}" if name else "-->", tag.end())
        elif name in _END_MAY_BE_MISSING:
            continue
        elif tag[1]:
            opened = max(opened - 1, 0)
        elif opened < _MOST_OPEN:
            opened += 1
        else:
            kept.append(text[position : tag.start()])
            position = raw_end = _find_end(text, ">", tag.end()) + 1
    return "".join([*kept, text[position:]])


def _find_end(text: str, sign: str, start: int) -> int:
    found = text.find(sign, start)
    return found if found >= 0 else len(text)
