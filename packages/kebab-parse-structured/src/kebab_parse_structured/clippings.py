"""The extractor `clippings-v1` of `My Clippings.txt` of Kindle: marks and notes by book."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DocumentDamagedError, ParserVersion

from kebab_parse_structured.recognition import CLIPPINGS_VERSION
from kebab_parse_structured.structured_extractor import StructuredExtractor, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_core import Message
    from kebab_parse import TextWriter

    from kebab_parse_structured.structured_extractor import Object

_END = re.compile(r"^={10}[ \t]*$", re.MULTILINE)
_LEAST_LINES = 2


class Clipping(NamedTuple):
    """A mark or a note."""

    book: str
    where: str
    """Kind, page and time, as the device wrote them."""
    text: str


class ClippingsExtractor(StructuredExtractor):
    """Extractor of the clippings of Kindle: a text that its content shows to be one."""

    formats = frozenset({"kindle"})
    version = ParserVersion(CLIPPINGS_VERSION)

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write each book as a section, with what was marked as quotes and the place of each behind it.

        Raises:
            DocumentDamagedError: It is not of the format.
        """
        books: dict[str, list[Clipping]] = {}
        for clipping in _read_clippings(read_text(content, warnings)):
            books.setdefault(clipping.book, []).append(clipping)
        if not books:
            raise DocumentDamagedError("it holds no clippings")
        for book, clippings in books.items():
            writer.heading(2, book)
            for clipping in clippings:
                writer.quote(clipping.text)
                writer.paragraph(clipping.where)
        return {}


def _read_clippings(text: str) -> Iterator[Clipping]:
    for part in _END.split(text):
        lines = part.strip("\n\ufeff").split("\n")
        if len(lines) >= _LEAST_LINES and lines[1].startswith("- "):
            yield Clipping(lines[0].strip("\ufeff "), lines[1][2:].strip(), "\n".join(lines[2:]).strip())
