"""From blocks to the text that chunks show."""

from __future__ import annotations

from dataclasses import replace

from kebab_core import (
    AudioRefBlock,
    Block,
    CodeBlock,
    HeadingBlock,
    ImageRefBlock,
    LineSpan,
    ListBlock,
    ListItem,
    SourceSpan,
    TableBlock,
)

from kebab_chunk.pieces import Piece, cover_span

_FENCE_LINES = 2
_TABLE_HEAD_LINES = 2


def render_block(block: Block) -> Piece:
    """Return a block as one piece, with the natural parts of lists and tables."""
    match block:
        case HeadingBlock(text=text):
            piece = replace(_plain(block, text), is_heading=True)
        case CodeBlock(code=code):
            first_line = _first_code_line(block.source_span, code)
            piece = replace(_plain(block, code), kind="code", keep_whole=True, first_line=first_line)
        case TableBlock():
            piece = _table(block)
        case ListBlock():
            piece = _list(block)
        case ImageRefBlock():
            piece = _plain(block, _picture_text(block))
        case AudioRefBlock(transcript=transcript):
            segments = transcript.segments if transcript else ()
            piece = _plain(block, "\n".join(segment.text for segment in segments))
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
    )


def _list(block: ListBlock) -> Piece:
    piece = _plain(block, "\n".join(_item_text(item, ordered=block.ordered) for item in block.items))
    parts = [
        replace(
            piece,
            text=_item_text(item, ordered=block.ordered),
            joint="\n",
            first_line=item.source_span.start if isinstance(item.source_span, LineSpan) else None,
        )
        for item in block.items
    ]
    parts = [
        replace(covered, first_line=_first_line(item.source_span, covered.text))
        for covered, item in zip(cover_span(block.source_span, parts), block.items, strict=True)
    ]
    return replace(piece, parts=tuple(parts))


def _item_text(item: ListItem, *, ordered: bool) -> str:
    """Return an item with its marker; the text of a numbered one already begins with its number."""
    return item.text if ordered else "- " + item.text.replace("\n", "\n  ").replace("\n  \n", "\n\n")


def _table(block: TableBlock) -> Piece:
    header = _row(block.headers)
    rows = [_row(row) for row in block.rows]
    piece = replace(_plain(block, "\n".join([header, *rows])), keep_whole=True, first_line=None)
    first = _first_row_line(block)
    lead = header + "\n" if header.strip() else ""
    parts = [replace(piece, text=header, joint="\n", keep_whole=False)]
    parts += [
        replace(
            piece,
            text=row,
            joint="\n",
            keep_whole=False,
            lead=lead,
            lead_span=_header_span(block) if lead else None,
            first_line=None if first is None else first + position,
        )
        for position, row in enumerate(rows)
    ]
    if first is not None:
        parts[0] = replace(parts[0], first_line=first - _TABLE_HEAD_LINES)
    return replace(piece, parts=tuple(cover_span(block.source_span, parts)))


def _header_span(block: TableBlock) -> SourceSpan:
    """Return the line of a table's header, or the whole table's place where that is not addressed by lines."""
    span = block.source_span
    return LineSpan(start=span.start, end=span.start) if isinstance(span, LineSpan) else span


def _row(cells: tuple[str, ...]) -> str:
    return " | ".join(cells) if any(cells) else ""


def _picture_text(block: ImageRefBlock) -> str:
    path = "" if block.src.startswith("data:") else block.src.partition("?")[0]
    name = path.rstrip("/").rpartition("/")[2]
    read = (block.ocr.joined if block.ocr else "", block.caption.text if block.caption else "")
    return "\n".join(text for text in (block.alt or name, *read) if text.strip())


def _first_line(span: SourceSpan, text: str) -> int | None:
    is_aligned = isinstance(span, LineSpan) and text.count("\n") == span.end - span.start
    return span.start if isinstance(span, LineSpan) and is_aligned else None


def _first_code_line(span: SourceSpan, code: str) -> int | None:
    if not isinstance(span, LineSpan):
        return None
    missing = span.end - span.start - code.count("\n")
    # Indented code has the lines of its block; a fence stands before fenced code and, unless it is open, after it.
    return span.start + min(missing, 1) if 0 <= missing <= _FENCE_LINES else None


def _first_row_line(block: TableBlock) -> int | None:
    span = block.source_span
    is_aligned = isinstance(span, LineSpan) and span.end - span.start + 1 == _TABLE_HEAD_LINES + len(
        block.rows
    )
    return span.start + _TABLE_HEAD_LINES if isinstance(span, LineSpan) and is_aligned else None
