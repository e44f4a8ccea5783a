"""Label fields: lines of a passage with tags, keywords, aliases and their like, as notes have them in their front matter.

Their words find a note, but they are no statement about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_NAMES = (
    ("tags", "tag", "태그"),
    ("keywords", "keyword", "키워드"),
    ("aliases", "alias", "별칭"),
    ("categories", "category", "카테고리", "분류"),
    ("cssclasses", "cssclass"),
    ("layout", "레이아웃"),
    ("toc", "목차"),
)
"""Names of each, as a key and in a question. A longer one stands before its beginning."""
_NAMES_BY_KEY = {name: names for names in _NAMES for name in names}
_WORD = re.compile(r"[a-z]+|[가-힣]+")
LABEL_FIELD = re.compile(
    rf"""^[ \t]*["']?(?P<name>{"|".join(_NAMES_BY_KEY)})["']?[ \t]*:(?:[ \t]+\S.*|[ \t]*(?:\n[ \t]*-[ \t].*)*)(?<![.!?])$""",
    re.IGNORECASE | re.MULTILINE,
)
"""A key with its value in the same line, or as a list of YAML below it. A value that ends as a sentence is text."""


class LabelField(NamedTuple):
    """A label field: offsets in the passage, half open, and its names in English and Korean."""

    start: int
    end: int
    names: tuple[str, ...]

    def is_named_in(self, text: str) -> bool:
        """Return True if a word of a text begins with one of its names."""
        return any(word.startswith(self.names) for word in _WORD.findall(text.lower()))


def find_label_fields(text: str) -> Iterator[LabelField]:
    """Yield the label fields of a passage, in order."""
    for found in LABEL_FIELD.finditer(text):
        yield LabelField(found.start(), found.end(), _NAMES_BY_KEY[found["name"].lower()])
