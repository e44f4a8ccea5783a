"""Blocks of a document and the texts of its pages, from the segments of all pages.

Whether the halves of a word divided at the end of a line are one word is decided by the words of the document and of languages.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise
from math import log

from kebab_core import (
    Block,
    DocumentId,
    ExtractedText,
    HeadingBlock,
    ModelCaption,
    OcrText,
    PageSize,
    PageSpan,
    ParagraphBlock,
    QuoteBlock,
    Rectangle,
    TableBlock,
    TextPart,
)
from kebab_parse import BlockBuilder, build_caption, build_paragraphs
from kebab_text import log_probability

from kebab_parse_pdf.outline import OutlineEntry, PlacedPart, place_sections
from kebab_parse_pdf.page_layout import Paragraph, Table, build_parts, build_ruled_table, row_text
from kebab_parse_pdf.reading_order import Region, Row, build_rows, order_segments
from kebab_parse_pdf.ruled_lines import Grid
from kebab_parse_pdf.running_lines import RunningLine, find_running_lines
from kebab_parse_pdf.segments import HYPHEN, PageSegments, Segment

_SEPARATOR = "\n\n"
"""Text between two blocks of a page, and between two pages."""

_WORD = re.compile(r"\w+(?:-\w+)*")
_LAST_WORD = re.compile(r"(?<!\w)(\w++)\ufffe?$")
_PART_OF_WORD = re.compile(r"[-\d_/@:\\]\S*$|\w\.\w\S*$")
"""Signs in the last word of a line of which the hyphen is a part: those of compounds, identifiers and addresses."""
_NUMBER_END = re.compile(r"\d[-–]$")
"""The first number of a range, or a part of a date; PDFium marks hyphens behind letters only."""
_FIRST_WORD = re.compile(r"^\w+")
_FIRST_TOKEN = re.compile(r"^\S+")
_HANGUL_END = re.compile(r"(?<![가-힣])[가-힣]++$")
_HANGUL_START = re.compile(r"^[가-힣]+")
_DIVIDING_SHARE = 0.2
"""Share of line ends inside words from which on a document divides Korean words between any syllables, as TeX does.
Word processors do it at blanks only: line ends that the vocabulary decides are then 0 to 3 % inside words."""

_LEAST_DIVIDED = 3
"""Line ends inside words from which on they are no chance."""


def build_blocks(
    doc_id: DocumentId,
    pages: Sequence[PageSegments],
    *,
    labels: Sequence[str],
    outline: Sequence[OutlineEntry],
    pictures: Sequence[int] = (),
    illustrated: Sequence[int] = (),
    recognised: Mapping[int, OcrText] | None = None,
    captions: Mapping[int, ModelCaption] | None = None,
) -> tuple[list[Block], ExtractedText]:
    """Build the blocks and the text of a document.

    Args:
        doc_id: The document.
        pages: All of its pages; those without text have no segments.
        labels: Label of each page as it is printed, empty where it is not known.
        outline: Its outline, in order of the pages.
        pictures: Numbers of the pages that show text at most as a picture, from 1.
        illustrated: Numbers of the pages with pictures beside their text.
        recognised: Text that was recognised on pages, by their number.
        captions: Captions of pages, by 1-based number.

    Returns:
        The blocks in reading order, captions last, and the text with a part for each page, and for each line that was recognised on it.
    """
    builder = _DocumentBuilder(
        doc_id, pages, labels=labels, outline=outline, recognised=recognised or {}, captions=captions or {}
    )
    builder.build()
    text = ExtractedText(
        text="".join(builder.texts),
        parts=tuple(builder.parts),
        pictures=tuple(pictures),
        illustrated=tuple(illustrated),
    )
    return [*builder.blocks, *builder.captions], text


class _DocumentBuilder:
    """Texts, parts and blocks of one document, page by page."""

    def __init__(
        self,
        doc_id: DocumentId,
        pages: Sequence[PageSegments],
        *,
        labels: Sequence[str],
        outline: Sequence[OutlineEntry],
        recognised: Mapping[int, OcrText],
        captions: Mapping[int, ModelCaption],
    ) -> None:
        self.texts: list[str] = []
        self.parts: list[TextPart] = []
        self.blocks: list[Block] = []
        self.captions: list[Block] = []
        """Behind all text, which may run on over a page."""
        self._places = BlockBuilder(doc_id)
        self._pages = pages
        self._labels = labels
        self._outline = {page: list(entries) for page, entries in groupby(outline, lambda entry: entry.page)}
        self._recognised = recognised
        self._written = captions
        self._length = 0
        self._vocabulary = Vocabulary(())
        self._running: set[str] = set()

    def build(self) -> None:
        """Build everything."""
        running = find_running_lines(self._pages, self._labels)
        placed = [self._place(index, page, running[index]) for index, page in enumerate(self._pages)]
        _carry_headers(placed)
        self._vocabulary = Vocabulary(row_text(row) for row in _list_rows(placed))
        self._vocabulary.note_line_ends(_list_lines(placed))
        placed = [[self._join_cells(each) for each in page] for page in placed]
        for index, page in enumerate(self._pages):
            self._add_page(index + 1, page, running[index], placed[index])

    def _place(self, index: int, page: PageSegments, running: Sequence[RunningLine]) -> list[PlacedPart]:
        edges = {segment for line in running for segment in line.row.segments}
        body = [segment for segment in page.segments if segment not in edges]
        parts = list(_build_page(body, page.grids))
        return place_sections(parts, self._outline.get(index, []))

    def _join_cells(self, placed: PlacedPart) -> PlacedPart:
        """Return a part with the lines of each cell joined."""

        def join(cells: Sequence[str]) -> tuple[str, ...]:
            return tuple(" ".join(self._vocabulary.join_lines(cell.split("\n"))) for cell in cells)

        if not isinstance(part := placed.part, Table):
            return placed
        carried = None if part.carried is None else join(part.carried)
        return placed._replace(part=part._replace(cells=tuple(map(join, part.cells)), carried=carried))

    def _add_page(
        self,
        number: int,
        page: PageSegments,
        running: Sequence[RunningLine],
        placed: Sequence[PlacedPart],
    ) -> None:
        middle = page.height / 2
        edges = [
            (line.row.top, self._place_running(line), _plain(line.row))
            for line in sorted(running, key=lambda line: line.row.top)
        ]
        items = [(part, text) for top, part, text in edges if top < middle]
        items += [(each, _text_of(each.part, self._vocabulary)) for each in placed]
        items += [(part, text) for top, part, text in edges if top >= middle]
        size = PageSize(width=round(page.width), height=round(page.height))
        place = PageSpan(page=number, page_size=size if page.height > 0 else None)
        texts: list[str] = []
        offset = 0
        for each, text in items:
            if each is not None:
                self._add_block(each, text, place, offset)
            texts.append(text)
            offset += len(text) + len(_SEPARATOR)
        for comment in page.comments:
            self._add_comment(comment, place, offset)
            texts.append(comment.text)
            offset += len(comment.text) + len(_SEPARATOR)
        self._add_text(_SEPARATOR.join(texts), place)
        self._add_recognised(number, "".join(texts))
        self.captions += build_caption(self._places, self._written.get(number), number)

    def _add_recognised(self, number: int, layer: str) -> None:
        """Add the lines that were recognised on a page, but those that its own text has."""
        own = _squeeze(layer)
        read = self._recognised.get(number)
        regions = [each for each in (read.regions if read else ()) if _squeeze(each.text) not in own]
        if not regions:
            return
        if not layer:
            for entry in self._outline.get(number - 1, ()):
                self._places.open_section(entry.level, entry.title)
        for paragraph in build_paragraphs(regions, page=number, start=self._length + len(_SEPARATOR)):
            block = ParagraphBlock(**self._places.place("paragraph", paragraph.span), text=paragraph.text)
            self.blocks.append(block)
            self.parts += paragraph.lines
            self.texts += [_SEPARATOR, paragraph.text]
            self._length += len(_SEPARATOR) + len(paragraph.text)

    def _place_running(self, line: RunningLine) -> PlacedPart | None:
        """Return a running line as a paragraph where its words stand for the first time, so that they can be found."""
        if not line.words or line.words in self._running:
            return None
        self._running.add(line.words)
        return PlacedPart(Paragraph((line.row,)))

    def _add_text(self, text: str, span: PageSpan) -> None:
        if self.parts:
            self.texts.append(_SEPARATOR)
            self._length += len(_SEPARATOR)
        self.parts.append(TextPart(start=self._length, end=self._length + len(text), source_span=span))
        self.texts.append(text)
        self._length += len(text)

    def _add_comment(self, comment: Segment, page: PageSpan, offset: int) -> None:
        span = PageSpan(
            page=page.page,
            char_start=offset,
            char_end=offset + len(comment.text),
            rectangles=(_cover([Row((comment,))]),),
            page_size=page.page_size,
        )
        self.blocks.append(QuoteBlock(**self._places.place("quote", span), text=comment.text))

    def _add_block(self, placed: PlacedPart, text: str, page: PageSpan, offset: int) -> None:
        heading = " ".join(text.split("\n"))
        for entry in placed.opens:
            is_own = placed.is_heading and entry is placed.opens[-1]
            self._places.open_section(entry.level, heading if is_own else entry.title)
        span = PageSpan(
            page=page.page,
            char_start=offset,
            char_end=offset + len(text),
            rectangles=(_cover(placed.part.rows),),
            page_size=page.page_size,
        )
        if placed.is_heading:
            level = placed.opens[-1].level
            self.blocks.append(HeadingBlock(**self._places.place("heading", span), level=level, text=heading))
        elif isinstance(placed.part, Table):
            headers, rows = placed.part.headers, placed.part.body
            self.blocks.append(TableBlock(**self._places.place("table", span), headers=headers, rows=rows))
        else:
            self.blocks.append(ParagraphBlock(**self._places.place("paragraph", span), text=text))


def _build_page(body: Sequence[Segment], grids: Sequence[Grid]) -> Iterator[Paragraph | Table]:
    """Yield the parts of a page in reading order, in which a table with lines counts as one segment."""
    tables: dict[Segment, Table] = {}
    for grid in grids:
        own = [each for each in body if any(cell.holds(each.box) for cell in grid.cells)]
        if own and (table := build_ruled_table(grid, own)) is not None:
            left, right = min(cell.left for cell in grid.cells), max(cell.right for cell in grid.cells)
            top, bottom = grid.cells[0].top, grid.cells[-1].bottom
            tables[Segment("", left, top, right, bottom, own[0].order)] = table
            body = [each for each in body if each not in set(own)]
    for region in order_segments([*body, *tables]):
        for is_table, rows in groupby(region.rows, lambda row: not tables.keys().isdisjoint(row.segments)):
            if not is_table:
                yield from build_parts(Region(tuple(rows)))
                continue
            for row in rows:
                if beside := [each for each in row.segments if each not in tables]:
                    yield from build_parts(Region(tuple(build_rows(beside))))
                yield from (tables[each] for each in row.segments if each in tables)


def _carry_headers(placed: Sequence[list[PlacedPart]]) -> None:
    """Give tables that go on at the top of a page the header of the table at the bottom of the page before."""
    before: Paragraph | Table | None = None
    for page in placed:
        parts = [index for index, each in enumerate(page) if each.part.rows[0].segments[0].is_upright]
        if not parts:
            before = None
            continue
        at = min(parts, key=lambda index: page[index].part.rows[0].top)
        first = page[at].part
        if isinstance(before, Table) and isinstance(first, Table) and not page[at].opens:
            page[at] = page[at]._replace(part=first.carry_header(before))
        before = page[max(parts, key=lambda index: page[index].part.rows[-1].bottom)].part


def _list_rows(placed: Sequence[Sequence[PlacedPart]]) -> Iterator[Row]:
    return (row for page in placed for each in page for row in each.part.rows)


def _list_lines(placed: Sequence[Sequence[PlacedPart]]) -> Iterator[list[str]]:
    """Yield the lines of each paragraph, and of each cell of a table."""
    for each in chain.from_iterable(placed):
        if isinstance(each.part, Paragraph):
            yield [row_text(row) for row in each.part.rows]
        else:
            yield from (cell.split("\n") for row in each.part.cells for cell in row)


def _text_of(part: Paragraph | Table, vocabulary: Vocabulary) -> str:
    """Return the text of a part: lines of a paragraph, or rows of a table with `|` between the cells as passages show it."""
    if isinstance(part, Table):
        return _normalize("\n".join(" | ".join(row) for row in part.cells))
    return _normalize("\n".join(vocabulary.join_lines([row_text(row) for row in part.rows])))


def _plain(row: Row) -> str:
    return _normalize(row_text(row).replace(HYPHEN, "-"))


def _squeeze(text: str) -> str:
    """Return a text without white space and case."""
    return "".join(text.split()).casefold()


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _cover(rows: Sequence[Row]) -> Rectangle:
    left, top = max(min(row.left for row in rows), 0), max(min(row.top for row in rows), 0)
    right, bottom = max(row.right for row in rows), max(row.bottom for row in rows)
    x, y = math.floor(left), math.floor(top)
    return Rectangle(x=x, y=y, w=max(math.ceil(right) - x, 0), h=max(math.ceil(bottom) - y, 0))


class Vocabulary:
    """The words of a document that stand inside of lines, with their beginnings.

    Args:
        lines: All lines, in order.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        inner = (words for line in lines for words in [_WORD.findall(line)[1:-1]])
        for words in inner:
            self._words.update(word.casefold() for word in words)
        self._starts = {
            word[:end] for word in self._words if _HANGUL_START.match(word) for end in range(1, len(word) + 1)
        }
        self.divides_hangul = False
        self._prior = 0.0

    def note_line_ends(self, paragraphs: Iterable[Sequence[str]]) -> None:
        """Find out whether the document divides words, Korean ones and with hyphens, by the lines of its paragraphs."""
        divided = kept = joined = compounds = 0
        for lines in paragraphs:
            for line, following in pairwise(lines):
                end, start = _HANGUL_END.search(line), _HANGUL_START.match(following)
                if end and start:
                    one, two = end[0] + start[0] in self._words, {end[0], start[0]} <= self._words
                    divided, kept = divided + (one and not two), kept + (two and not one)
                elif line.endswith(HYPHEN):
                    glue = self._find_known_glue(line, following)
                    joined, compounds = joined + (glue == ""), compounds + (glue == "-")
        self.divides_hangul = divided >= _LEAST_DIVIDED and divided > _DIVIDING_SHARE * (divided + kept)
        self._prior = log((joined + 1) / (compounds + 1))

    def join_lines(self, lines: Sequence[str]) -> list[str]:
        """Return the lines with divided words whole, at the end of the line that they begin in."""
        joined: list[str] = []
        for line in lines:
            if joined and (glue := self._find_glue(joined[-1], line)) is not None:
                rest = _FIRST_TOKEN.match(line)
                head = rest[0] if rest else ""
                joined[-1] = joined[-1].removesuffix(HYPHEN) + glue + head
                line = line[len(head) :].lstrip()
                if not line:
                    continue
            joined.append(line)
        return [line.replace(HYPHEN, "-") for line in joined]

    def _find_glue(self, line: str, following: str) -> str | None:
        """Return what stands between the last word of a line and the first of the next one; None for the line's end."""
        if line.endswith(HYPHEN):
            known = self._find_known_glue(line, following)
            return self._find_likely_glue(line, following) if known is None else known
        if _NUMBER_END.search(line) and following[:1].isdigit():
            return ""
        end, start = _HANGUL_END.search(line), _HANGUL_START.match(following)
        if not self.divides_hangul or end is None or start is None:
            return None
        return "" if self._is_one_word(end[0], start[0]) else None

    def _find_known_glue(self, line: str, following: str) -> str | None:
        """Return a hyphen or nothing where the form of the words or the document's own words tell which, else None."""
        end, start = _LAST_WORD.search(line), _FIRST_WORD.match(following)
        if end is None or start is None:
            return None
        one, other = end[1], start[0]
        is_name = other[0].isupper() and not one.isupper()
        if is_name or len(one) == 1 or not (one + other).isalpha() or _PART_OF_WORD.search(line[:-1]):
            return "-"
        one, other = one.casefold(), other.casefold()
        if one + other in self._words:
            return ""
        return "-" if f"{one}-{other}" in self._words or {one, other} <= self._words else None

    def _find_likely_glue(self, line: str, following: str) -> str | None:
        """Return a hyphen where two words are likelier than one, by how often the document divides words, else nothing."""
        end, start = _LAST_WORD.search(line), _FIRST_WORD.match(following)
        if end is None or start is None:
            return None
        one, other = end[1].casefold(), start[0].casefold()
        gain = log_probability(one + other) - log_probability(one) - log_probability(other)
        return "" if gain + self._prior >= 0 else "-"

    def _is_one_word(self, end: str, start: str) -> bool:
        if end + start in self._words:
            return True
        if {end, start} <= self._words:
            return False
        return end + start[0] in self._starts or not {end, start} & self._words
