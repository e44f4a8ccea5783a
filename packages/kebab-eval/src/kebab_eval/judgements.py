"""Which documents answer which query, as people judged them."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import Path

from kebab_core import InvalidInputError

from kebab_eval.json_lines import read_lines

JUDGEMENTS_FILE = "qrels.tsv"
_COLUMNS = 3
_TREC_COLUMNS = 4

Judgements = Mapping[str, Mapping[str, int]]
"""Query id to document id to grade; a grade above 0 means relevant."""


def read_judgements(folder: Path) -> Judgements:
    """Read the judgements of a set.

    A line is `query-id`, `corpus-id`, `score`, between tabs, or the four columns of trec_eval. The first line may be
    a heading. The last of two judgements of one pair holds.

    Args:
        folder: Holds `qrels.tsv`.

    Returns:
        Grades; ids in NFC.

    Raises:
        InvalidInputError: The file cannot be read, or a line has other columns.
    """
    path = folder / JUDGEMENTS_FILE
    found: dict[str, dict[str, int]] = {}
    for number, line in read_lines(path):
        columns = line.split("\t")
        if len(columns) == _TREC_COLUMNS:
            del columns[1]  # the iteration, which nothing uses
        grade = _grade(columns)
        if grade is None:
            if number == 1 and len(columns) == _COLUMNS:
                continue  # the heading
            raise InvalidInputError(
                f"line {number} of {str(path)!r} is no judgement",
                hint="every line is query-id, corpus-id and a whole number, between tabs",
                path=str(path),
                line=number,
            )
        query_id, doc_id = (unicodedata.normalize("NFC", text.strip()) for text in columns[:2])
        found.setdefault(query_id, {})[doc_id] = grade
    return found


def _grade(columns: list[str]) -> int | None:
    try:
        return int(columns[2]) if len(columns) == _COLUMNS else None
    except ValueError:
        return None
