"""Tables of any format: one header of several header rows."""

from __future__ import annotations

from collections.abc import Sequence


def join_headers(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return one header of several rows: for each column its texts from the top, equal ones once, with blanks between.

    It is as long as the longest row; short rows count as filled up with empty cells.
    """
    width = max(map(len, rows), default=0)
    columns = [dict.fromkeys(row[at] for row in rows if at < len(row)) for at in range(width)]
    return [" ".join(filter(None, column)) for column in columns]
