"""Running headers and footers: rows at the edges of pages that repeat on neighbouring pages, or that hold the page number.

A row that is in doubt is none: a header in a passage is noise, a line of the body that is taken for a header is a loss.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from kebab_parse_pdf.page_layout import row_text
from kebab_parse_pdf.reading_order import Row, build_rows
from kebab_parse_pdf.segments import PageSegments

_EDGE = 0.14
"""Height of the edges in which they stand, as a share of the page."""
_EDGE_ROWS = 3
"""Rows of an edge that may be running."""
_REPEATS = 3
"""Neighbouring pages on which a row must stand at the same height."""
_NEIGHBOUR = 2
"""Distance of neighbouring pages: left and right pages may have different headers."""
_HEIGHT_STEP = 6
"""Points that its height may differ by."""
_SEPARATION = 1.2
"""Distance of a header from the body, in distances of lines that are usual on the page."""
_LARGE_TYPE = 1.1
"""Height of a title, in typical heights of the rows of its page."""
_TABLE_GAP = 1.5
"""Gap between two rows of a table, in heights of a row."""
_NUMBER = re.compile(r"\W{0,3}(?:p\.?)?(\d{1,5})(?:쪽|페이지|면|/\d{1,5})?\W{0,3}", re.IGNORECASE)
_PAGE_WORD = re.compile(r"page|p\.|쪽|페이지|면|\d{1,5}/\d{1,5}", re.IGNORECASE)
_SECTION_NUMBER = re.compile(r"^[\d.\s]{1,20}")
_WORD = re.compile(r"\w")
_OUTER_NUMBER = "# …"
"""Text of a place for any row that begins or ends with a number."""


class RunningLine(NamedTuple):
    """A row of a running header or footer."""

    row: Row
    words: str
    """Its text without the page number; empty if it has nothing else."""


class _Place(NamedTuple):
    """What repeats: a text at a height, in which `#` is a number at a fixed distance from the index of the page."""

    is_top: bool
    text: str
    distance: int | str | None
    """`label` for the printed label of the page, None without a number."""
    height: int


class _Reading(NamedTuple):
    """One way to read a row: as it stands, or with one of its words as the page number."""

    text: str
    words: str
    distance: int | str | None = None
    is_outer: bool = False
    """Whether the number stands by itself at an end of the row."""


class _Page(NamedTuple):
    rows: list[Row]
    height: float
    label: str


def find_running_lines(pages: Sequence[PageSegments], labels: Sequence[str]) -> list[list[RunningLine]]:
    """Find the running headers and footers.

    A row counts as it stands, but for one number that grows with the pages. Rows of tables and the largest type of a page are none.

    Args:
        pages: All pages of a document.
        labels: Label of each page as it is printed, empty where it is not known.

    Returns:
        For each page its rows that are of one. They are never all text of a page that has more than a number.
    """
    own = [
        _Page(build_rows([each for each in page.segments if each.is_upright]), page.height, label)
        for page, label in zip(pages, labels, strict=True)
    ]
    finder = _Finder(own)
    found: list[list[RunningLine]] = []
    for index, page in enumerate(pages):
        lines = finder.find(index)
        is_all = sum(len(line.row.segments) for line in lines) == len(page.segments)
        found.append([] if is_all and any(line.words for line in lines) else lines)
    return found


class _Finder:
    def __init__(self, pages: Sequence[_Page]) -> None:
        self._pages = pages
        self._places: dict[_Place, set[int]] = defaultdict(set)
        self._titles: set[str] = set()
        for index, page in enumerate(pages):
            edge = page.height * _EDGE
            for row in page.rows:
                if edge < row.top < page.height - edge:
                    self._titles.add(_SECTION_NUMBER.sub("", row_text(row)))
            for is_top in (True, False):
                for row in _list_edge_rows(page, is_top=is_top):
                    for reading in _list_readings(row, index, page.label):
                        for text in {reading.text, _OUTER_NUMBER} if reading.is_outer else {reading.text}:
                            for place in _list_places(row, text, reading, is_top=is_top):
                                self._places[place].add(index)

    def find(self, index: int) -> list[RunningLine]:
        """Return the running lines of a page."""
        page = self._pages[index]
        if not page.rows:
            return []
        bottoms = sorted(row.bottom for row in page.rows)
        pitch = median([other - one for one, other in pairwise(bottoms)] or [page.rows[0].height])
        found: list[RunningLine] = []
        for is_top in (True, False):
            rows = page.rows if is_top else page.rows[::-1]
            taken: list[tuple[RunningLine, bool]] = []
            for at, row in enumerate(_list_edge_rows(page, is_top=is_top)):
                inner = rows[at + 1] if at + 1 < len(rows) else None
                is_apart = inner is None or abs(inner.bottom - row.bottom) > _SEPARATION * min(
                    pitch, 2 * row.height
                )
                line = self._read(row, index, is_top=is_top, is_apart=is_apart)
                if line is None or _is_title(row, page.rows) or _is_of_table(row, inner):
                    break
                has_number = line.words != " ".join(row_text(row).split())
                taken.append((line, is_apart or has_number))
            while taken and not taken[-1][1]:
                taken.pop()
            found += [line for line, _ in taken]
        return found

    def _read(self, row: Row, index: int, *, is_top: bool, is_apart: bool) -> RunningLine | None:
        """Read a row as a running line; None if it is none."""
        readings = list(_list_readings(row, index, self._pages[index].label))
        for reading in reversed(readings):
            if not reading.words and reading.distance is not None:
                text = _OUTER_NUMBER if reading.is_outer else reading.text
                places = _list_places(row, text, reading, is_top=is_top)
                if reading.distance == "label" or any(len(self._places[each]) >= _REPEATS for each in places):
                    return RunningLine(row, "")
                continue
            has_title = is_apart and reading.is_outer and reading.words in self._titles
            texts = [reading.text, _OUTER_NUMBER] if has_title else [reading.text]
            places = [place for text in texts for place in _list_places(row, text, reading, is_top=is_top)]
            if any(_count_neighbours(self._places[place], index) >= _REPEATS for place in places):
                return RunningLine(row, reading.words)
        return None


def _count_neighbours(pages: set[int], index: int) -> int:
    """Return the number of pages, with this one, that are neighbours or neighbours of neighbours."""
    count = 1
    for step in (-1, 1):
        at = index
        while near := [at + step * by for by in range(1, _NEIGHBOUR + 1) if at + step * by in pages]:
            at, count = near[0], count + 1
    return count


def _is_title(row: Row, rows: Sequence[Row]) -> bool:
    """Return True for a row in the largest type of its page, which few rows have."""
    typical = median(each.height for each in rows)
    large = sum(each.height * _LARGE_TYPE >= row.height for each in rows)
    return row.height > _LARGE_TYPE * typical and large <= _EDGE_ROWS


def _list_edge_rows(page: _Page, *, is_top: bool) -> list[Row]:
    """Return the rows of an edge, the outermost first."""
    edge = page.height * _EDGE
    if is_top:
        return [row for row in page.rows[:_EDGE_ROWS] if row.top + row.bottom < 2 * edge]
    return [
        row for row in page.rows[: -_EDGE_ROWS - 1 : -1] if row.top + row.bottom > 2 * (page.height - edge)
    ]


def _list_readings(row: Row, index: int, label: str) -> Iterator[_Reading]:
    words = row_text(row).split()
    yield _Reading(" ".join(words), " ".join(words))
    has_page_word = any(map(_PAGE_WORD.fullmatch, words))
    for at, word in enumerate(words):
        others = [*words[:at], *words[at + 1 :]]
        rest = " ".join(others) if any(map(_WORD.search, others)) else ""
        is_outer = word in {row.segments[0].text, row.segments[-1].text} and at in {0, len(words) - 1}
        beside = [
            other
            for other in (*words[max(at - 1, 0) : at], *words[at + 1 : at + 2])
            if not _WORD.search(other)
        ]
        if rest and not (is_outer or has_page_word or beside):
            continue  # "Invoice 3": the words may be about the number
        shape = " ".join([*words[:at], "#", *words[at + 1 :]]) if rest else "#"
        if label and word.strip("-–—()[]|") == label:
            yield _Reading(shape, rest, "label", is_outer)
        number = _NUMBER.fullmatch(word)
        if number and (not rest or int(number[1]) <= index + 1):
            yield _Reading(shape, rest, int(number[1]) - index, is_outer)


def _list_places(row: Row, text: str, reading: _Reading, *, is_top: bool) -> list[_Place]:
    step = int(row.top // _HEIGHT_STEP)
    heights = step, step + (1 if row.top % _HEIGHT_STEP * 2 > _HEIGHT_STEP else -1)
    return [_Place(is_top, text, reading.distance, height) for height in heights]


def _is_of_table(row: Row, inner: Row | None) -> bool:
    """Return True for a row of cells that is followed by another one."""
    if inner is None or min(len(row.segments), len(inner.segments)) == 1:
        return False
    return max(inner.top - row.bottom, row.top - inner.bottom) < _TABLE_GAP * row.height
