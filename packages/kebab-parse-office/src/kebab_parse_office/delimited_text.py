"""Delimited text (CSV, TSV) as one sheet."""

from __future__ import annotations

import csv
import re
from collections import Counter
from io import StringIO

from kebab_parse import show_counted_time

from kebab_parse_office.rich_text import join_line
from kebab_parse_office.sheets import Figure, Sheet

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARS = 64 * 1024
_FIGURE = re.compile(r"[-+(]?[$€£¥₩]?\s?\d[\d.,:/\s-]*\)?\s?[%$€£¥₩원년월일]?(?:[eE][-+]?\d+)?")
_LONGEST_FIELD = 2**31 - 1


def read_delimited(text: str, *, name: str, delimiter: str | None = None) -> Sheet:
    """Read delimited text; each record is a row, blank lines too.

    Args:
        text: The whole text.
        name: Name of the sheet.
        delimiter: Character between fields; None finds it.
    """
    csv.field_size_limit(_LONGEST_FIELD)
    sheet = Sheet(name=name)
    records = csv.reader(StringIO(text, newline=""), delimiter=delimiter or find_delimiter(text))
    header: dict[int, str] = {}
    for number, record in enumerate(records, 1):
        cells = {
            column: _cell(field) for column, field in enumerate(record, 1) if field and not field.isspace()
        }
        if cells:
            header = header or cells
            sheet.rows[number] = {
                column: _show_time(header.get(column, ""), cell) for column, cell in cells.items()
            }
    return sheet


def _show_time(name: str, cell: str) -> str:
    """Return a cell with its time where a program counted seconds or the like, by the first cell of its column."""
    time = show_counted_time(name, cell)
    return f"{cell} ({time})" if time else cell


def find_delimiter(text: str) -> str:
    """Find the delimiter that gives most records of the sample the same number of fields; a comma where none does."""
    sample = text[:_SAMPLE_CHARS]
    if len(sample) < len(text):
        sample = sample[: sample.rfind("\n") + 1] or sample

    def regularity(delimiter: str) -> tuple[float, int]:
        widths = Counter(
            len(record) for record in csv.reader(StringIO(sample, newline=""), delimiter=delimiter) if record
        )
        wide = [(count, width) for width, count in widths.items() if width > 1]
        count, width = max(wide, default=(0, 0))
        return count / max(widths.total(), 1), width

    return max(_DELIMITERS, key=regularity)


def _cell(field: str) -> str:
    text = join_line(field)
    return Figure(text) if _FIGURE.fullmatch(text) else text
