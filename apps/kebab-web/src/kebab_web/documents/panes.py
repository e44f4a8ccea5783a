"""Panes of documents: Markdown, lines, blocks, pages or a picture."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, groupby
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from kebab_app import block_texts
from kebab_core import CellSpan, MatchedRange, SlideSpan, TableBlock
from kebab_text import visible
from kebab_words import Phrases
from markupsafe import Markup

from kebab_web.documents.markdown import render_markdown
from kebab_web.marks import mark_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from kebab_app import DocumentView
    from kebab_core import Block, Rectangle, SourceSpan

_MOST = 2000
"""Lines, or blocks and rows of tables, of a document that is shown whole."""
_AROUND = 600
"""Those before and after the place of a longer one."""


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


class Part(NamedTuple):
    """Part of a document that is shown."""

    shown: slice
    """Of its lines, or of its blocks and rows of tables, from 0."""
    before: int | None
    """First line, or block or row, of the part before it, as `build_pane` takes it; None without one."""
    after: int | None
    """The same of the part after it."""


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
    part: Part | None = None
    """None of pages and pictures."""


def build_pane(view: DocumentView, *, at: int | None = None) -> Pane:
    """Choose what is shown of a document, and mark what is cited.

    Args:
        view: The document.
        at: First line, or block or row, of a long one that is shown, from 0; None shows what is around the cited place.
    """
    if view.source is not None:
        return _text_pane(view, view.source, at)
    if view.document.media in {"pdf", "image"} and view.pages:
        page = view.page or 1
        on_page = [each for each in view.blocks if getattr(each.source_span, "page", None) == page]
        kind: Literal["pages", "picture"] = "pages" if view.document.media == "pdf" else "picture"
        return Pane(view=view, kind=kind, page=page, parts=(*_parts(view, on_page),))
    if view.document.media == "image" and not view.document.doc_path.lower().endswith(".svg"):
        return Pane(view=view, kind="picture", parts=(*_parts(view, view.blocks),))
    rows = [view.number_rows(each) if isinstance(each, TableBlock) else [] for each in view.blocks]
    places = [*accumulate((len(each) or 1 for each in rows), initial=0)]
    cited = (n for n, each in enumerate(view.blocks) if view.is_cited(each.source_span))
    place = next((places[n] + next((m for m, row in enumerate(rows[n]) if row[1]), 0) for n in cited), 0)
    part = _cut(places[-1], place, at)
    shown = {
        id(each): slice(max(part.shown.start - start, 0), part.shown.stop - start)
        for each, start, end in zip(view.blocks, places, places[1:], strict=False)
        if start < part.shown.stop and end > part.shown.start
    }
    parts = _parts(view, [each for each in view.blocks if id(each) in shown], shown)
    return Pane(view=view, kind="blocks", parts=(*parts,), part=part)


def _cut(total: int, place: int, at: int | None, heads: Set[int] = frozenset()) -> Part:
    """Choose the part from `at` on, or around a place, of so many lines, or blocks and rows; all of them up to `_MOST`.

    It begins, and ends, at a heading that is less than `_AROUND` before.
    """
    if total <= _MOST:
        return Part(slice(0, total), None, None)
    at = place - _AROUND if at is None else at
    first, end = (
        max((head for head in heads if each - _AROUND < head <= each < total), default=each)
        for each in (max(at, 0), max(min(at + 2 * _AROUND, total), 0))
    )
    return Part(slice(first, end), first - 2 * _AROUND if first else None, end if end < total else None)


def _text_pane(view: DocumentView, source: str, at: int | None) -> Pane:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    cited = view.found.lines
    headings = {each.line_start - 1 for each in view.outline if each.line_start}
    part = _cut(len(lines), (cited or (1, 1))[0], at, headings)
    shown, first = lines[part.shown], part.shown.start
    if view.document.media == "markdown":
        html = render_markdown(
            "\n".join(shown),
            cited=cited,
            words=view.words,
            first_line=first + 1,
            address=view.document.to_address(),
        )
        return Pane(view=view, kind="markdown", html=Markup(html), part=part)  # noqa: S704 - cleaned by nh3
    if shown and not shown[-1] and part.after is None:
        shown.pop()
    low, high = cited or (0, 0)
    code = tuple(
        Line(number, (_mark(view, number, text),), low <= number <= high)
        for number, text in enumerate(shown, first + 1)
    )
    return Pane(view=view, kind="lines", lines=code, part=part)


def _mark(view: DocumentView, number: int, text: str) -> Markup:
    """Mark the words of a line, or of a text of a block."""
    words = (MatchedRange(start=each.start, end=each.end) for each in view.words if each.line == number)
    return mark_text(text, words)


def _parts(
    view: DocumentView, blocks: Sequence[Block], rows: Mapping[int, slice] = MappingProxyType({})
) -> Iterator[tuple[str, list[ShownBlock]]]:
    """Yield blocks by the part of the document that they stand in; of tables some rows, by the id of the block."""
    places = accumulate((len(block_texts(each)) for each in view.blocks), initial=0)
    starts = {id(each): at for each, at in zip(view.blocks, places, strict=False)}
    for title, group in groupby(blocks, lambda each: _part_of(each.source_span)):
        shown = [_show(view, each, starts[id(each)], rows.get(id(each), slice(None))) for each in group]
        yield title if view.document.media != "pdf" else "", shown


def _show(view: DocumentView, block: Block, start: int, shown_rows: slice) -> ShownBlock:
    """Prepare a block, whose texts begin at a place among those of all blocks; of a table some rows."""
    cited = view.is_cited(block.source_span)
    if not isinstance(block, TableBlock):
        return ShownBlock(
            block, cited, tuple(_mark(view, n, each) for n, each in enumerate(block_texts(block), start))
        )
    rows = view.number_rows(block)
    places = accumulate(map(len, block.rows), initial=start)
    shown = tuple(
        Line(number, tuple(_mark(view, n, cell) for n, cell in enumerate(cells, place)), is_cited)
        for (number, is_cited), cells, place in [*zip(rows, block.rows, places, strict=False)][shown_rows]
    )
    return ShownBlock(block, cited and not any(is_cited for _, is_cited in rows), rows=shown)


def _part_of(span: SourceSpan) -> str:
    if isinstance(span, CellSpan):
        return Phrases.sheet(visible(span.sheet))
    return Phrases.slide(span.slide) if isinstance(span, SlideSpan) else ""
