"""Numbers of paragraphs in a Word document: `1.`, `제3조`, `(a)`, counted as Word counts them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kebab_parse_office.archive import read_integer
from kebab_parse_office.labels import format_label
from kebab_parse_office.word_elements import W, value_of

if TYPE_CHECKING:
    from lxml.etree import _Element

_PLACE = re.compile(r"%([1-9])")


class NumberingLevel(NamedTuple):
    """Format of one level of a list."""

    start: int
    form: str
    """`w:numFmt`, such as `decimal` or `bullet`."""
    template: str
    """`w:lvlText`, in which `%1` stands for the number of the first level."""
    style: str | None
    """Id of the paragraph style that is numbered so."""


class WordNumbering:
    """Lists of a Word document, and how far each has been counted.

    Args:
        root: `w:numbering`; None for a document without lists.
    """

    def __init__(self, root: _Element | None) -> None:
        self._levels: dict[str, dict[int, NumberingLevel]] = {}
        self._abstract_of: dict[str, str] = {}
        self._overrides: dict[tuple[str, int], int] = {}
        self._counters: dict[str, dict[int, int]] = {}
        self._started: set[tuple[str, int]] = set()
        for abstract in () if root is None else root.iterfind(W + "abstractNum"):
            levels = {
                read_integer(each.get(W + "ilvl")): _read_level(each) for each in abstract.iterfind(W + "lvl")
            }
            self._levels[abstract.get(W + "abstractNumId", "")] = levels
        for number in () if root is None else root.iterfind(W + "num"):
            self._read_number(number)

    def level(self, list_id: str, depth: int) -> NumberingLevel | None:
        """Return the format of a level; None for a list that is not there."""
        return self._levels.get(self._abstract_of.get(list_id, ""), {}).get(depth)

    def depth_of_style(self, list_id: str, style: str) -> int | None:
        """Return the level of a list that is bound to a paragraph style; None where none is."""
        levels = self._levels.get(self._abstract_of.get(list_id, ""), {})
        return next((depth for depth, level in levels.items() if level.style == style), None)

    def count(self, list_id: str, depth: int) -> str:
        """Count one paragraph and return its label; empty for a bullet or a level without a number."""
        level = self.level(list_id, depth)
        if level is None:
            return ""
        abstract = self._abstract_of[list_id]
        counters = self._counters.setdefault(abstract, {})
        override = self._overrides.get((list_id, depth))
        if override is not None and (list_id, depth) not in self._started:
            counters[depth] = override
        else:
            counters[depth] = counters.get(depth, level.start - 1) + 1
        self._started.add((list_id, depth))
        for deeper in [each for each in counters if each > depth]:
            del counters[deeper]
        if level.form in {"bullet", "none"}:
            return "" if level.form == "bullet" else _PLACE.sub("", level.template).strip()

        def number_at(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            other = self.level(list_id, place)
            if other is None:
                return ""
            return format_label(counters.get(place, other.start), other.form)

        return _PLACE.sub(number_at, level.template).strip()

    def _read_number(self, number: _Element) -> None:
        list_id = number.get(W + "numId", "")
        self._abstract_of[list_id] = value_of(number, "abstractNumId") or ""
        for override in number.iterfind(W + "lvlOverride"):
            depth = read_integer(override.get(W + "ilvl"))
            start = read_integer(value_of(override, "startOverride"), default=-1)
            if start >= 0:
                self._overrides[list_id, depth] = start


def _read_level(level: _Element) -> NumberingLevel:
    return NumberingLevel(
        start=read_integer(value_of(level, "start"), default=1),
        form=value_of(level, "numFmt") or "decimal",
        template=value_of(level, "lvlText") or "",
        style=value_of(level, "pStyle"),
    )
