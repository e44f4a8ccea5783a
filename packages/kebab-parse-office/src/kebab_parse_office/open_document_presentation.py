"""Presentations of OpenDocument (ODP): slides in their order, with tables, notes and comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_core import Message, Remedy, UnsupportedMediaError
from kebab_parse import spread_cells

from kebab_parse_office.open_document_namespaces import (
    DC,
    DRAW,
    OFFICE,
    PRESENTATION,
    STYLE,
    SVG,
    TABLE,
    TEXT,
)
from kebab_parse_office.open_document_objects import read_object
from kebab_parse_office.open_document_tables import place_cells
from kebab_parse_office.open_document_text import count_level, read_levels
from kebab_parse_office.open_document_words import plain_text, raised_styles
from kebab_parse_office.rich_text import comment_lead, join_line, plain_words
from kebab_parse_office.slide_writer import Bullet, SlideWriter

if TYPE_CHECKING:
    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive

_NUMBERS = {"date-time", "page-number"}
_RUNNING = {"header", "footer"}
_USED = {PRESENTATION + f"use-{kind}-name": PRESENTATION + f"{kind}-decl" for kind in sorted(_RUNNING)}
"""Attributes by which a slide uses a header or footer that the presentation declares."""


class OpenPresentation:
    """A presentation, read once.

    Args:
        archive: The file.
        writer: Gets its blocks.

    Raises:
        UnsupportedMediaError: It is no presentation.
    """

    def __init__(self, archive: OfficeArchive, writer: SlideWriter) -> None:
        self.title = ""
        """Title of the first slide that has one."""
        self.hidden: list[int] = []
        """Numbers of hidden slides that have text."""
        self._archive = archive
        self._writer = writer
        root = archive.parse("content.xml")
        body = root.find(f"{OFFICE}body/{OFFICE}presentation")
        if body is None:
            raise UnsupportedMediaError(
                "the content is no presentation", remedy=Remedy(advice=Message("check the file's extension"))
            )
        hidden = _list_page_styles(root, "visibility", "hidden")
        self._without_master = _list_page_styles(root, "background-objects-visible", "false")
        """Styles of slides that do not show the shapes of their master."""
        self._masters = self._read_masters()
        self._raised = raised_styles(*root.iter(STYLE + "style"))
        self._lists = {
            each.get(STYLE + "name", ""): read_levels(each) for each in root.iter(TEXT + "list-style")
        }
        self._running: set[str] = set()
        """Headers and footers so far."""
        self._declared = {
            (kind, each.get(PRESENTATION + "name", "")): join_line("".join(map(str, each.itertext())))
            for kind in _USED.values()
            for each in body.iterfind(kind)
        }
        for number, page in enumerate(body.iterfind(DRAW + "page"), 1):
            before = len(writer.blocks)
            self._read_slide(number, page)
            if page.get(DRAW + "style-name") in hidden and len(writer.blocks) > before:
                self.hidden.append(number)

    def _read_masters(self) -> dict[str, list[str]]:
        """Read the texts of the shapes of master pages by the names of these; placeholders only say what to put there."""
        root = self._archive.parse_optional("styles.xml")
        return {
            master.get(STYLE + "name", ""): [
                text
                for shape in master
                if isinstance(shape.tag, str) and shape.tag.startswith(DRAW) and not _is_placeholder(shape)
                if (text := "\n".join(map(plain_text, shape.iter(TEXT + "p", TEXT + "h"))).strip())
            ]
            for master in (() if root is None else root.iter(STYLE + "master-page"))
        }

    def _plain(self, paragraph: _Element) -> str:
        return plain_text(paragraph, self._raised)

    def _read_slide(self, number: int, page: _Element) -> None:
        self._writer.start_slide(number)
        titles = [
            frame for frame in page.iter(DRAW + "frame") if frame.get(PRESENTATION + "class") == "title"
        ]
        for frame in titles:
            text = " ".join(map(self._plain, frame.iter(TEXT + "p", TEXT + "h")))
            self.title = self.title or join_line(text)
            self._writer.heading(text)
        for shape in page:
            if shape not in titles and shape.tag not in {PRESENTATION + "notes", OFFICE + "annotation"}:
                self._read_shape(shape, 0)
        if page.get(DRAW + "style-name") not in self._without_master:
            for text in self._masters.get(page.get(DRAW + "master-page-name", ""), ()):
                self._write_running(text)
        for attribute, kind in _USED.items():
            self._write_running(self._declared.get((kind, page.get(attribute, "")), ""))
        for notes in page.iterfind(PRESENTATION + "notes"):
            frames = (
                each for each in notes.iter(DRAW + "frame") if each.get(PRESENTATION + "class") == "notes"
            )
            said = "\n".join(self._plain(each) for frame in frames for each in frame.iter(TEXT + "p"))
            self._writer.notes(said)
        for remark in page.iterfind(OFFICE + "annotation"):
            author = join_line(remark.findtext(DC + "creator") or "")
            said = "\n".join(map(self._plain, remark.iterfind(TEXT + "p")))
            self._writer.quote(plain_words(comment_lead(author) + said if said.strip() else ""))

    def _write_running(self, text: str) -> None:
        """Write a header or footer, unless a slide before has it."""
        if any(map(str.isalnum, text)) and text not in self._running:
            self._running.add(text)
            self._writer.paragraph(plain_words(text))

    def _read_object(self, element: _Element) -> None:
        """Write the titles and the table of a chart, or the tables of a sheet, that are part of the file."""
        for content in read_object(self._archive, element, self._raised):
            if isinstance(content, str):
                self._writer.paragraph(plain_words(content))
            else:
                self._writer.table(content)

    def _write_table(self, table: _Element) -> None:
        placed, _ = place_cells(
            table, lambda cell: join_line("\n".join(map(self._plain, cell.iter(TEXT + "p"))))
        )
        self._writer.table(spread_cells(placed))

    def _read_shape(self, shape: _Element, depth: int) -> None:
        kind = shape.get(PRESENTATION + "class")
        if not isinstance(shape.tag, str) or kind in _NUMBERS:
            return
        if kind in _RUNNING:
            self._write_running(join_line("\n".join(map(self._plain, shape.iter(TEXT + "p", TEXT + "h")))))
            return
        bullets: list[Bullet] = []
        lines: list[str] = []
        for child in self._archive.open_element(shape, depth):
            if child.tag == TEXT + "list":
                bullets += self._list_bullets(child, "", {}, 1)
            elif child.tag in {TEXT + "p", TEXT + "h"}:
                lines.append(self._plain(child))
            elif child.tag == TABLE + "table":
                self._write_table(child)
            elif child.tag == DRAW + "object":
                self._read_object(child)
            elif isinstance(child.tag, str) and child.tag.startswith(DRAW):
                self._read_shape(child, depth + 1)
        self._writer.paragraph(plain_words("\n".join(lines)))
        self._writer.bullets(bullets)
        self._writer.paragraph(plain_words(shape.findtext(SVG + "desc") or ""))

    def _list_bullets(
        self, element: _Element, style: str, counts: dict[int, int], level: int
    ) -> Iterator[Bullet]:
        own = element.get(TEXT + "style-name", style)
        for item in self._archive.open_element(element, level):
            label: str | None = None
            for child in item:
                if child.tag == TEXT + "list":
                    yield from self._list_bullets(child, own, counts, level + 1)
                elif child.tag in {TEXT + "p", TEXT + "h"}:
                    label = count_level(self._lists.get(own, {}), counts, level) if label is None else ""
                    yield Bullet(level - 1, label, plain_words(self._plain(child)))


def _list_page_styles(root: _Element, name: str, value: str) -> set[str]:
    """Return the names of the styles of slides that have a property."""
    return {
        style.get(STYLE + "name", "")
        for style in root.iter(STYLE + "style")
        for each in style.iterfind(STYLE + "drawing-page-properties")
        if each.get(PRESENTATION + name) == value
    }


def _is_placeholder(shape: _Element) -> bool:
    return any(
        each.get(PRESENTATION + "placeholder") == "true" or each.get(PRESENTATION + "class") is not None
        for each in shape.iter()
    )
