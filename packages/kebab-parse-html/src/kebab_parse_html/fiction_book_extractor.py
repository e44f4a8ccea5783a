"""The extractor `fb2-v1` of FictionBook: books whose sections are nested elements of one XML file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, ParserVersion
from kebab_parse import IsolatedExtractor, TextWriter, parse_xml
from pydantic import JsonValue

from kebab_parse_html.html_extractor import AGENT, choose_language
from kebab_parse_html.page_metadata import find_language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_core import CanonicalDocument, ExtractContext, Message
    from lxml.etree import _Element

FICTION_BOOK_VERSION = ParserVersion("fb2-v1")
_PICTURES = re.compile(rb"<binary\b.*?</binary\s*>", re.DOTALL)
_QUOTES = frozenset({"epigraph", "cite", "annotation"})
_PARAGRAPHS = frozenset({"p", "subtitle", "text-author"})


class FictionBookExtractor(IsolatedExtractor):
    """Extractor of FictionBook 2 (`.fb2`): all bodies with their notes, without pictures."""

    kind = "epub"
    formats = frozenset({"fb2"})
    version = FICTION_BOOK_VERSION
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one book. Spans are `LineSpan`s of the text that is read.

        Raises:
            DocumentDamagedError: It is no FictionBook.
        """
        warnings: list[Message] = []
        root = parse_xml(_PICTURES.sub(b"", content), "fb2", warnings)
        if _name(root) != "FictionBook":
            raise DocumentDamagedError("it is no FictionBook")
        writer = TextWriter(self._identify(context))
        about = next((each for each in root.iter("{*}title-info")), None)
        values: dict[str, JsonValue] = {}
        if about is not None:
            people = [
                " ".join(
                    filter(None, (_text(person, f"{part}-name") for part in ("first", "middle", "last")))
                )
                for person in about.iterfind("{*}author")
            ]
            values = {
                "title": _text(about, "book-title"),
                "author": list[JsonValue](filter(None, people)),
                "description": _text(about, "annotation"),
            }
            lang = choose_language(find_language(_text(about, "lang")), _words(root)[:4000])
            values |= {"lang": lang} if lang else {}
        for body in root.iterfind("{*}body"):
            writer.end_sections()
            _write(writer, body, 1)
        return self._build(context, writer.blocks, writer.finish(), values=values, warnings=warnings)


def _write(writer: TextWriter, parent: _Element, level: int) -> None:
    for element in _children(parent):
        name = _name(element)
        if name == "title":
            writer.heading(level, " ".join(map(_words, _children(element))))
        elif name == "section":
            writer.end_sections(level + 1)
            _write(writer, element, level + 1)
        elif name in _QUOTES:
            writer.quote("\n".join(map(_words, _lines_of(element))))
        elif name == "poem":
            writer.paragraph("\n".join(map(_words, _lines_of(element))))
        elif name == "table":
            rows = [[_words(cell) for cell in _children(row)] for row in element.iter("{*}tr")]
            writer.table(rows[0] if rows else [], rows[1:])
        else:
            writer.paragraph(_words(element))


def _lines_of(element: _Element) -> Iterator[_Element]:
    """Yield the verses and paragraphs in an element."""
    return (each for each in element.iter("{*}*") if _name(each) == "v" or _name(each) in _PARAGRAPHS)


def _children(element: _Element) -> Iterator[_Element]:
    yield from element.iterchildren("{*}*")


def _name(element: _Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _words(element: _Element) -> str:
    return " ".join("".join(element.itertext("{*}*", with_tail=True)).split())


def _text(element: _Element, name: str) -> str:
    found = element.find(f"{{*}}{name}")
    return "" if found is None else _words(found)
