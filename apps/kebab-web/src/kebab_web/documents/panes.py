"""Panes of documents: Markdown, lines, blocks, pages or a picture."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, groupby, islice
from typing import TYPE_CHECKING, Literal, NamedTuple

from kebab_app import block_texts
from kebab_core import CaptionSpan, CellSpan, MatchedRange, PageSpan, RegionSpan, SlideSpan, TableBlock
from kebab_text import visible
from kebab_words import Phrases
from markupsafe import Markup

from kebab_web.documents.markdown import render_markdown
from kebab_web.marks import mark_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kebab_app import DocumentView
    from kebab_core import Block, Rectangle, SourceSpan

_MAX_LINES = 3000
"""Lines of a document that are shown at once."""
_AROUND = 600
"""Lines before and after the place of a longer one."""
_MAX_BLOCKS = 2000
_MAX_ROWS = 400
"""Rows of a table that are shown, around what is cited."""


class Line(NamedTuple):
    """A line of a text, or a row of a table."""

    number: int | None
    """Of the line in its file, or of the row in its sheet; None of a row that has none."""
    cells: tuple[Markup, ...]
    """One of a line."""
    cited: bool


class ShownBlock(NamedTuple):
    """A block of a document that is not text."""

    block: Block
    cited: bool
    """Of a table: its header alone."""
    texts: tuple[Markup, ...] = ()
    """Its text, or those of its items, with what is marked; of a table none."""
    rows: tuple[Line, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Pane:
    """Content of the document pane."""

    view: DocumentView
    kind: Literal["markdown", "lines", "blocks", "pages", "picture"]
    html: str = ""
    """Of Markdown."""
    lines: tuple[Line, ...] = ()
    parts: tuple[tuple[str, list[ShownBlock]], ...] = ()
    """Blocks by page, slide or sheet, with its title, which is empty where the document has no such parts."""
    page: int | None = None
    """Of a PDF, or of a picture with several: the one that is shown."""
    words: tuple[Rectangle, ...] = ()
    """Places of the marked words on the page or in the picture."""
    has_sound: bool = False
    """True if a recording can be played beside its text."""
    is_cut: bool = False
    """True if only the part around the cited place is shown."""


def build_pane(view: DocumentView) -> Pane:
    """Choose what is shown of a document, and mark what is cited."""
    if view.source is not None:
        return _text_pane(view, view.source)
    if view.document.media in {"pdf", "image"} and view.pages:
        page = view.page or 1
        on_page = [each for each in view.blocks if _page_of(each.source_span) == page]
        kind: Literal["pages", "picture"] = "pages" if view.document.media == "pdf" else "picture"
        return Pane(view=view, kind=kind, page=page, parts=(*_parts(view, on_page),))
    if view.document.media == "image" and not view.document.doc_path.lower().endswith(".svg"):
        return Pane(view=view, kind="picture", parts=(*_parts(view, view.blocks),))
    at = next((n for n, each in enumerate(view.blocks) if view.is_cited(each.source_span)), 0)
    start = max(0, at - _MAX_BLOCKS // 2)
    blocks = view.blocks[start : start + _MAX_BLOCKS]
    is_cut = len(blocks) < len(view.blocks)
    return Pane(view=view, kind="blocks", parts=(*_parts(view, blocks),), is_cut=is_cut)


def _text_pane(view: DocumentView, source: str) -> Pane:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    cited = view.found.lines
    first, last = 0, len(lines)
    if len(lines) > _MAX_LINES:
        at = (cited or (1, 1))[0]
        first, last = max(0, at - _AROUND), min(len(lines), at + _AROUND)
    shown = lines[first:last]
    is_cut = len(shown) < len(lines)
    if view.document.media == "markdown":
        html = render_markdown(
            "\n".join(shown),
            cited=cited,
            words=view.words,
            first_line=first + 1,
            address=view.document.to_address(),
        )
        return Pane(view=view, kind="markdown", html=Markup(html), is_cut=is_cut)  # noqa: S704 - cleaned by nh3
    if shown and not shown[-1] and last == len(lines):
        shown.pop()
    low, high = cited or (0, 0)
    code = tuple(
        Line(number, (_mark(view, number, text),), low <= number <= high)
        for number, text in enumerate(shown, first + 1)
    )
    return Pane(view=view, kind="lines", lines=code, is_cut=is_cut)


def _mark(view: DocumentView, number: int, text: str) -> Markup:
    """Mark the words of a line, or of a text of a block."""
    words = (MatchedRange(start=each.start, end=each.end) for each in view.words if each.line == number)
    return mark_text(text, words)


def _parts(view: DocumentView, blocks: Sequence[Block]) -> Iterator[tuple[str, list[ShownBlock]]]:
    places = accumulate((len(block_texts(each)) for each in view.blocks), initial=0)
    starts = {id(each): at for each, at in zip(view.blocks, places, strict=False)}
    for title, group in groupby(blocks, lambda each: _part_of(each.source_span)):
        shown = [_show(view, each, starts[id(each)]) for each in group]
        yield title if view.document.media != "pdf" else "", shown


def _show(view: DocumentView, block: Block, start: int) -> ShownBlock:
    """Prepare a block, whose texts begin at a place among those of all blocks."""
    cited = view.is_cited(block.source_span)
    if not isinstance(block, TableBlock):
        return ShownBlock(
            block, cited, tuple(_mark(view, n, each) for n, each in enumerate(block_texts(block), start))
        )
    rows = view.number_rows(block)
    marked = [n for n, (_, is_cited) in enumerate(rows) if is_cited]
    first = max(0, (marked or [0])[0] - _MAX_ROWS // 2)
    places = accumulate(map(len, block.rows), initial=start)
    near = islice(zip(rows, block.rows, places, strict=False), first, first + _MAX_ROWS)
    shown = tuple(
        Line(number, tuple(_mark(view, n, cell) for n, cell in enumerate(cells, place)), is_cited)
        for (number, is_cited), cells, place in near
    )
    return ShownBlock(block, cited and not marked, rows=shown)


def _page_of(span: SourceSpan) -> int | None:
    return span.page if isinstance(span, PageSpan | RegionSpan | CaptionSpan) else None


def _part_of(span: SourceSpan) -> str:
    match span:
        case CellSpan():
            return Phrases.sheet(visible(span.sheet))
        case SlideSpan():
            return Phrases.slide(span.slide)
        case _:
            return ""
