"""Header part of an HWPX: shapes of paragraphs, numberings, and facts about the document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_parse_hwp.content import PLAIN, ParagraphShape
from kebab_parse_hwp.numbering import NumberLevel

if TYPE_CHECKING:
    from lxml.etree import _Element

_KINDS = {"OUTLINE": "outline", "NUMBER": "number", "BULLET": "bullet"}


@dataclass(frozen=True, slots=True)
class HwpxStyles:
    """Shapes and numberings by their ids."""

    shapes: Mapping[str, ParagraphShape] = field(default_factory=dict)
    numberings: Mapping[int, Sequence[NumberLevel]] = field(default_factory=dict)
    raised: frozenset[str] = frozenset()
    """Ids of the character shapes that stand above the line."""

    def shape(self, paragraph: _Element) -> ParagraphShape:
        """Return the shape of a paragraph."""
        return self.shapes.get(paragraph.get("paraPrIDRef", ""), PLAIN)


def read_styles(header: _Element) -> HwpxStyles:
    """Read the root of `Contents/header.xml`."""
    shapes = {}
    for element in header.iter("{*}paraPr"):
        heading = next(element.iter("{*}heading"), None)
        kind = _KINDS.get(heading.get("type", "")) if heading is not None else None
        if heading is not None and kind:
            shapes[element.get("id", "")] = ParagraphShape(
                kind=kind, level=read_int(heading, "level"), numbering=read_int(heading, "idRef")
            )
    numberings = {}
    for element in header.iter("{*}numbering"):
        levels = {read_int(head, "level", 1): _read_level(head) for head in element.iter("{*}paraHead")}
        empty = NumberLevel("")
        most = max(levels, default=0)
        numberings[read_int(element, "id")] = [levels.get(n, empty) for n in range(1, min(most, 10) + 1)]
    raised = frozenset(
        each.get("id", "") for each in header.iter("{*}charPr") if each.find("{*}supscript") is not None
    )
    return HwpxStyles(shapes, numberings, raised)


def _read_level(head: _Element) -> NumberLevel:
    return NumberLevel(head.text or "", head.get("numFormat", "DIGIT"), read_int(head, "start", 1))


def read_int(element: _Element, name: str, default: int = 0) -> int:
    """Return an attribute that is a whole number from 0; `default` for any other."""
    value = element.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default  # noqa: PLR2004
