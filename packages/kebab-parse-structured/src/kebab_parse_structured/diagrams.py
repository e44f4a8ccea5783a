"""The extractors of diagrams: `canvas-v1` of Obsidian, `excalidraw-v1`, and `drawio-v1` of diagrams.net."""

from __future__ import annotations

import base64
import re
import zlib
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kebab_core import DocumentDamagedError, LinkInline, Message, ParserVersion
from kebab_parse import Item, cut_member, parse_xml

from kebab_parse_structured.html_text import text_of_html
from kebab_parse_structured.markdown_text import write_markdown
from kebab_parse_structured.structured_extractor import (
    StructuredExtractor,
    objects_in,
    read_object,
    read_text,
    text_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kebab_parse import TextWriter
    from lxml.etree import _Element
    from pydantic import JsonValue

    from kebab_parse_structured.structured_extractor import Object

CANVAS_VERSION = ParserVersion("canvas-v1")
EXCALIDRAW_VERSION = ParserVersion("excalidraw-v1")
DRAWIO_VERSION = ParserVersion("drawio-v1")
_MOST_ARROWS = 2000
_NAME_CHARS = 60
_MOST_PAGE_BYTES = 64 * 1024 * 1024
_DRAWING = re.compile(r"^(?:%%[ \t]*\n)?#{1,2} Drawing[ \t]*$.*", re.MULTILINE | re.DOTALL)
_COMMENTS = re.compile(r"%%.*?%%", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_SWITCH = re.compile(r"^==⚠.*?==.*$", re.MULTILINE)
_BLOCK_ID = re.compile(r"[ \t]*\^[\w-]{4,12}[ \t]*$", re.MULTILINE)
_OWN_HEADINGS = re.compile(
    r"^#{1,2} (?:Excalidraw Data|Text Elements|Element Links|Embedded Files)[ \t]*$", re.MULTILINE
)


class CanvasExtractor(StructuredExtractor):
    """Extractor of canvases (`.canvas`, the open format of Obsidian)."""

    formats = frozenset({"canvas"})
    version = CANVAS_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write the cards, groups as sections, from above to below; then the arrows between them."""
        del warnings
        canvas = read_object(content) if content.strip() else {}
        nodes = objects_in(canvas.get("nodes"))
        groups = sorted((each for each in nodes if each.get("type") == "group"), key=_place_of)
        cards = sorted((each for each in nodes if each.get("type") != "group"), key=_place_of)
        inside = {id(card): group for group in groups for card in cards if _holds(group, card)}
        for card in cards:
            if id(card) not in inside:
                _write_card(writer, card)
        for group in groups:
            writer.heading(2, text_in(group.get("label")) or "…")
            for card in cards:
                if inside.get(id(card)) is group:
                    _write_card(writer, card)
        writer.end_sections()
        names = {text_in(each.get("id")): _name_of_card(each) for each in nodes}
        _write_arrows(
            writer,
            (
                (text_in(edge.get("fromNode")), text_in(edge.get("toNode")), text_in(edge.get("label")))
                for edge in objects_in(canvas.get("edges"))
            ),
            names,
        )
        return {}


class ExcalidrawExtractor(StructuredExtractor):
    """Extractor of drawings of Excalidraw (`.excalidraw`, and `.excalidraw.md` of Obsidian)."""

    formats = frozenset({"excalidraw"})
    version = EXCALIDRAW_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write the texts of the drawing from above to below; of a note its text without the drawing's data."""
        text = read_text(content, warnings)
        if not text.lstrip().startswith("{"):
            for pattern in (_FRONT_MATTER, _DRAWING, _COMMENTS, _SWITCH, _BLOCK_ID, _OWN_HEADINGS):
                text = pattern.sub("", text)
            write_markdown(writer, text.replace("%%", ""))
            return {}
        elements = [
            each for each in objects_in(read_object(content).get("elements")) if not each.get("isDeleted")
        ]
        for element in sorted(elements, key=_place_of):
            if element.get("type") == "text":
                writer.paragraph(text_in(element.get("originalText")) or text_in(element.get("text")))
            elif element.get("type") in {"frame", "magicframe"}:
                writer.paragraph(text_in(element.get("name")))
        links = {text_in(each.get("link")) for each in elements} - {""}
        writer.items([_link_item(link) for link in sorted(links)])
        return {}


class DrawioExtractor(StructuredExtractor):
    """Extractor of diagrams of diagrams.net (`.drawio`)."""

    formats = frozenset({"drawio"})
    version = DRAWIO_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write each page as a section: the labels of its shapes, then its arrows.

        Raises:
            DocumentDamagedError: It is not of the format.
        """
        root = parse_xml(content, "drawio", warnings)
        pages = [*root.iter("diagram")]
        if not pages and root.tag != "mxGraphModel":
            raise DocumentDamagedError("it is no diagram of diagrams.net")
        for page in pages or [root]:
            model = page if len(page) or page.tag == "mxGraphModel" else _unpack(page, warnings)
            if model is None:
                continue
            if len(pages) > 1 or page.get("name", "") not in {"", "Page-1"}:
                writer.heading(2, page.get("name") or "")
            _write_page(writer, model)
        return {}


def _number(value: JsonValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _place_of(shape: Object) -> tuple[float, float]:
    return _number(shape.get("y")), _number(shape.get("x"))


def _holds(group: Object, card: Object) -> bool:
    """Whether the upper left corner of a card lies in a group."""
    y, x = _place_of(card)
    top, left = _place_of(group)
    return top <= y <= top + _number(group.get("height")) and left <= x <= left + _number(group.get("width"))


def _write_card(writer: TextWriter, card: Object) -> None:
    if text := text_in(card.get("text")):
        write_markdown(writer, text, level_offset=2)
    if target := text_in(card.get("file")) or text_in(card.get("url")):
        writer.items([_link_item(target + text_in(card.get("subpath")))])


def _name_of_card(card: Object) -> str:
    text = next(
        (text for key in ("label", "text", "file", "url") if (text := text_in(card.get(key)).strip())), "…"
    )
    return _short(text.split("\n")[0].lstrip("# "))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _NAME_CHARS else f"{text[:_NAME_CHARS]}…"


def _link_item(target: str) -> Item:
    return Item(target, inlines=(LinkInline(text=target, href=target),))


def _write_arrows(
    writer: TextWriter, arrows: Iterable[tuple[str, str, str]], names: Mapping[str, str]
) -> None:
    """Write arrows as a list: `from → to: label`."""
    shown = [
        f"{names[begin]} → {names[end]}{f': {label}' if label else ''}"
        for begin, end, label in islice(arrows, _MOST_ARROWS)
        if begin in names and end in names
    ]
    writer.items([Item(text) for text in shown])


def _unpack(page: _Element, warnings: list[Message]) -> _Element | None:
    """Return the model of a page that is packed: percent-encoded, deflated, in base64."""
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        packed = base64.b64decode((page.text or "").strip())
        text = unquote(unpacker.decompress(packed, _MOST_PAGE_BYTES).decode("utf-8", errors="replace"))
        return parse_xml(text.encode(), page.get("name") or "diagram", warnings)
    except (ValueError, zlib.error, DocumentDamagedError):
        if page.text and page.text.strip():
            warnings.append(cut_member(page.get("name") or "diagram"))
        return None


def _write_page(writer: TextWriter, model: _Element) -> None:
    cells = list(_cells_of(model))
    labels = {cell.get("id", ""): label for cell, label in cells}
    edges = [(cell, label) for cell, label in cells if cell.get("source") and cell.get("target")]
    ends = {cell.get("id") for cell, _ in edges}
    for cell, label in cells:
        if label and cell.get("id") not in ends and cell.get("parent") not in ends:
            writer.paragraph(label)
    on_edges = {cell.get("parent"): label for cell, label in cells if label and cell.get("parent") in ends}
    _write_arrows(
        writer,
        (
            (cell.get("source", ""), cell.get("target", ""), label or on_edges.get(cell.get("id"), ""))
            for cell, label in edges
        ),
        {each: _short(label) or "…" for each, label in labels.items()},
    )


def _cells_of(model: _Element) -> Iterator[tuple[_Element, str]]:
    """Yield the cells of a page with their labels; a cell with data of its own stands in an element that has id and label."""
    for cell in model.iter("mxCell"):
        parent = cell.getparent()
        label = cell.get("value") or ""
        if parent is not None and parent.tag in {"object", "UserObject"}:
            label = parent.get("label") or ""
            cell.set("id", parent.get("id") or "")
        yield cell, text_of_html(label)
