"""The extractor `anki-v1` of notes of Anki, exported as plain text: each note a paragraph, a line for each field."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

from kebab_core import ParserVersion

from kebab_parse_structured.html_text import text_of_markup
from kebab_parse_structured.recognition import ANKI_VERSION
from kebab_parse_structured.structured_extractor import StructuredExtractor, read_text

if TYPE_CHECKING:
    from kebab_core import Message
    from kebab_parse import TextWriter

    from kebab_parse_structured.structured_extractor import Object

_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|", "colon": ":"}
_LONGEST_FIELD = 2**31 - 1


class AnkiExtractor(StructuredExtractor):
    """Extractor of notes of Anki: a text that begins with the separator of its fields."""

    formats = frozenset({"anki"})
    version = ParserVersion(ANKI_VERSION)

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write the notes; their fields may be HTML."""
        csv.field_size_limit(_LONGEST_FIELD)
        text = read_text(content, warnings).removeprefix("\ufeff")
        separator = "\t"
        while text.startswith("#"):
            line, _, text = text.partition("\n")
            key, _, value = line.strip().partition(":")
            if key == "#separator":
                separator = _SEPARATORS.get(value.lower(), value[:1] or separator)
        for fields in csv.reader(StringIO(text, newline=""), delimiter=separator):
            writer.paragraph("\n".join(map(text_of_markup, fields)))
        return {}
