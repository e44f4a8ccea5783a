"""Excel workbooks (XLSX): sheets with the texts of their cells as they are shown, read as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from kebab_core import Cells, DocumentDamagedError, Message, Remedy, UnsupportedMediaError, parse_cells
from kebab_parse import lost_member, mark_power

from kebab_parse_office.archive import R, Relationship, read_integer
from kebab_parse_office.drawings import list_graphics, plain_lines, read_graphic
from kebab_parse_office.number_format import BUILT_IN, format_plain, format_value
from kebab_parse_office.rich_text import join_line
from kebab_parse_office.sheets import (
    MOST_COLUMNS,
    MOST_ROWS,
    OUTSIDE_LEFT_OUT,
    Figure,
    Sheet,
    add_comment,
    is_page_label,
    lost_sheet,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_DIGITS = "0123456789"
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_EXACT_DIGITS = 16
_RUNNING_CODE = re.compile(r'&(?:"[^"]*+"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d{1,3}|.|$)', re.DOTALL)
"""A code in a header or footer: a font, a colour, a size, a field such as the number of a page (ECMA-376, 18.3.1.46)."""
_PAGE_MARK = "\0"
_PAGE_CODES, _REGION_CODES = frozenset("PN"), frozenset("LCR")
_EMPTY_CELL = re.compile(rb'<c r="[^<>]*+(?:(?<=/)>|></c>)')
_EMPTY_ROW = re.compile(rb'<row r="[^<>]*+(?:(?<=/)>|>\s*+</row>)')
_OFF = {None, "0", "false"}
_SHEETS = {"worksheet", "chartsheet"}
D = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"


class ExcelWorkbook:
    """An Excel workbook.

    Args:
        archive: The file.

    Raises:
        UnsupportedMediaError: It is no workbook.
    """

    def __init__(self, archive: OfficeArchive) -> None:
        self._archive = archive
        main = archive.find_related("", "officeDocument") or "xl/workbook.xml"
        root = archive.parse(main)
        if root.find(S + "sheets") is None:
            raise UnsupportedMediaError(
                "the content is no workbook", remedy=Remedy(advice=Message("check the file's extension"))
            )
        properties = root.find(S + "workbookPr")
        self._since_1904 = properties is not None and properties.get("date1904") not in _OFF
        self._folder = main.rpartition("/")[0]
        self._sheets = list(root.iterfind(f"{S}sheets/{S}sheet"))
        self._relationships = archive.relationships(main)
        self._formats = _read_formats(archive.parse_optional(archive.find_related(main, "styles")))
        self._strings = self._read_strings(archive.find_related(main, "sharedStrings"))

    def sheets(self) -> Iterator[Sheet]:
        """Yield the worksheets and sheets that are charts in order; damaged ones are left out, with a warning.

        Raises:
            DocumentDamagedError: Nothing of any sheet can be read.
        """
        damage: DocumentDamagedError | None = None
        found = False
        for number, sheet in enumerate(self._sheets, 1):
            link = self._relationships.get(sheet.get(R + "id", ""))
            name = join_line(sheet.get("name", ""))
            usual = f"{self._folder}/worksheets/sheet{number}.xml"
            if link is None and not self._relationships and usual in self._archive:
                link = Relationship("worksheet", usual, is_external=False)
            if link is None:
                self._archive.warn(Message("the sheet {sheet!r} is missing in it", sheet=name))
            if link is None or link.kind not in _SHEETS or link.target not in self._archive:
                continue
            try:
                read = self._read_sheet(
                    link.target, name, is_hidden=sheet.get("state", "visible") != "visible"
                )
            except DocumentDamagedError as error:
                damage = error
                self._archive.warn(lost_sheet(name))
                continue
            found = True
            yield read
        if damage is not None and not found:
            raise damage

    def _read_strings(self, part: str | None) -> list[str]:
        if part is None:
            return []
        strings: list[str] = []
        try:
            strings += (_rich_text(item) for item in self._archive.iterate(part, ("{*}si",)))
        except DocumentDamagedError:
            self._archive.warn(lost_member(part))
        return strings

    def _read_sheet(self, part: str, name: str, *, is_hidden: bool) -> Sheet:
        sheet = Sheet(name=name, is_hidden=is_hidden)
        number = 0
        tags = ("{*}row", "{*}mergeCell", "{*}headerFooter")
        for element in self._archive.iterate(part, tags, strip=_strip_empty_cells):
            if element.tag.endswith("}headerFooter"):
                sheet.running += (line for text in element for line in running_lines(text.text or ""))
                continue
            if element.tag.endswith("}mergeCell"):
                sheet.merged += _read_range(element.get("ref", ""))
                continue
            number = read_integer(element.get("r"), default=number + 1, most=MOST_ROWS + 1)
            if not (cells := self._read_row(element)):
                continue
            if 1 <= number <= MOST_ROWS:
                sheet.rows[number] = cells
            else:
                self._archive.warn(OUTSIDE_LEFT_OUT)
        links = self._archive.relationships(part)
        self._read_comments(links, sheet)
        for link in links.values():
            if link.kind == "drawing" and (root := self._archive.parse_optional(link.target)) is not None:
                sheet.drawn += self._read_drawing(root, self._archive.relationships(link.target))
        return sheet

    def _read_drawing(self, root: _Element, links: Mapping[str, Relationship]) -> Iterator[tuple[Cells, str]]:
        """Yield the texts of shapes, charts and diagrams, and the descriptions of pictures; values of charts stand in cells."""
        for anchor in root:
            texts: list[str] = []
            for shape in anchor.iter(D + "sp", D + "pic", D + "graphicFrame"):
                texts += map(plain_lines, shape.iterfind(D + "txBody"))
                if shape.tag == D + "pic":
                    texts += (each.get("descr", "") for each in shape.iterfind(f"*/{D}cNvPr"))
                for link in list_graphics(shape, links):
                    graphic = read_graphic(self._archive, link)
                    names = filter(None, graphic.table[0]) if graphic.table else ()
                    texts.append("\n".join((*graphic.titles, *names, *graphic.points)))
            place = _anchor_cells(anchor)
            yield from ((place, text) for text in dict.fromkeys(map(str.strip, texts)) if text)

    def _read_row(self, row: _Element) -> dict[int, str]:
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            reference = cell.get("r")
            column = (_column(reference.rstrip(_DIGITS)) if reference else 0) or column + 1
            if len(cell) and (text := self._cell_text(cell)):
                cells[column] = text
        return cells

    def _cell_text(self, cell: _Element) -> str:
        value, formula = None, None
        for child in cell:
            name = child.tag.rpartition("}")[2]
            if name == "v":
                value = child.text or ("" if cell.get("t") == "str" else None)
            elif name == "f":
                formula = child.text
            elif name == "is":
                return _rich_text(child)
        if value is None:
            return f"={formula}" if formula else ""
        return self._show(value, cell)

    def _show(self, value: str, cell: _Element) -> str:
        kind = cell.get("t", "n")
        try:
            if kind == "s":
                return self._string(read_integer(value, default=len(self._strings)))
            if kind == "n":
                return self._number(value, cell.get("s"))
        except (ValueError, IndexError):
            return join_line(value)
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        text = join_line(_unescape(value))
        return Figure(text) if kind == "d" else text

    def _string(self, index: int) -> str:
        if index < len(self._strings):
            return self._strings[index]
        self._archive.warn(Message("texts of cells are missing in it, these cells were left out"))
        return ""

    def _number(self, value: str, style: str | None) -> str:
        code = self._formats[read_integer(style)] if style else ""
        if not code:
            return Figure(
                value if value.isdigit() and len(value) < _EXACT_DIGITS else format_plain(float(value))
            )
        return Figure(format_value(float(value), code, since_1904=self._since_1904))

    def _read_comments(self, own: Mapping[str, Relationship], sheet: Sheet) -> None:
        """Read the remarks on cells: those of conversations, or else the older notes."""
        people = {
            each.get("id"): each.get("displayName", "")
            for link in self._relationships.values()
            if link.kind == "person" and (root := self._archive.parse_optional(link.target)) is not None
            for each in root
        }
        links, found = own.values(), False
        for link in sorted(links, key=lambda each: each.kind != "threadedComment"):
            root = (
                self._archive.parse_optional(link.target)
                if link.kind in {"threadedComment", "comments"}
                else None
            )
            if root is None or (link.kind == "comments" and found):
                continue
            found = True
            authors = [author.text or "" for author in root.iter("{*}author")]
            for each in root.iter("{*}threadedComment", "{*}comment"):
                text = join_line("".join(part.text or "" for part in each.iter("{*}t", "{*}text")))
                number = each.get("authorId") or ""
                known = dict(enumerate(authors)).get(read_integer(number, default=-1), "")
                author = people.get(each.get("personId")) or known
                for cell in _read_range(each.get("ref", "")) if text else ():
                    cells = sheet.rows.setdefault(cell.top, {})
                    add_comment(cells, cell.left, author=join_line(author), text=text)


def _anchor_cells(anchor: _Element) -> Cells:
    """Return the cells that a drawing lies on; the first cell where it names none."""
    corners = [
        tuple(
            min(read_integer(corner.findtext(D + name)) + 1, most)
            for name, most in (("row", MOST_ROWS), ("col", MOST_COLUMNS))
        )
        for corner in anchor.iterfind(D + "from")
        for corner in (corner, *anchor.iterfind(D + "to"))
    ]
    (top, left), (bottom, right) = (corners[0], corners[-1]) if corners else ((1, 1), (1, 1))
    return Cells(top, left, max(top, bottom), max(left, right))


def _strip_empty_cells(part: bytes) -> bytes:
    """Return a worksheet without empty cells and rows, which only have a format: there may be millions of them.

    Cells and rows say their place; a worksheet in which some do not, or in which something else may look like one, is
    returned as it is.
    """
    if any(part.count(b"<%b " % name) != part.count(b'<%b r="' % name) for name in (b"c", b"row")):
        return part
    if b"<!" in part or b"<c>" in part or b"<row>" in part:
        return part
    return _EMPTY_ROW.sub(b"", _EMPTY_CELL.sub(b"", part))


def running_lines(text: str) -> Iterator[str]:
    """Yield the lines of each region of a header or footer, without its codes; those that only number pages are left out."""
    marked = _RUNNING_CODE.sub(_mark_code, _unescape(text))
    for line in marked.split("\n"):
        numbers = line.count(_PAGE_MARK)
        words = join_line(line.replace(_PAGE_MARK, " "))
        if words and not (numbers and is_page_label(words, numbers)):
            yield words


def _mark_code(code: re.Match[str]) -> str:
    """Return what stands for a code: a line end where a region begins, a mark for the number of a page, else nothing."""
    letter = code[0][1:2]
    if len(code[0]) == 2 and letter in _REGION_CODES:  # noqa: PLR2004 - the sign and a letter
        return "\n"
    if letter in _PAGE_CODES:
        return _PAGE_MARK
    return "&" if letter == "&" else ""


def _read_range(text: str) -> list[Cells]:
    try:
        return [parse_cells(text)]
    except ValueError:
        return []


@cache
def _column(letters: str) -> int:
    """Return the number of a column from 1; 0 for one that has none."""
    return next((cells.left for cells in _read_range(f"{letters}1")), 0)


def _read_formats(root: _Element | None) -> list[str]:
    """Return the format code of each cell style; empty for a plain number."""
    if root is None:
        return []
    codes = dict(BUILT_IN)
    for each in root.iter(S + "numFmt"):
        codes[read_integer(each.get("numFmtId"), default=-1)] = each.get("formatCode", "")
    styles = root.find(S + "cellXfs")
    numbers = [each.get("numFmtId", "0") for each in (() if styles is None else styles)]
    return [codes.get(read_integer(number), "") for number in numbers]


def _rich_text(item: _Element) -> str:
    """Return the text of a string, without the readings of its characters."""
    texts = [part.text or "" for part in item.iterfind("{*}t")] if len(item) == 1 else []
    if not texts:
        for child in item:
            name = child.tag.rpartition("}")[2]
            texts += [child.text or ""] if name == "t" else []
            if name == "r":
                run = "".join(part.text or "" for part in child.iterfind("{*}t"))
                align = child.find("{*}rPr/{*}vertAlign")
                is_raised = align is not None and align.get("val") == "superscript"
                texts.append(mark_power(texts[-1] if texts else "", run) if is_raised else run)
    return join_line(_unescape("".join(texts)))


def _unescape(text: str) -> str:
    """Replace `_x000D_` and its like by the characters that they stand for."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text
