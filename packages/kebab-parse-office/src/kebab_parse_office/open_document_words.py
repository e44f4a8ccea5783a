"""Words of paragraphs in OpenDocument files."""

from __future__ import annotations

import re
from collections.abc import Container
from copy import deepcopy
from typing import TYPE_CHECKING

from kebab_parse import mark_power

from kebab_parse_office.archive import MAX_DEPTH, read_integer
from kebab_parse_office.open_document_namespaces import DRAW, OFFICE, STYLE, TEXT

if TYPE_CHECKING:
    from lxml.etree import _Element

SKIPPED = {
    OFFICE + "annotation",
    OFFICE + "annotation-end",
    TEXT + "note",
    TEXT + "ruby-text",
    DRAW + "frame",
}
"""Elements in a paragraph whose text stands apart from it."""
_RAISED = re.compile(r"super|[1-9]")
MOST_SPACES = 1000
_FIELDS = {
    TEXT + name
    for name in (
        "page-number",
        "page-count",
        "sheet-name",
        "file-name",
        "date",
        "time",
        "title",
        "modification-date",
    )
}


def plain_text(paragraph: _Element, raised: Container[str] = (), depth: int = 0) -> str:
    """Return the words of a paragraph, without notes, remarks and what hangs on it.

    Args:
        paragraph: The paragraph.
        raised: Styles of words above the line, as `raised_styles` finds them.
        depth: Number of elements around it in its paragraph.
    """
    if depth > MAX_DEPTH:
        return "".join(map(str, paragraph.itertext()))
    text = paragraph.text or ""
    for child in paragraph:
        own = sign_of(child) or ("" if child.tag in SKIPPED else plain_text(child, raised, depth + 1))
        is_raised = child.get(TEXT + "style-name", "") in raised
        text += mark_power(text, own) if is_raised else own
        text += child.tail or ""
    return text


def raised_styles(*styles: _Element) -> set[str]:
    """Return the names of those of some styles by which words stand above the line."""
    return {
        style.get(STYLE + "name", "")
        for style in styles
        for each in style.iterfind(STYLE + "text-properties")
        if _RAISED.match(each.get(STYLE + "text-position", ""))
    }


def sign_of(element: _Element) -> str:
    """Return the spaces, tab or line break that an element stands for; empty for all others."""
    if element.tag == TEXT + "s":
        count = element.get(TEXT + "c", "1")
        return " " * min(read_integer(count, default=1), MOST_SPACES)
    return {TEXT + "tab": "\t", TEXT + "line-break": "\n"}.get(element.tag, "")


def without_fields(paragraph: _Element) -> _Element:
    """Return a copy of a paragraph in which fields have no text: their stored values are those of some other moment."""
    copied = deepcopy(paragraph)
    for each in copied.iter():
        if each.tag in _FIELDS:
            each.text = ""
    return copied
