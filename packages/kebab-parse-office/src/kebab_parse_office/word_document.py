"""Word documents (DOCX): the body in reading order, as it reads with all tracked changes accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_core import Message, Remedy, UnsupportedMediaError
from kebab_parse import TableCell, split_header, spread_cells

from kebab_parse_office.archive import read_integer
from kebab_parse_office.drawings import read_graphic
from kebab_parse_office.rich_text import RichText, comment_lead, join_line, plain_words
from kebab_parse_office.text_document_writer import DELETIONS_LEFT_OUT, ListEntry, TextDocumentWriter
from kebab_parse_office.word_elements import W, is_on, value_of
from kebab_parse_office.word_numbering import WordNumbering
from kebab_parse_office.word_runs import MAX_RUN_DEPTH, Note, ParagraphContent, RunReader
from kebab_parse_office.word_styles import BODY_LEVEL, NO_STYLE, ParagraphStyle, read_styles

if TYPE_CHECKING:
    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive

_WRAPPERS = {W + "sdt", W + "sdtContent", W + "customXml", W + "ins", W + "moveTo", W + "smartTag"}
_CONTENTS_GALLERY = re.compile(r"table of contents|bibliographies table", re.IGNORECASE)
_MOST_COLUMNS = 1000
_LEAST_TITLED_ROWS = 2
_NO_FILL = {"auto", "ffffff"}
_RUNNING = {"header", "footer"}
_PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")


class WordDocument:
    """A Word document, read once.

    Args:
        archive: The file.
        writer: Gets its blocks.

    Raises:
        UnsupportedMediaError: It is no Word document.
    """

    def __init__(self, archive: OfficeArchive, writer: TextDocumentWriter) -> None:
        self._title = ""
        self._warnings: list[Message] = []
        self._archive = archive
        self._writer = writer
        main = archive.find_related("", "officeDocument") or "word/document.xml"
        self._part = main
        archive.warn_of_lost_relationships(main)
        body = archive.parse(main).find(W + "body")
        if body is None:
            raise UnsupportedMediaError(
                "the content is no Word document", remedy=Remedy(advice=Message("check the file's extension"))
            )
        self._styles = read_styles(self._related("styles"))
        self._numbering = WordNumbering(self._related("numbering"))
        self._runs = RunReader(archive.relationships(main))
        self._notes = {
            "footnote": self._read_notes("footnotes", "footnote"),
            "endnote": self._read_notes("endnotes", "endnote"),
            "comment": self._read_notes("comments", "comment"),
        }
        self._pending: list[Note] = []
        self._joined: ParagraphContent | None = None
        self._read_blocks(body, 0)
        self._flush_notes()
        writer.end_body()
        readers = [self._runs, *self._read_running_texts()]
        if any(reader.has_deletions for reader in readers):
            self._warnings.append(DELETIONS_LEFT_OUT)
        if any(reader.is_cut for reader in readers):
            self._warnings.append(
                Message(
                    "words nested deeper than {levels} levels in a paragraph were left out",
                    levels=MAX_RUN_DEPTH,
                )
            )

    def describe(self) -> tuple[str, list[Message]]:
        """Return its first title paragraph, empty where there is none, and what the user should know."""
        return self._title, self._warnings

    def _related(self, kind: str) -> _Element | None:
        return self._archive.parse_optional(self._archive.find_related(self._part, kind))

    def _read_running_texts(self) -> list[RunReader]:
        """Append the headers and footers, each text once, also where only the page number differs; return their readers."""
        readers: list[RunReader] = []
        seen: set[str] = set()
        for link in self._archive.relationships(self._part).values():
            root = self._archive.parse_optional(link.target) if link.kind in _RUNNING else None
            text = "" if root is None else _identify_running_text(root)
            if root is None or text in seen or not any(map(str.isalnum, text)):
                continue
            seen.add(text)
            self._runs = RunReader(self._archive.relationships(link.target))
            self._read_blocks(root, 0)
            self._flush_notes()
            self._writer.end_body()
            readers.append(self._runs)
        return readers

    def _read_notes(self, kind: str, name: str) -> dict[str, _Element]:
        root = self._related(kind)
        return {each.get(W + "id", ""): each for each in (() if root is None else root.iterfind(W + name))}

    def _read_blocks(self, parent: _Element, depth: int) -> None:
        """Append the paragraphs and tables of a body, a text box or a cell."""
        for child in self._archive.open_element(parent, depth):
            if child.tag == W + "p":
                self._paragraph(child, depth)
            elif child.tag == W + "tbl":
                self._table(child, depth)
            elif child.tag in _WRAPPERS and not _is_contents(child):
                self._read_blocks(child, depth)
            elif child.tag == W + "altChunk":
                self._warnings.append(Message("a document that is embedded in it was left out"))

    def _paragraph(self, element: _Element, depth: int) -> None:
        properties = element.find(W + "pPr")
        style = self._style(properties)
        content = self._runs.read(element)
        if self._joined is not None:
            content = self._joined.followed_by(content)
            self._joined = None
        if properties is not None and is_on(properties.find(W + "rPr"), "del"):
            self._joined = content  # its end is deleted: it continues in the next paragraph
            return
        if style.is_contents:
            return
        numbered = self._label(properties, style)
        level = _outline_level(properties, style)
        label = numbered[1] if numbered else ""
        if (level is not None or style.is_title) and content.words.text:
            self._flush_notes()
            self._title = self._title or (content.words.text if style.is_title else "")
            self._writer.heading(1 if style.is_title else level or 1, f"{label} {content.words.text}")
        elif numbered and numbered[0] is not None:
            self._writer.list_entry(ListEntry(numbered[0], label, content.words))
        else:
            self._flush_notes()
            if label:
                content.words.put_first(f"{label} ")
            (self._writer.quote if style.is_quote else self._writer.paragraph)(content.words)
        self._pending += content.notes
        self._beside(content, depth)

    def _beside(self, content: ParagraphContent, depth: int) -> None:
        """Append what stands beside the words of a paragraph: text boxes and pictures."""
        for picture in content.pictures:
            self._writer.paragraph(plain_words(picture))
        for link in content.graphics:
            graphic = read_graphic(self._archive, link)
            for text in (*graphic.titles, *graphic.points):
                self._writer.paragraph(plain_words(text))
            if graphic.table:
                self._writer.table(graphic.table[0], graphic.table[1:])
        for box in content.boxes:
            self._read_blocks(box, depth + 1)

    def _style(self, properties: _Element | None) -> ParagraphStyle:
        return self._styles.get(value_of(properties, "pStyle") or "", NO_STYLE)

    def _label(self, properties: _Element | None, style: ParagraphStyle) -> tuple[int | None, str] | None:
        """Count a numbered paragraph.

        Returns:
            Its depth in a list, None for one that looks like no list, and its label; None for a paragraph without number.
        """
        own = None if properties is None else properties.find(W + "numPr")
        list_id = value_of(own, "numId") or style.list_id
        if list_id is None or list_id == "0":
            return None
        asked = value_of(own, "ilvl")
        bound = self._numbering.depth_of_style(list_id, value_of(properties, "pStyle") or "")
        depth = style.list_depth if asked is None else read_integer(asked, most=BODY_LEVEL)
        depth = depth if depth is not None else bound or 0
        level = self._numbering.level(list_id, depth)
        if level is None:
            return None
        label = self._numbering.count(list_id, depth)
        return (None if level.form == "none" else depth), label

    def _flush_notes(self) -> None:
        """Append the notes that wait for the end of a list or table, each behind the text that refers to it."""
        while self._pending:
            note = self._pending.pop(0)
            root = self._notes[note.kind].get(note.note_id)
            if root is None:
                continue
            words = RichText()
            words.add(
                f"[^{note.label}]: " if note.label else comment_lead(join_line(root.get(W + "author", "")))
            )
            lines = [content.words for content in self._note_paragraphs(root)]
            if not any(line.text for line in lines):
                continue
            for number, line in enumerate(lines):
                words.add("\n" if number else "")
                words.extend(line)
            (self._writer.paragraph if note.label else self._writer.quote)(words)

    def _note_paragraphs(self, root: _Element) -> Iterator[ParagraphContent]:
        for paragraph in root.iter(W + "p"):
            yield self._runs.read(paragraph, inside_note=True)

    def _table(self, table: _Element, depth: int) -> None:
        self._flush_notes()
        rows = [row for row in _descend(table, "tr") if not is_on(row.find(W + "trPr"), "del")]
        cells = [list(_descend(row, "tc")) for row in rows]
        if max((len(row) for row in cells), default=0) == 1:
            for cell in (cell for row in cells for cell in row):  # a box around text
                self._read_blocks(cell, depth + 1)
            return
        boxes: list[ParagraphContent] = []
        while len(rows) > _LEAST_TITLED_ROWS and _is_title(
            cells[0]
        ):  # a row over the whole width names no column
            self._writer.paragraph(plain_words(self._cell_text(cells.pop(0)[0], boxes, depth)))
            rows.pop(0)
        heads = 0
        while heads < len(rows) and is_on(rows[heads].find(W + "trPr"), "tblHeader"):
            heads += 1
        placed = self._place_cells(rows, cells, boxes, depth)
        grid = spread_cells(placed)
        marked = len({cell.row for cell in placed if cell.row < heads})
        if marked in {0, len(grid)} and _has_named_rows(cells):
            self._writer.table((), grid)
        else:
            self._writer.table(*split_header(grid, marked=marked))
        for content in boxes:
            self._beside(content, depth)
        self._flush_notes()

    def _place_cells(
        self, rows: list[_Element], cells: list[list[_Element]], boxes: list[ParagraphContent], depth: int
    ) -> list[TableCell]:
        """Return the cells of a table; one that goes on with the cell above it is a part of that cell."""
        placed: list[TableCell] = []
        open_cells: dict[int, TableCell] = {}
        for number, (row, line) in enumerate(zip(rows, cells, strict=True)):
            before = value_of(row.find(W + "trPr"), "gridBefore") or "0"
            column = read_integer(before, most=_MOST_COLUMNS)
            for cell in line:
                properties = cell.find(W + "tcPr")
                span = value_of(properties, "gridSpan") or "1"
                width = max(read_integer(span, default=1, most=_MOST_COLUMNS), 1)
                merge = None if properties is None else properties.find(W + "vMerge")
                above = open_cells.pop(column, None)
                if merge is not None and merge.get(W + "val") != "restart" and above is not None:
                    above.rows = number + 1 - above.row
                    open_cells[column] = above
                else:
                    own = TableCell(number, column, self._cell_text(cell, boxes, depth), columns=width)
                    placed.append(own)
                    open_cells |= {} if merge is None else {column: own}
                column += width
        return placed

    def _cell_text(self, parent: _Element, boxes: list[ParagraphContent], depth: int) -> str:
        texts: list[str] = []
        for child in self._archive.open_element(parent, depth):
            if child.tag == W + "p":
                properties = child.find(W + "pPr")
                content = self._runs.read(child)
                self._pending += content.notes
                boxes.append(content)
                numbered = self._label(properties, self._style(properties))
                texts.append(f"{numbered[1] if numbered else ''} {content.words.text}".strip())
            elif child.tag == W + "tbl":
                inner = (
                    self._cell_text(cell, boxes, depth + 1)
                    for row in _descend(child, "tr")
                    for cell in _descend(row, "tc")
                )
                texts += inner
            elif child.tag in _WRAPPERS:
                texts.append(self._cell_text(child, boxes, depth + 1))
        return join_line("\n".join(texts))


def _identify_running_text(root: _Element) -> str:
    """Return the words of a header or footer and the descriptions of its pictures, without digits beside the number of a page."""
    lines = []
    for paragraph in root.iter(W + "p"):
        codes = [code.text or "" for code in paragraph.iter(W + "instrText")]
        codes += (each.get(W + "instr", "") for each in paragraph.iter(W + "fldSimple"))
        line = "".join(text.text or "" for text in paragraph.iter(W + "t"))
        lines.append(_NUMBER.sub("", line) if any(map(_PAGE_FIELD.match, codes)) else line)
    lines += (each.get("descr", "") + each.get("string", "") for each in root.iter("{*}docPr", "{*}textpath"))
    return "\n".join(lines).strip()


def _is_title(row: list[_Element]) -> bool:
    """True for a row of a table that is one merged cell."""
    span = value_of(row[0].find(W + "tcPr"), "gridSpan") if len(row) == 1 else None
    return read_integer(span) > 1


def _has_named_rows(rows: list[list[_Element]]) -> bool:
    """True for a table in which the first cell of every row is set off from the others, but not the whole first row."""
    return (
        len(rows) > 1
        and all(row and _is_set_off(row[0]) for row in rows)
        and not all(map(_is_set_off, rows[0]))
    )


def _is_set_off(cell: _Element) -> bool:
    """True for a cell with a colour behind it, or with bold words only."""
    shade = cell.find(f"{W}tcPr/{W}shd")
    if shade is not None and shade.get(W + "fill", "auto").lower() not in _NO_FILL:
        return True
    runs = [
        run for run in cell.iter(W + "r") if any((text.text or "").strip() for text in run.iterfind(W + "t"))
    ]
    return bool(runs) and all(is_on(run.find(W + "rPr"), "b") for run in runs)


def _outline_level(properties: _Element | None, style: ParagraphStyle) -> int | None:
    own = value_of(properties, "outlineLvl")
    if own is not None:
        level = read_integer(own, default=BODY_LEVEL)
        return level + 1 if level < BODY_LEVEL else None
    return style.level


def _is_contents(element: _Element) -> bool:
    """True for a table of contents: it repeats the headings."""
    gallery = element.find(f"{W}sdtPr/{W}docPartObj/{W}docPartGallery")
    return gallery is not None and bool(_CONTENTS_GALLERY.search(gallery.get(W + "val", "")))


def _descend(parent: _Element, name: str) -> Iterator[_Element]:
    """Yield the children with this name, also those in wrappers such as content controls."""
    for child in parent:
        if child.tag == W + name:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _descend(child, name)
