"""The documents of a test set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from kebab_eval.json_lines import read_json_lines, read_text_field

CORPUS_FILE = "corpus.jsonl"


@dataclass(frozen=True, slots=True)
class Passage:
    """One document."""

    doc_id: str
    """In NFC."""
    title: str
    """Empty where it has none."""
    text: str


def read_passages(folder: Path) -> Iterator[Passage]:
    """Yield the documents of a set, in the order of the file; one is held at a time.

    Args:
        folder: Holds `corpus.jsonl`, each line with `_id`, `text` and perhaps `title`.

    Yields:
        The documents.

    Raises:
        InvalidInputError: The file cannot be read, or a line has no `_id`.
    """
    path = folder / CORPUS_FILE
    for line, fields in read_json_lines(path):
        yield Passage(
            doc_id=normalize(
                "NFC", read_text_field(fields, "_id", path=path, line=line, needed=True).strip()
            ),
            title=read_text_field(fields, "title", path=path, line=line, needed=False),
            text=read_text_field(fields, "text", path=path, line=line, needed=False),
        )
