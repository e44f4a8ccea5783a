"""Presentations of PowerPoint (PPTX): slides in their order, with tables, charts, notes and comments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_core import Message, Remedy, UnsupportedMediaError
from kebab_parse import TableCell, spread_cells

from kebab_parse_office.archive import R, Relationship, read_integer
from kebab_parse_office.drawings import A, list_graphics, plain_lines, read_graphic
from kebab_parse_office.labels import format_label
from kebab_parse_office.rich_text import RichText, comment_lead, join_line, plain_words
from kebab_parse_office.slide_writer import Bullet, SlideWriter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_TITLES = {"title", "ctrTitle"}
_NUMBERS, _REPEATED = {"dt", "sldNum"}, {"ftr", "hdr"}
"""Placeholders of dates and numbers, which say nothing, and of footers and headers, which say the same on every slide."""
_BODIES = {"body", "obj", "subTitle"}
_NUMBER_FORMS = {"arabic": "decimal", "alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}  # fmt: skip
_OFF, _ON = {"0", "false"}, {"1", "true"}
_DEEPEST_LEVEL = 30


class PowerPointPresentation:
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
        self._repeated: set[str] = set()
        """Headers, footers and texts of layouts so far."""
        self._behind: dict[str, tuple[str, ...]] = {}
        """Texts of layouts and masters, by part."""
        main = archive.find_related("", "officeDocument") or "ppt/presentation.xml"
        root = archive.parse(main)
        if root.tag != P + "presentation":
            raise UnsupportedMediaError(
                "the content is no presentation", remedy=Remedy(advice=Message("check the file's extension"))
            )
        links = archive.relationships(main)
        self._authors = self._read_authors(links)
        for number, each in enumerate(root.iterfind(f"{P}sldIdLst/{P}sldId"), 1):
            link = links.get(each.get(R + "id", ""))
            usual = f"{main.rpartition('/')[0]}/slides/slide{number}.xml"
            if not links and usual in archive:
                link = Relationship("slide", usual, is_external=False)
            if link is None:
                archive.warn(Message("slide {number} is missing in it", number=number))
            slide = None if link is None else archive.parse_optional(link.target)
            if link is not None and slide is not None:
                self._read_slide(number, link.target, slide)

    def _read_authors(self, links: Mapping[str, Relationship]) -> dict[str, str]:
        roots = (
            self._archive.parse_optional(link.target)
            for link in links.values()
            if link.kind in {"commentAuthors", "authors"}
        )
        return {
            each.get("id", ""): join_line(each.get("name", ""))
            for root in roots
            if root is not None
            for each in root
        }

    def _read_slide(self, number: int, part: str, slide: _Element) -> None:
        before = len(self._writer.blocks)
        self._writer.start_slide(number)
        links = self._archive.relationships(part)
        shapes = list(self._list_shapes(slide.find(f"{P}cSld/{P}spTree"), 0))
        titles = [shape for shape in shapes if _placeholder(shape) in _TITLES]
        for shape in titles:
            text = " ".join(words.text for _, words in _paragraphs(shape.find(P + "txBody"), links))
            self.title = self.title or join_line(text)
            self._writer.heading(text)
        for shape in shapes:
            if shape not in titles:
                self._read_shape(shape, links)
        if slide.get("showMasterSp") not in _OFF:
            self._write_behind(links, "slideLayout")
        self._read_remarks(links)
        if slide.get("show") in _OFF and len(self._writer.blocks) > before:
            self.hidden.append(number)

    def _list_shapes(self, tree: _Element | None, depth: int) -> Iterator[_Element]:
        """Yield shapes, pictures and frames in their order, also those in groups."""
        for child in () if tree is None else self._archive.open_element(tree, depth):
            if child.tag in {P + "sp", P + "pic", P + "graphicFrame"}:
                yield child
            elif child.tag == P + "grpSp":
                yield from self._list_shapes(child, depth + 1)
            elif isinstance(child.tag, str) and child.tag.endswith("}AlternateContent"):
                choice = next((each for each in child if len(each)), None)
                yield from self._list_shapes(choice, depth + 1)

    def _read_shape(self, shape: _Element, links: Mapping[str, Relationship]) -> None:
        kind = _placeholder(shape)
        if kind in _NUMBERS:
            return
        if kind in _REPEATED:
            text = plain_lines(shape)
            if text in self._repeated:
                return
            self._repeated.add(text)
        if shape.tag == P + "graphicFrame":
            self._read_graphic(shape, links)
            return
        paragraphs = list(_paragraphs(shape.find(P + "txBody"), links))
        if kind in _BODIES:
            self._writer.bullets(_number_bullets(paragraphs))
        else:
            words = RichText()
            for number, (_, line) in enumerate(paragraphs):
                words.add("\n" if number else "")
                words.extend(line)
            self._writer.paragraph(words)
        description = next((each.get("descr", "") for each in shape.iterfind(f"*/{P}cNvPr")), "")
        if shape.tag == P + "pic":
            self._writer.paragraph(plain_words(description))

    def _read_graphic(self, frame: _Element, links: Mapping[str, Relationship]) -> None:
        for table in frame.iter(A + "tbl"):
            self._writer.table(spread_cells(_place_cells(table, links)))
        for link in list_graphics(frame, links):
            graphic = read_graphic(self._archive, link)
            for title in graphic.titles:
                self._writer.paragraph(plain_words(title))
            self._writer.table(graphic.table)
            self._writer.bullets([Bullet(0, "", plain_words(text)) for text in graphic.points])

    def _write_behind(self, links: Mapping[str, Relationship], kind: str) -> None:
        """Write what the layout of a slide and its master show on it, unless a slide before has it."""
        for link in links.values():
            if link.kind != kind:
                continue
            if link.target not in self._behind:
                self._behind[link.target] = tuple(self._read_behind(link.target))
            for text in self._behind[link.target]:
                if text not in self._repeated:
                    self._repeated.add(text)
                    self._writer.paragraph(plain_words(text))

    def _read_behind(self, part: str) -> Iterator[str]:
        """Yield the texts of the shapes of a layout and of its master; placeholders only say what to put there."""
        root = self._archive.parse_optional(part)
        if root is None:
            return
        for shape in self._list_shapes(root.find(f"{P}cSld/{P}spTree"), 0):
            text = plain_lines(shape).strip()
            if _placeholder(shape) is None and any(map(str.isalnum, text)):
                yield text
        if root.get("showMasterSp") not in _OFF:
            for link in self._archive.relationships(part).values():
                if link.kind == "slideMaster":
                    yield from self._read_behind(link.target)

    def _read_remarks(self, links: Mapping[str, Relationship]) -> None:
        for link in links.values():
            root = (
                self._archive.parse_optional(link.target) if link.kind in {"notesSlide", "comments"} else None
            )
            if root is None:
                continue
            if link.kind == "notesSlide":
                bodies = (shape for shape in root.iter(P + "sp") if _placeholder(shape) == "body")
                said = "\n".join(
                    plain_lines(body) for shape in bodies for body in shape.iterfind(P + "txBody")
                )
                self._writer.notes(said)
                continue
            for each in root.iter("{*}cm", "{*}reply"):
                text = each.findtext(P + "text") or "\n".join(
                    plain_lines(body) for body in each.iterfind("{*}txBody")
                )
                author = self._authors.get(each.get("authorId", ""), "")
                self._writer.quote(plain_words(comment_lead(author) + text if text.strip() else ""))


def _placeholder(shape: _Element) -> str | None:
    """Return the kind of a placeholder; None for a shape that is none."""
    holder = next(shape.iterfind(f"*/{P}nvPr/{P}ph"), None)
    return None if holder is None else holder.get("type", "obj")


def _paragraphs(
    body: _Element | None, links: Mapping[str, Relationship]
) -> Iterator[tuple[_Element, RichText]]:
    for paragraph in () if body is None else body.iterfind(A + "p"):
        words = RichText()
        for child in paragraph:
            if child.tag == A + "br":
                words.add("\n")
            elif child.tag in {A + "r", A + "fld"} and child.get("type") != "slidenum":
                click = child.find(f"{A}rPr/{A}hlinkClick")
                link = None if click is None else links.get(click.get(R + "id", ""))
                properties = child.find(A + "rPr")
                rise = "0" if properties is None else properties.get("baseline", "0")
                add = words.add if rise[:1] in "0-" else words.add_raised
                add(child.findtext(A + "t") or "", link.target if link and link.is_external else "")
            elif isinstance(child.tag, str) and child.tag.endswith(("}AlternateContent", "}m")):
                words.add("".join(text.text or "" for text in child.iter("{*}t")))
        yield paragraph, words


def _number_bullets(paragraphs: list[tuple[_Element, RichText]]) -> list[Bullet]:
    counts: dict[int, int] = {}
    bullets: list[Bullet] = []
    for paragraph, words in paragraphs:
        properties = paragraph.find(A + "pPr")
        text = "0" if properties is None else properties.get("lvl", "0")
        level = read_integer(text, most=_DEEPEST_LEVEL)
        numbered = None if properties is None else properties.find(A + "buAutoNum")
        counts = {each: count for each, count in counts.items() if each < level + (numbered is not None)}
        label = ""
        if numbered is not None and words.text:
            counts[level] = counts.get(level, read_integer(numbered.get("startAt"), default=1) - 1) + 1
            label = _label(counts[level], numbered.get("type", "arabicPeriod"))
        bullets.append(Bullet(level, label, words))
    return bullets


def _label(number: int, kind: str) -> str:
    form = next((form for name, form in _NUMBER_FORMS.items() if kind.startswith(name)), "decimal")
    shown = format_label(number, form)
    if kind.endswith("ParenBoth"):
        return f"({shown})"
    return shown + (")" if kind.endswith("ParenR") else "." if kind.endswith("Period") else "")


def _cell_text(cell: _Element, links: Mapping[str, Relationship]) -> str:
    return join_line("\n".join(words.text for _, words in _paragraphs(cell.find(A + "txBody"), links)))


def _place_cells(table: _Element, links: Mapping[str, Relationship]) -> list[TableCell]:
    """Return the cells of a table; every place of a merged cell has an element, of which the first holds its text."""
    placed: list[TableCell] = []
    at: dict[tuple[int, int], TableCell] = {}
    for number, row in enumerate(table.iterfind(A + "tr")):
        for column, cell in enumerate(row.iterfind(A + "tc")):
            goes_down, goes_over = (cell.get(name) in _ON for name in ("vMerge", "hMerge"))
            place = (number - 1, column) if goes_down else (number, column - 1) if goes_over else None
            whole = None if place is None else at.get(place)
            if whole is None:
                whole = TableCell(number, column, _cell_text(cell, links))
                placed.append(whole)
            else:
                whole.rows = max(whole.rows, number + 1 - whole.row)
                whole.columns = max(whole.columns, column + 1 - whole.column)
            at[number, column] = whole
    return placed
