"""Paragraph styles of a Word document: headings, titles, quotations, and lists that styles belong to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_parse_office.archive import read_integer
from kebab_parse_office.word_elements import W, value_of

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"heading ([1-9])")
_CONTENTS = re.compile(r"toc (?:[1-9]|heading)|table of (?:figures|authorities)|index [1-9]")
_QUOTES = {"quote", "intense quote", "block text"}
BODY_LEVEL = 9
"""Outline level of body text."""
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """A paragraph style with what it takes from those that it is based on."""

    level: int | None = None
    """Level of a heading from 1; None for all else."""
    is_title: bool = False
    is_quote: bool = False
    is_contents: bool = False
    """Whether it is of a table of contents or an index, which repeats other text."""
    list_id: str | None = None
    list_depth: int | None = None


NO_STYLE = ParagraphStyle()


def read_styles(root: _Element | None) -> dict[str, ParagraphStyle]:
    """Read the paragraph styles by id; that of paragraphs without one has an empty id."""
    elements = {
        each.get(W + "styleId", ""): each
        for each in (() if root is None else root.iterfind(W + "style"))
        if each.get(W + "type", "paragraph") == "paragraph"
    }
    styles = {style_id: _resolve(elements, style_id) for style_id in elements}
    default = next(
        (key for key, each in elements.items() if each.get(W + "default") in {"1", "true", "on"}), None
    )
    if default is not None:
        styles.setdefault("", styles[default])
    return styles


def _resolve(elements: dict[str, _Element], style_id: str) -> ParagraphStyle:
    chain: list[_Element] = []
    current: str | None = style_id
    while current in elements and elements[current] not in chain and len(chain) < _DEEPEST:
        chain.append(elements[current])
        current = value_of(chain[-1], "basedOn")
    names = [(value_of(each, "name") or "").casefold() for each in chain]
    properties = [each.find(W + "pPr") for each in chain]
    outline = next((found for each in properties if (found := value_of(each, "outlineLvl"))), None)
    heading = next((int(match[1]) for name in names if (match := _HEADING.fullmatch(name))), None)
    level = heading if outline is None else read_integer(outline, default=BODY_LEVEL) + 1
    numbers = [
        found for each in properties if each is not None and (found := each.find(W + "numPr")) is not None
    ]
    list_id = next((found for each in numbers if (found := value_of(each, "numId"))), None)
    depth = next((found for each in numbers if (found := value_of(each, "ilvl"))), None)
    return ParagraphStyle(
        level=level if level is not None and level <= BODY_LEVEL else None,
        is_title="title" in names[:2],
        is_quote=bool(_QUOTES.intersection(names)),
        is_contents=any(_CONTENTS.fullmatch(name) for name in names),
        list_id=None if list_id == "0" else list_id,
        list_depth=None if depth is None else read_integer(depth, most=BODY_LEVEL),
    )
