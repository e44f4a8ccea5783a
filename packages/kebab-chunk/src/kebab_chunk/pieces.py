"""Pieces: blocks rendered to text, or the parts of a block, each with its place in the source.

`render_block` makes a piece of a block. `packing` splits pieces and joins them to the text of chunks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    AudioRefBlock,
    Block,
    BlockId,
    CaptionSpan,
    CellSpan,
    CodeBlock,
    HeadingBlock,
    ImageRefBlock,
    Inline,
    LineSpan,
    LinkInline,
    ListBlock,
    ListItem,
    PageSpan,
    ParagraphBlock,
    RegionSpan,
    SlideSpan,
    SourceSpan,
    TableBlock,
    TimeSpan,
    parse_cells,
    show_link,
)

if TYPE_CHECKING:
    from kebab_chunk.boundaries import Range, TextKind

BLOCK_SEPARATOR = "\n\n"
"""Text between two blocks of a chunk."""
_WORD = re.compile(r"\w+")
_NO_WORDS = re.compile(r"\{%[^%]{0,500}+%\}|\{\{[^{}]{0,500}+\}\}|\[[ xX]\]|\b[a-z]{2,20}+://\S+")
"""Liquid tags, check boxes, addresses."""
_FOOTNOTE = re.compile(r"\[\^[^\[\]]+\]: ")
_FENCE_LINES = 2
_TABLE_HEAD_LINES = 2


class Piece(NamedTuple):
    """A block, or a part of one that stays together."""

    block_id: BlockId
    heading_path: tuple[str, ...]
    text: str
    """Text that the piece adds to a chunk. A blank one adds only its block id and span."""
    span: SourceSpan
    kind: TextKind = "prose"
    is_heading: bool = False
    keep_whole: bool = False
    """Whether it is cut only if it alone is larger than a chunk may be."""
    separator: str = BLOCK_SEPARATOR
    """Text between the preceding piece of the same block and this one."""
    lead: str = ""
    """Text repeated before this piece where it is the first of its block in a chunk: the header row of a table."""
    header: str = ""
    """Header row of the table that it is, or is rows of; empty for all else, and where the table has none."""
    header_span: SourceSpan | None = None
    """Place of the header row in the source; None without one."""
    first_line: int | None = None
    """Source line of the first line of `text`; None where lines of `text` are not lines of the source."""
    first_char: int | None = None
    """Offset of `text` in its page's text; None where it is not known, or where `text` is not what stands there."""
    is_reference: bool = False
    """Whether it is nothing but links, or a footnote."""
    parts: tuple[Piece, ...] = ()
    """The smaller pieces that it is made of: items of a list, rows of a table. Empty for running text."""

    @property
    def is_blank(self) -> bool:
        """Whether it adds no text."""
        return not self.text or self.text.isspace()

    @property
    def page(self) -> int | str | None:
        """Its page or slide in the source, from 1, its sheet, or the millisecond that it begins at; None where there are none."""
        match self.span:
            case PageSpan(page=page) | RegionSpan(page=page):
                return page
            case SlideSpan(slide=slide):
                return slide
            case CellSpan(sheet=sheet):
                return sheet
            case CaptionSpan(kind=kind, page=number):  # apart from what stands in the picture
                return f"{kind} {number}"
            case TimeSpan(start_ms=start):
                return start
        return None


def count_words(piece: Piece, *, most: int) -> int:
    """Count the words of a piece that say something, up to `most`.

    Links alone, footnotes, addresses, tags of a site generator and check boxes have none. Code and tables have `most` if they have
    any: their words do not make sentences.
    """
    if piece.is_reference:
        return 0
    if piece.keep_whole:
        return most if _WORD.search(piece.text) else 0
    return sum(1 for _ in islice(_WORD.finditer(_NO_WORDS.sub(" ", piece.text)), most))


def join_pieces(pieces: Sequence[Piece]) -> str:
    """Return the text of a chunk: its pieces joined in order. Blank pieces add nothing."""
    return "".join(text for _, parts in _join(pieces) for text in parts)


def find_table_rows(pieces: Sequence[Piece]) -> Iterator[tuple[list[Piece], int, int]]:
    """Yield the pieces of each table with a header row, with their range in the text of the chunk, lead included."""
    end, run, start = 0, list[Piece](), 0
    for piece, (separator, lead, text) in _join(pieces):
        if run and (run[-1].block_id != piece.block_id or not piece.header):
            yield run, start, end
            run = []
        if not run:
            start = end + len(separator)
        end += len(separator) + len(lead) + len(text)
        run += [piece] if piece.header else []
    if run:
        yield run, start, end


def _join(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, tuple[str, str, str]]]:
    """Yield the pieces with text, each with what it adds to a chunk: the separator before it, its lead, its text."""
    before: Piece | None = None
    for piece in pieces:
        if not piece.is_blank:
            continues = before is not None and before.block_id == piece.block_id
            separator = "" if before is None else piece.separator if continues else BLOCK_SEPARATOR
            is_named = before is not None and before.header_span == piece.header_span
            yield piece, (separator, "" if continues or is_named else piece.lead, piece.text)
            before = piece


def narrow_piece(piece: Piece, ranges: Sequence[Range]) -> list[Piece]:
    """Return one piece for each range of a piece's text, in order, with its own lines or characters where they are known.

    Together their spans are the piece's span. Lines between two ranges belong to the earlier one. A line in which one
    range ends and the next begins belongs to both.
    """
    parts: list[Piece] = []
    position, line = 0, piece.first_line
    for start, end in ranges:
        separator = piece.separator if not parts else _separator(piece.text[position:start])
        first_line = None if line is None else line + piece.text.count("\n", position, start)
        line = None if first_line is None else first_line + piece.text.count("\n", start, end)
        position = end
        parts.append(
            piece._replace(
                text=piece.text[start:end],
                separator=separator,
                first_line=first_line,
                first_char=None if piece.first_char is None else piece.first_char + start,
                keep_whole=False,
            )
        )
    return cover_span(piece.span, parts)


def cover_span(span: SourceSpan, parts: Sequence[Piece]) -> list[Piece]:
    """Return the parts with spans that hold their own lines or characters and together are `span`.

    Parts without known lines or characters get the whole span.
    """
    if isinstance(span, CellSpan):
        return _cover_rows(span, parts)
    if isinstance(span, PageSpan | SlideSpan | RegionSpan) and span.char_end is not None:
        chars = [part.first_char for part in parts if part.first_char is not None]
        if len(chars) == len(parts):
            bounds = [span.char_start, *chars[1:], span.char_end]
            return [
                part._replace(span=span.model_copy(update={"char_start": start, "char_end": end}))
                for part, (start, end) in zip(parts, pairwise(bounds), strict=True)
            ]
    if not isinstance(span, LineSpan):
        return [part._replace(span=span) for part in parts]
    lines = [(part.first_line, part.text.count("\n")) for part in parts]
    own = [(first, first + breaks) for first, breaks in lines if first is not None]
    if len(own) < len(parts):
        return [part._replace(span=span) for part in parts]
    starts = [span.start, *(first for first, _ in own[1:])]
    ends = [max(last, following - 1) for (_, last), following in zip(own, starts[1:], strict=False)]
    return [
        part._replace(span=LineSpan(start=start, end=end))
        for part, start, end in zip(parts, starts, [*ends, max(span.end, starts[-1])], strict=True)
    ]


def _cover_rows(span: CellSpan, parts: Sequence[Piece]) -> list[Piece]:
    """Return the parts each with its own row, where there are as many parts as rows; else each with the whole range.

    A header in front of as many parts as rows, one that is blank or that of a table above, has the first row, too.
    """
    cells = None if span.cells is None else parse_cells(span.cells)
    before = 0 if cells is None else len(parts) - (cells.bottom - cells.top + 1)
    if cells is None or before not in {0, 1}:
        return [part._replace(span=span) for part in parts]
    rows = [max(cells.top, row) for row in range(cells.top - before, cells.bottom + 1)]
    return [
        part._replace(span=CellSpan(sheet=span.sheet, cells=str(cells._replace(top=row, bottom=row))))
        for row, part in zip(rows, parts, strict=True)
    ]


def render_block(block: Block) -> Piece:
    """Return a block as one piece. Pieces of lists and tables hold their items and rows as parts."""
    match block:
        case HeadingBlock(text=text):
            piece = _plain(block, text)._replace(is_heading=True)
        case CodeBlock(code=code):
            first_line = _first_code_line(block.source_span, code)
            piece = _plain(block, code)._replace(kind="code", keep_whole=True, first_line=first_line)
        case TableBlock():
            piece = _table(block)
        case ListBlock():
            piece = _list(block)
        case ImageRefBlock():
            piece = _plain(block, _picture_text(block))
        case AudioRefBlock(transcript=transcript):
            segments = transcript.segments if transcript else ()
            piece = _plain(block, "\n".join(segment.text for segment in segments))
        case ParagraphBlock(text=text, inlines=inlines):
            is_reference = bool(_FOOTNOTE.match(text)) or _is_links(text, inlines)
            piece = _plain(block, text)._replace(is_reference=is_reference)
        case _:
            piece = _plain(block, block.text)
    return piece


def _plain(block: Block, text: str) -> Piece:
    return Piece(
        block_id=block.block_id,
        heading_path=block.heading_path,
        text=text,
        span=block.source_span,
        first_line=_first_line(block.source_span, text),
        first_char=_first_char(block.source_span, text),
    )


def _list(block: ListBlock) -> Piece:
    text = "\n".join(_item_text(item, ordered=block.ordered) for item in block.items)
    piece = _plain(block, text)._replace(first_char=None)
    parts = [
        piece._replace(
            text=_item_text(item, ordered=block.ordered),
            separator="\n",
            first_line=item.source_span.start if isinstance(item.source_span, LineSpan) else None,
        )
        for item in block.items
    ]
    parts = [
        covered._replace(first_line=_first_line(item.source_span, covered.text))
        for covered, item in zip(cover_span(block.source_span, parts), block.items, strict=True)
    ]
    return piece._replace(
        parts=tuple(parts), is_reference=all(_is_links(item.text, item.inlines) for item in block.items)
    )


def _is_links(text: str, inlines: Sequence[Inline]) -> bool:
    """Return True if a text has no letters besides those of links."""
    links = [inline for inline in inlines if isinstance(inline, LinkInline)]
    for link in links:
        text = text.replace(show_link(link.text, link.href), "", 1)
    return bool(links) and not any(map(str.isalpha, text))


def _item_text(item: ListItem, *, ordered: bool) -> str:
    """Return an item with its bullet. The text of a numbered item already begins with its number."""
    return item.text if ordered else "- " + item.text.replace("\n", "\n  ").replace("\n  \n", "\n\n")


def _table(block: TableBlock) -> Piece:
    header = _row(block.headers)
    rows = [_row(row) for row in block.rows]
    span = block.source_span
    lead = header + "\n" if header else ""
    is_own = block.header_span is None
    piece = _plain(block, "\n".join([header, *rows] if is_own else rows))._replace(
        keep_whole=True,
        first_line=None,
        first_char=None,
        lead="" if is_own else lead,
        header=header,
        header_span=block.header_span or _first_row_of(span) if header else None,
    )
    first = _first_row_line(block)
    row = piece._replace(separator="\n", keep_whole=False)
    parts = [row._replace(text=header)] if is_own else []
    parts += [
        row._replace(text=text, lead=lead, first_line=None if first is None else first + position)
        for position, text in enumerate(rows)
    ]
    if first is not None:
        parts[0] = parts[0]._replace(first_line=first - _TABLE_HEAD_LINES)
    return piece._replace(parts=tuple(cover_span(span, parts)))


def _first_row_of(span: SourceSpan) -> SourceSpan:
    if isinstance(span, LineSpan):
        return LineSpan(start=span.start, end=span.start)
    if isinstance(span, CellSpan) and span.cells is not None:
        cells = parse_cells(span.cells)
        return CellSpan(sheet=span.sheet, cells=str(cells._replace(bottom=cells.top)))
    return span


def _row(cells: tuple[str, ...]) -> str:
    return " | ".join(cells) if any(cells) else ""


def _picture_text(block: ImageRefBlock) -> str:
    if block.caption and isinstance(block.source_span, CaptionSpan):
        return block.caption.text
    path = "" if block.is_src_defined or block.src.startswith("data:") else block.src.partition("?")[0]
    is_file = ":" not in path
    name = show_link(block.alt, path) if is_file else block.alt or path.rstrip("/").rpartition("/")[2]
    read = (block.ocr.joined if block.ocr else "", block.caption.text if block.caption else "")
    return "\n".join(text for text in (name, *read) if text.strip())


def _first_line(span: SourceSpan, text: str) -> int | None:
    is_aligned = isinstance(span, LineSpan) and text.count("\n") == span.end - span.start
    return span.start if isinstance(span, LineSpan) and is_aligned else None


def _first_char(span: SourceSpan, text: str) -> int | None:
    if not isinstance(span, PageSpan | SlideSpan | RegionSpan):
        return None
    if span.char_start is None or span.char_end is None:
        return None
    return span.char_start if span.char_end - span.char_start == len(text) else None


def _first_code_line(span: SourceSpan, code: str) -> int | None:
    if not isinstance(span, LineSpan):
        return None
    missing = span.end - span.start - code.count("\n")
    # Indented code has the lines of its block. Fenced code has one more before it and, unless unclosed, one after it.
    return span.start + min(missing, 1) if 0 <= missing <= _FENCE_LINES else None


def _first_row_line(block: TableBlock) -> int | None:
    span = block.source_span
    is_aligned = isinstance(span, LineSpan) and span.end - span.start + 1 == _TABLE_HEAD_LINES + len(
        block.rows
    )
    return span.start + _TABLE_HEAD_LINES if isinstance(span, LineSpan) and is_aligned else None


def _separator(gap: str) -> str:
    newlines = gap.count("\n")
    if newlines:
        return "\n" * min(newlines, 2)
    return " " if gap else ""
