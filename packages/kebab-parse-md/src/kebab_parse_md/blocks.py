"""Reading of Markdown blocks: from the tokens of `syntax` to the blocks of a document, with their lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    Block,
    CodeBlock,
    HeadingBlock,
    ImageRefBlock,
    Inline,
    LineSpan,
    ListBlock,
    ListItem,
    ParagraphBlock,
    PlacedLink,
    QuoteBlock,
    SourceSpan,
    TableBlock,
    TextInline,
    find_links,
)
from kebab_parse import BlockBuilder, BlockPlace

from kebab_parse_md.containers import footnote_mark, render_container
from kebab_parse_md.inlines import InlineContent, InlineReader, Picture, read_definition
from kebab_parse_md.markdown_rules import DEFINITION
from kebab_parse_md.syntax import MAX_NESTING, MarkdownSyntax, parse_windows
from kebab_parse_md.visible_html import visible_html

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.utils import EnvType

MAX_HEADING_CHARS = 1_000
"""Most characters of a heading. A longer one is a paragraph that happens to be followed by a line of dashes."""

_CALLOUT = re.compile(r"\[!([^\]\n]+)\][+-]?[ \t]*([^\n]*)")
_CODE_LANG = re.compile(r"[{.\s]*([\w+#-]+)")
_ATTRIBUTES = re.compile(r"(?<!\s)\s*+\{:?\s*[#.][^{}]*\}$")
"""`{ #anchor .class }` after a heading, as in MkDocs, kramdown and Pandoc; not visible to readers."""
_QUOTE_MARKS = re.compile(r"^[>\s]+", re.MULTILINE)


class MarkdownBody:
    """The blocks of a text, each read when it is taken, ordered by their first line.

    Blocks without visible text (rules, comments, empty fences) are left out. Link definitions in successive lines are one
    paragraph.

    Args:
        pieces: The normalised text in pieces of whole lines.
        syntax: The parser.
        builder: Builds the blocks.
        has_definitions: Whether there may be link definitions or footnotes. Several pieces are then read for these
            first, since blocks can refer to those of a later piece.
    """

    def __init__(
        self, pieces: Iterable[str], syntax: MarkdownSyntax, builder: BlockBuilder, *, has_definitions: bool
    ) -> None:
        self._pieces = pieces
        self._syntax = syntax
        self._builder = builder
        self._has_definitions = has_definitions
        self.tags: dict[str, None] = {}
        """The tags of the blocks read so far, in order of first use."""

    def __iter__(self) -> Iterator[Block]:
        """Yield the blocks."""
        definitions: EnvType = {}
        is_read_twice = self._has_definitions and len(list(islice(self._pieces, 2))) > 1
        if is_read_twice:
            for _ in parse_windows(self._pieces, self._syntax, definitions):
                pass
        inlines = InlineReader(self._syntax, definitions)
        self.tags = inlines.tags
        # One reader for all windows: it is part of a reference cycle, so one for each would keep its lines for long.
        reader = _BlockReader(inlines, self._builder)
        for window in parse_windows(self._pieces, self._syntax, {} if is_read_twice else definitions):
            reader.turn_to(window.text.split("\n"), first_line=window.first_line)
            for group in _top_level(window.tokens):
                yield from reader.read(group)
        yield from reader.take_definitions()


def _top_level(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each outermost block, its opening and closing token included."""
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield group
            group = []


class _Definition(NamedTuple):
    """A link definition."""

    span: LineSpan
    content: InlineContent


class _BlockReader:
    """Reads one outermost block at a time."""

    def __init__(self, inlines: InlineReader, builder: BlockBuilder) -> None:
        self._lines: list[str] = []
        self._first_line = 0
        self._builder = builder
        self._definitions: list[_Definition] = []
        self.inlines = inlines
        self._readers: dict[str, Callable[[list[Token], int, int], Sequence[Block]]] = {
            "heading_open": self._heading,
            "paragraph_open": self._paragraph,
            "bullet_list_open": self._list,
            "ordered_list_open": self._list,
            "blockquote_open": self._quote,
            "table_open": self._table,
            "fence": self._code,
            "code_block": self._code,
            "html_block": self._html,
            "footnote_reference_open": self._footnote,
        }

    def turn_to(self, lines: list[str], *, first_line: int) -> None:
        """Set the lines that the next tokens belong to. Token maps count from line `first_line`, 0-based."""
        self._lines = lines
        self._first_line = first_line

    def read(self, tokens: list[Token]) -> Sequence[Block]:
        """Return the blocks that one group of tokens completes. Link definitions wait for those in the next lines."""
        opening = tokens[0]
        read = self._readers.get(opening.type)
        if opening.map is None:
            return ()
        start, end = opening.map
        end = _trim_span(self._lines, start=start, end=end)
        if opening.type == DEFINITION:
            span = self._span(start, end)
            before = self._definitions[-1].span.end if self._definitions else span.start - 1
            waiting = () if before == span.start - 1 else self.take_definitions()
            self._definitions.append(_Definition(span, read_definition(opening)))
            return waiting
        return (*self.take_definitions(), *(read(tokens, start, end) if read else ()))

    def take_definitions(self) -> Sequence[Block]:
        """Return the block of the link definitions that were read last; none if another block was."""
        taken, self._definitions = self._definitions, []
        if not taken:
            return ()
        lines, inlines = list[str](), list[Inline]()
        for span, content in taken:
            lines += [""] * (span.start - taken[0].span.start - len(lines)) + content.text.split("\n")
            inlines += (*content.inlines, TextInline(text="\n"))
        place = self._builder.place("paragraph", LineSpan(start=taken[0].span.start, end=taken[-1].span.end))
        return (ParagraphBlock(**place, text="\n".join(lines), inlines=tuple(inlines[:-1])),)

    def _span(self, start: int, end: int) -> LineSpan:
        return LineSpan(start=self._first_line + start + 1, end=self._first_line + end)

    def _place(self, kind: str, start: int, end: int) -> BlockPlace:
        return self._builder.place(kind, self._span(start, end))

    def _heading(self, tokens: list[Token], start: int, end: int) -> Sequence[Block]:
        content = self.inlines.read(tokens[1].content, is_heading=True)
        text = _ATTRIBUTES.sub("", content.text.replace("\n", " "))
        if len(text) > MAX_HEADING_CHARS:
            return self._paragraph(tokens, start, end)
        level = int(tokens[0].tag[1])
        self._builder.open_section(level, text)
        if not text:
            return ()
        place = self._place("heading", start, end)
        links = _place_links(content.inlines, place["source_span"])
        return (HeadingBlock(**place, level=level, text=text, links=links or None),)

    def _paragraph(self, tokens: list[Token], start: int, end: int) -> Sequence[Block]:
        content = self.inlines.read(tokens[1].content)
        if content.is_only_pictures:
            return [
                ImageRefBlock(
                    **self._place("image_ref", start, end),
                    asset_id=None,
                    src=_address(picture),
                    alt=picture.alt,
                    is_src_defined=picture.is_defined or None,
                )
                for picture in content.pictures
            ]
        if not content.text:
            return ()
        place = self._place("paragraph", start + content.skipped_lines, end)
        return (ParagraphBlock(**place, text=content.text, inlines=content.inlines),)

    def _code(self, tokens: list[Token], start: int, end: int) -> Sequence[Block]:
        # The blank lines at the end of a fence that is never closed are not in its lines either.
        code_lines = end - start - (tokens[0].type == "fence")
        code = "\n".join(tokens[0].content.removesuffix("\n").split("\n")[:code_lines])
        if not code.strip():
            return ()
        lang = _CODE_LANG.match(tokens[0].info)
        place = self._place("code", start, end)
        return (CodeBlock(**place, lang=lang[1].lower() if lang else None, code=code),)

    def _html(self, tokens: list[Token], start: int, end: int) -> Sequence[Block]:
        text = visible_html(tokens[0].content)
        first = len(text) - len(text.lstrip("\n"))
        text = text.strip("\n")
        if not text.strip():
            return ()
        last = min(start + 1 + first + text.count("\n"), end)
        return (ParagraphBlock(**self._place("paragraph", min(start + first, end - 1), last), text=text),)

    def _quote(self, tokens: list[Token], start: int, end: int) -> Sequence[Block]:
        inlines: tuple[Inline, ...] = ()
        if _is_cut_off(tokens):
            text = _QUOTE_MARKS.sub("", "\n".join(self._lines[start:end])).strip()
        else:
            rendered = render_container(tokens[1:-1], start=start, end=end, reader=self.inlines)
            text, inlines = _name_callout(rendered.text).strip("\n"), rendered.inlines
        return (QuoteBlock(**self._place("quote", start, end), text=text, inlines=inlines),) if text else ()

    def _footnote(self, tokens: list[Token], start: int, end: int) -> Sequence[Block]:
        rendered = render_container(tokens[1:-1], start=start, end=end, reader=self.inlines)
        text = footnote_mark(tokens[0]) + rendered.text
        return (ParagraphBlock(**self._place("paragraph", start, end), text=text, inlines=rendered.inlines),)

    def _table(self, tokens: list[Token], start: int, end: int) -> Sequence[Block]:
        rows: list[list[str]] = []
        links: list[PlacedLink] = []
        row_span = self._span(start, end)
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
                row_span = self._span(*token.map) if token.map else row_span
            elif token.type == "inline":
                content = self.inlines.read(token.content)
                rows[-1].append(content.text.replace("\n", " "))
                links += _place_links(content.inlines, row_span)
        headers, *body = (tuple(row) for row in rows)
        if not any(cell for row in rows for cell in row):
            return ()
        place = self._place("table", start, end)
        return (TableBlock(**place, headers=headers, rows=tuple(body), links=tuple(links) or None),)

    def _list(self, tokens: list[Token], start: int, end: int) -> Sequence[Block]:
        is_ordered = tokens[0].type == "ordered_list_open"
        if _is_cut_off(tokens):
            text = "\n".join(line.strip() for line in self._lines[start:end])
            items = [ListItem(text=text, source_span=self._span(start, end))]
        else:
            number = int(tokens[0].attrs.get("start", 1))
            items = []
            for position, item in enumerate(_items(tokens[1:-1])):
                marker = f"{number + position}{item[0].markup or '.'} " if is_ordered else ""
                items.append(self._item(item, marker))
            items = [item for item in items if item.text]
        return (
            (ListBlock(**self._place("list", start, end), ordered=is_ordered, items=tuple(items)),)
            if items
            else ()
        )

    def _item(self, tokens: list[Token], marker: str) -> ListItem:
        start, end = tokens[0].map or (0, 1)
        end = _trim_span(self._lines, start=start, end=end)
        rendered = render_container(tokens[1:-1], start=start, end=end, reader=self.inlines, marker=marker)
        return ListItem(text=rendered.text, inlines=rendered.inlines, source_span=self._span(start, end))


def _place_links(inlines: Iterable[Inline], span: SourceSpan) -> tuple[PlacedLink, ...]:
    return tuple(PlacedLink(text=link.text, href=link.href, source_span=span) for link in find_links(inlines))


def _items(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.type == "list_item_close" and token.level == 1:
            yield group
            group = []


def _address(picture: Picture) -> str:
    """Return the address of a picture; of a `data:` address only the media type."""
    return picture.src.partition(",")[0] if picture.src.startswith("data:") else picture.src


def _is_cut_off(tokens: Sequence[Token]) -> bool:
    """Return True if the block reaches the deepest nesting, so that the parser may have dropped content."""
    return max(token.level for token in tokens) >= MAX_NESTING - 1


def _name_callout(text: str) -> str:
    match = _CALLOUT.match(text)
    if match is None:
        return text
    kind, title = match[1].strip().capitalize(), match[2].strip()
    first = title if title.casefold().startswith(kind.casefold()) else f"{kind}: {title}" if title else kind
    return first + text[match.end() :]


def _trim_span(lines: list[str], *, start: int, end: int) -> int:
    """Return `end` (0-based, exclusive) moved up over blank lines, at least `start + 1`."""
    while end > start + 1 and not lines[min(end, len(lines)) - 1].strip():
        end -= 1
    return end
