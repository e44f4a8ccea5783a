"""Running headers and footers: rows at the edges of pages that repeat, or that hold the number of the page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from kebab_parse_pdf.page_layout import row_text
from kebab_parse_pdf.reading_order import Row, build_rows
from kebab_parse_pdf.segments import PageSegments, Segment

_EDGE = 0.14
"""Height of the edges in which they stand, as a share of the page."""
_EDGE_ROWS = 3
"""Rows of an edge that may be running."""
_REPEATS = 3
"""Pages on which a text must stand at the same height."""
_HEIGHT_STEP = 6
"""Points that its height may differ by."""
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d{1,5}")


def find_running_lines(pages: Sequence[PageSegments], labels: Sequence[str]) -> list[frozenset[Segment]]:
    """Find the running headers and footers.

    Args:
        pages: All pages of a document.
        labels: Label of each page as it is printed, empty where it is not known.

    Returns:
        For each page the segments that are of one. They are never all text of a page that has more than a number.
    """
    edges = [_list_edge_rows(page) for page in pages]
    places: dict[tuple[bool, str, int], set[int]] = defaultdict(set)
    offsets: Counter[int] = Counter()
    for index, rows in enumerate(edges):
        for is_top, row in rows:
            for height in _heights(row):
                places[is_top, _pattern(row), height].add(index)
        offsets.update({number - index for _, row in rows for number in _numbers(row)})
    offset, numbered = max(offsets.items(), key=lambda item: item[1], default=(0, 0))
    found: list[frozenset[Segment]] = []
    for index, rows in enumerate(edges):
        number = offset + index if numbered >= _REPEATS else None
        running = [
            row
            for is_top, row in rows
            if any(len(places[is_top, _pattern(row), height]) >= _REPEATS for height in _heights(row))
            or number in _numbers(row)
            or (labels[index] and labels[index] in _outer_words(row))
        ]
        segments = frozenset(segment for row in running for segment in row.segments)
        is_all = len(segments) == len(pages[index].segments)
        only_number = all(row_text(row).strip("- ").isdigit() for row in running)
        found.append(frozenset() if is_all and not only_number else segments)
    return found


def _list_edge_rows(page: PageSegments) -> list[tuple[bool, Row]]:
    """Return the first and last rows of a page, with True for those at the top, the outermost first."""
    upright = [segment for segment in page.segments if segment.is_upright]
    edge = page.height * _EDGE
    top = build_rows([each for each in upright if each.middle < edge])[:_EDGE_ROWS]
    bottom = build_rows([each for each in upright if each.middle > page.height - edge])[::-1][:_EDGE_ROWS]
    return [*((True, row) for row in top), *((False, row) for row in bottom)]


def _heights(row: Row) -> tuple[int, int]:
    step = int(row.top // _HEIGHT_STEP)
    return step, step + (1 if row.top % _HEIGHT_STEP * 2 > _HEIGHT_STEP else -1)


def _pattern(row: Row) -> str:
    return _DIGITS.sub("#", row_text(row))


def _outer_words(row: Row) -> set[str]:
    words = row_text(row).strip("-–— ").split()
    return {words[0], words[-1]} if words else set()


def _numbers(row: Row) -> set[int]:
    return {int(word) for word in _outer_words(row) if _NUMBER.fullmatch(word)}
