"""Parts of a document that has no lines: pages, slides, sheets, regions of a picture, and times of a recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from kebab_core import (
    CaptionCitation,
    CaptionSpan,
    CellCitation,
    CellSpan,
    CodeCitation,
    CodeSpan,
    ExtractedText,
    InvalidInputError,
    LineCitation,
    LineSpan,
    Message,
    PageCitation,
    PageSpan,
    RegionCitation,
    RegionSpan,
    Remedy,
    SlideCitation,
    SlideSpan,
    SpanNotSupportedError,
    TextPart,
    TimeCitation,
    TimeSpan,
    cover_cells,
    parse_cells,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kebab_core import Cells, Citation, IndexedDocument, SourceId, SourceSpan, WorkspacePath

_UNITS = {
    "page": Message("pages"),
    "slide": Message("slides"),
    "cells": Message("sheets"),
    "region": Message("regions"),
    "time": Message("times"),
}
"""Units by which documents are addressed, by the kind of span of their parts; without parts lines, of a recording times."""
_LINES = Message("lines")
_INSIDE = 0.5
"""Share of its area from which a line lies in a region."""
_NAMES: Mapping[str, Message] = {unit: unit for unit in (*_UNITS.values(), _LINES)}


class TextRange(NamedTuple):
    """Code points of the text of a document, half open."""

    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class DocumentParts:
    """The parts of one document."""

    document: IndexedDocument
    extracted: ExtractedText | None
    """None for a file that is text itself."""

    @property
    def unit(self) -> str:
        """What the document is addressed by: `lines`, `pages`, `slides`, `sheets`, `regions` or `times`."""
        parts = self._parts
        if not parts:
            return _UNITS["time"] if self.document.media == "audio" else _LINES
        return _UNITS.get(parts[0].source_span.kind, Message("parts"))

    @property
    def count(self) -> int | None:
        """Number of its pages, slides or sheets; None where it has none."""
        numbered = {_number(part.source_span) for part in self._parts} - {None}
        return len(numbered) if numbered else None

    @property
    def _parts(self) -> tuple[TextPart, ...]:
        return self.extracted.parts if self.extracted is not None else ()

    def require(self, *units: str) -> None:
        """Refuse an address of another unit.

        Raises:
            SpanNotSupportedError: The document is addressed by none of these.
        """
        if self.unit not in units:
            raise SpanNotSupportedError(
                "{doc_path} is {media} and has no {span}: it is addressed by {unit}",
                remedy=Remedy(kind="fetch_document", document=self.document.doc_id),
                media=self.document.media,
                _doc_path=self.document.doc_path,
                _span=_NAMES[min(units)],
                _unit=self.unit,
            )

    def require_part(self, citation: Citation) -> list[TextPart]:  # noqa: PLR0911 - a case for each kind of citation
        """Return the parts that a citation names, in order; none for lines and captions.

        Raises:
            SpanNotSupportedError: The document is addressed otherwise.
            InvalidInputError: It has no such page, slide, sheet or cells.
        """
        match citation:
            case LineCitation() | CodeCitation():
                self.require(_LINES)
            case PageCitation(page=page):
                return self._find_page(page)
            case RegionCitation(page=None):
                self.require("regions")
                return find_lines(self._parts, citation)
            case RegionCitation(page=int() as page):
                return find_lines(self._find_page(page), citation)
            case SlideCitation(slide=slide):
                self.require("slides")
                return self._text.find_slide(slide) or self._raise_no_slide(slide)
            case CellCitation(sheet=sheet, cells=cells):
                self.require("sheets")
                found = self._text.find_cells(sheet, cells) or self._raise_no_cells(sheet, cells)
                return found if cells is None else self._cut_rows(found, parse_cells(cells))
            case TimeCitation(start_ms=start, end_ms=end):
                self.require("times")
                return self._text.find_moments(start, end)
            case CaptionCitation():
                pass
        return []

    def find_range(self, citation: Citation | None, chars: tuple[int, int | None] | None) -> TextRange:
        """Return where the text of a part is, up to the characters that the address has.

        Args:
            citation: The part; None for the whole document.
            chars: Code points of the whole text.

        Raises:
            SpanNotSupportedError: The document is addressed otherwise.
            InvalidInputError: It has no such part, or fewer characters.
        """
        length = len(self._text.text)
        if citation is None or isinstance(citation, CaptionCitation):
            return self._cut(TextRange(0, length), *(chars or (0, None)))
        parts = self.require_part(citation)
        whole = TextRange(parts[0].start, parts[-1].end) if parts else TextRange(0, 0)
        if (
            isinstance(citation, PageCitation | SlideCitation | CellCitation)
            and citation.char_end is not None
        ):
            return self._cut(whole, citation.char_start or 0, citation.char_end)
        return whole

    def find_break(self, inside: TextRange, cut: int) -> int:
        """Return where a text that ends at `cut` is better ended: before a part, else behind a line, else there.

        Args:
            inside: What is read; the result is behind its start.
            cut: A position in it.
        """
        starts = [part.start for part in self._parts if inside.start < part.start <= cut]
        line = self._text.text.rfind("\n", inside.start, cut) + 1
        return max(starts, default=0) or line or cut

    def find_span(self, at: int) -> SourceSpan | None:
        """Return the place in the source of the text at an offset: of a sheet, its row; None where no part has it."""
        part = next((part for part in self._parts if part.start <= at < part.end), None)
        return None if part is None else self._span_inside(part, TextRange(at, at + 1))

    def describe(self, inside: TextRange) -> tuple[str, ...]:
        """Return the fragments of the first and the last part of a range, once where they are the same."""
        found = [part for part in self._parts if part.start < inside.end and part.end > inside.start]
        shown = [
            cited.to_address().rpartition("#")[2]
            for part in found[:1] + found[-1:]
            for span in [self._span_inside(part, inside)]
            if (cited := cite_span(self.document.source_id, self.document.doc_path, span))
        ]
        return tuple(dict.fromkeys([shown[0], shown[-1]])) if shown else ()

    def find_shown(self, citation: Citation | None) -> Citation | None:
        """Return the citation of what is read for one: of cells, the whole rows that they are in."""
        if not isinstance(citation, CellCitation) or citation.cells is None:
            return citation
        spans = [part.source_span for part in self.require_part(citation)]
        own = [parse_cells(span.cells) for span in spans if isinstance(span, CellSpan) and span.cells]
        return citation.model_copy(update={"cells": str(cover_cells(own))}) if own else citation

    def _cut_rows(self, parts: list[TextPart], asked: Cells) -> list[TextPart]:
        """Cut parts of a sheet to the rows that are asked for."""
        cut: list[TextPart] = []
        for part in parts:
            rows = self._split_rows(part)
            own = parse_cells(getattr(part.source_span, "cells", None) or str(asked))
            if asked.top <= own.top and own.bottom <= asked.bottom:
                cut.append(part)
            else:
                cut += (row for row in rows if len(rows) == 1 or not _cells_of(row).is_apart(asked))
        return cut

    def _span_inside(self, part: TextPart, inside: TextRange) -> SourceSpan:
        """Return the place of what a range has of a part: of a sheet, its rows; else the whole part."""
        span = part.source_span
        if not isinstance(span, CellSpan) or (inside.start <= part.start and part.end <= inside.end):
            return span
        rows = self._split_rows(part)
        own = [_cells_of(row) for row in rows if row.start < inside.end and row.end > inside.start]
        return span if len(rows) == 1 else span.model_copy(update={"cells": str(cover_cells(own))})

    def _split_rows(self, part: TextPart) -> list[TextPart]:
        """Return a part for each row of a part of a sheet; the part itself where its lines are not its rows."""
        span = part.source_span
        if not isinstance(span, CellSpan) or span.cells is None:
            return [part]
        cells = parse_cells(span.cells)
        lines = self._text.text[part.start : part.end].removesuffix("\n").split("\n")
        if len(lines) != cells.bottom - cells.top + 1:
            return [part]
        rows, start = [], part.start
        for row, line in enumerate(lines, cells.top):
            end = min(start + len(line) + 1, part.end)
            own = str(cells._replace(top=row, bottom=row))
            rows.append(TextPart(start=start, end=end, source_span=CellSpan(sheet=span.sheet, cells=own)))
            start = end
        return rows

    @property
    def _text(self) -> ExtractedText:
        return self.extracted or ExtractedText(text="")

    def _find_page(self, page: int) -> list[TextPart]:
        self.require("pages", "regions")
        found = self._text.find_page(page)
        if not found:
            raise InvalidInputError(
                "{path} has {total_pages} pages, and no page {page}",
                remedy=self._fetch_remedy(),
                _path=self.document.to_address(),
                total_pages=self.count or 0,
                page=page,
            )
        return found

    def _raise_no_slide(self, slide: int) -> NoReturn:
        raise InvalidInputError(
            "{path} has {total_slides} slides, and no slide {slide}",
            remedy=self._fetch_remedy(),
            _path=self.document.to_address(),
            total_slides=self.count or 0,
            slide=slide,
        )

    def _raise_no_cells(self, sheet: str, cells: str | None) -> NoReturn:
        spans = [span for part in self._parts if isinstance(span := part.source_span, CellSpan)]
        own = [parse_cells(span.cells) for span in spans if span.sheet == sheet and span.cells]
        if own:
            raise InvalidInputError(
                "the sheet {sheet!r} of {path} has text in {own}, and none in {cells}",
                remedy=self._fetch_remedy(),
                _path=self.document.to_address(),
                sheet=sheet,
                cells=cells,
                _own=str(cover_cells(own)),
            )
        names = tuple(dict.fromkeys(span.sheet for span in spans))
        raise InvalidInputError(
            "{path} has {total_sheets} sheets, and none is {sheet!r}",
            remedy=Remedy(kind="choose", name=", ".join(names)),
            _path=self.document.to_address(),
            total_sheets=len(names),
            sheet=sheet,
        )

    def _cut(self, whole: TextRange, start: int, end: int | None) -> TextRange:
        length = whole.end - whole.start
        last = length if end is None else end
        if not start <= last <= length:
            raise InvalidInputError(
                "{path} has {total_chars} characters there, and none from {start} to {end}",
                remedy=self._fetch_remedy(),
                _path=self.document.to_address(),
                total_chars=length,
                start=start,
                end=last,
            )
        return TextRange(whole.start + start, whole.start + last)

    def _fetch_remedy(self) -> Remedy:
        return Remedy(kind="fetch_address", document=self.document.to_address())


def find_lines(parts: Iterable[TextPart], cited: RegionCitation) -> list[TextPart]:
    """Find the lines of a picture that lie in a region by half or more, in reading order; else those that touch it."""
    shares = [
        (share, part)
        for part in parts
        if isinstance(span := part.source_span, RegionSpan) and (share := span.share_inside(cited)) > 0
    ]
    return [part for share, part in shares if share >= _INSIDE] or [part for _, part in shares]


def _cells_of(row: TextPart) -> Cells:
    span = row.source_span
    if not isinstance(span, CellSpan) or span.cells is None:
        raise TypeError(span)
    return parse_cells(span.cells)


def _number(span: SourceSpan) -> int | str | None:
    match span:
        case PageSpan(page=page) | RegionSpan(page=page):
            return page
        case SlideSpan(slide=slide):
            return slide
        case CellSpan(sheet=sheet):
            return sheet
    return None


def cite_span(source_id: SourceId, path: WorkspacePath, span: SourceSpan) -> Citation | None:  # noqa: PLR0911 - a case for each kind of span
    """Return the citation of a place in a document; None for a place in bytes.

    Args:
        source_id: Source of the document.
        path: Its path.
        span: The place.
    """
    match span:
        case LineSpan(start=start, end=end):
            return LineCitation(path=path, source_id=source_id, start=start, end=end)
        case CodeSpan(line_start=start, line_end=end):
            return LineCitation(path=path, source_id=source_id, start=start, end=end)
        case PageSpan(page=page):
            return PageCitation(path=path, source_id=source_id, page=page)
        case SlideSpan(slide=slide):
            return SlideCitation(path=path, source_id=source_id, slide=slide)
        case CellSpan(sheet=sheet, cells=cells):
            return CellCitation(path=path, source_id=source_id, sheet=sheet, cells=cells)
        case RegionSpan(x=x, y=y, w=w, h=h, page=page):
            return RegionCitation(path=path, source_id=source_id, x=x, y=y, w=w, h=h, page=page)
        case CaptionSpan(model=model, page=page):
            return CaptionCitation(path=path, source_id=source_id, model=model, page=page)
        case TimeSpan(start_ms=start, end_ms=end):
            return TimeCitation(path=path, source_id=source_id, start_ms=start, end_ms=end)
    return None


def is_in_part(citation: Citation | None, span: SourceSpan) -> bool:  # noqa: PLR0911 - the same
    """Return True if a place in a document shares something with a part of it; any does where the two are of two kinds."""
    match citation, span:
        case (
            LineCitation(start=first, end=last) | CodeCitation(line_start=first, line_end=last),
            LineSpan(start=start, end=end) | CodeSpan(line_start=start, line_end=end),
        ):
            return start <= last and end >= first
        case (PageCitation() as cited, PageSpan() as place):
            return place.page == cited.page and _share_chars(cited, place)
        case (RegionCitation() as region, RegionSpan() as place):
            return place.share_inside(region) > 0
        case (
            (PageCitation(page=page), RegionSpan(page=other) | CaptionSpan(page=other))
            | (RegionCitation(page=page), PageSpan(page=other))
            | (CaptionCitation(page=page), CaptionSpan(page=other))
        ):
            return page == other
        case (SlideCitation() as cited, SlideSpan() as place):
            return place.slide == cited.slide and _share_chars(cited, place)
        case (CellCitation(sheet=sheet, cells=cells), CellSpan() as place):
            if place.sheet != sheet:
                return False
            return None in {cells, place.cells} or not parse_cells(cells or "").is_apart(
                parse_cells(place.cells or "")
            )
        case (TimeCitation(start_ms=first, end_ms=last), TimeSpan(start_ms=start, end_ms=end)):
            return start < last and end > first
    return True


def _share_chars(one: PageCitation | SlideCitation, other: PageSpan | SlideSpan) -> bool:
    if one.char_start is None or one.char_end is None or other.char_start is None or other.char_end is None:
        return True
    return one.char_start < other.char_end and other.char_start < one.char_end
