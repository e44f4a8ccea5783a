"""Tables of any format: one header of several header rows, and which rows are the header where no file says it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_VALUE = re.compile(r"(?:\D{0,40}\d){5}|[^\s@]{1,64}@[^\s@]{1,255}\.")
"""Dates, telephone numbers, amounts and addresses of mails."""
_FIELD_END = (":", "：")


def join_headers(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return one header of several rows: for each column its texts from the top, equal ones once, with blanks between.

    It is as long as the longest row; short rows count as filled up with empty cells.
    """
    width = max(map(len, rows), default=0)
    columns = [dict.fromkeys(row[at] for row in rows if at < len(row)) for at in range(width)]
    return [" ".join(filter(None, column)) for column in columns]


def split_header(
    rows: Sequence[Sequence[str]], *, marked: int = 0
) -> tuple[list[str], Sequence[Sequence[str]]]:
    """Part the header of a table from its other rows.

    A form has a name and its value side by side, and no header. Its first row shows it: the name ends with a colon, values
    are missing, or some cells are dates, numbers or addresses and others are not.

    Args:
        rows: All rows.
        marked: Number of header rows that the file marks as such; 0 where it marks none, or all.

    Returns:
        The header, of empty cells where there is none, and the rows without it. A single row is the header.
    """
    if 0 < marked < len(rows):
        return join_headers(rows[:marked]), rows[marked:]
    if len(rows) > 1 and _is_record(rows[0]):
        return [""] * len(rows[0]), rows
    return join_headers(rows[:1]), rows[1:]


def _is_record(row: Sequence[str]) -> bool:
    """Return True if a row holds names and values, not names of columns alone."""
    first, *others = row or ("",)
    if not first:  # the corner between names of rows and of columns
        return False
    named = [text for text in others if text]
    values = sum(bool(_VALUE.match(text)) for text in named)
    is_partly_values = 0 < values < len(named) or (values == len(others) == 1)
    return first.endswith(_FIELD_END) or len(named) * 2 < len(others) or is_partly_values
