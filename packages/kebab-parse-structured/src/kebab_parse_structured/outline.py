"""The extractor `opml-v1` of outlines: a list with the depth of each item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, LinkInline, ParserVersion
from kebab_parse import Item, parse_xml

from kebab_parse_structured.html_text import text_of_html
from kebab_parse_structured.structured_extractor import StructuredExtractor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_core import Message
    from kebab_parse import TextWriter
    from lxml.etree import _Element

    from kebab_parse_structured.structured_extractor import Object

OUTLINE_VERSION = ParserVersion("opml-v1")


class OutlineExtractor(StructuredExtractor):
    """Extractor of outlines (`.opml`): of outliners, and lists of feeds."""

    formats = frozenset({"opml"})
    version = OUTLINE_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write the items of first level that hold others as sections, all else as lists.

        Raises:
            DocumentDamagedError: It is not of the format.
        """
        root = parse_xml(content, "opml", warnings)
        body = next(root.iter("body"), None)
        if body is None:
            raise DocumentDamagedError("it is no outline")
        loose: list[Item] = []
        for outline in body.iterchildren("outline"):
            if len(outline):
                writer.items(loose)
                loose = []
                item = _item_of(outline, 0)
                writer.heading(2, item.text.split("\n")[0])
                writer.paragraph("\n".join(item.text.split("\n")[1:]))
                writer.items(list(_items_of(outline)))
                writer.end_sections(2)
            else:
                loose.append(_item_of(outline, 0))
        writer.items(loose)
        title = next((each.text for each in root.iter("title") if each.text), "")
        return {"own_title": title or ""}


def _items_of(outline: _Element) -> Iterator[Item]:
    """Yield the items below one, without recursion: files may nest deeply."""
    open_ones = [outline.iterchildren("outline")]
    while open_ones:
        child = next(open_ones[-1], None)
        if child is None:
            open_ones.pop()
            continue
        yield _item_of(child, len(open_ones) - 1)
        open_ones.append(child.iterchildren("outline"))


def _item_of(outline: _Element, level: int) -> Item:
    text = text_of_html(outline.get("text") or outline.get("title") or "")
    note = text_of_html(outline.get("_note") or outline.get("description") or "")
    address = outline.get("htmlUrl") or outline.get("xmlUrl") or outline.get("url") or ""
    shown = "\n".join(part for part in (text, note, address) if part)
    return Item(shown, level=level, inlines=(LinkInline(text=address, href=address),) if address else ())
