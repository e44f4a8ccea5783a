"""Reading of Markdown blocks: from the tokens of `syntax` to parsed blocks (`parsed`) with their lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kebab_parse_md.containers import render_container
from kebab_parse_md.inlines import InlineReader
from kebab_parse_md.parsed import (
    Lines,
    ParsedBlock,
    ParsedBody,
    ParsedCode,
    ParsedHeading,
    ParsedItem,
    ParsedList,
    ParsedParagraph,
    ParsedPicture,
    ParsedQuote,
    ParsedTable,
)
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


def read_blocks(text: str, syntax: MarkdownSyntax) -> ParsedBody:
    """Return the blocks of a normalised text, ordered by their first line.

    Blocks without visible text (rules, comments, link definitions, empty fences) are left out.
    """
    tokens, env = syntax.parse_blocks(text)
    inlines = InlineReader(syntax, env)
    reader = _BlockReader(inlines)
    reader.turn_to(text.split("\n"))
    blocks = tuple(block for group in _top_level(tokens) for block in reader.read(group))
    return ParsedBody(blocks, tuple(inlines.tags))


class LongBody:
    """The blocks of a long text, each read when it is taken.

    Args:
        pieces: The normalised text in pieces of whole lines. It is read twice if it may hold definitions.
        syntax: The parser.
        has_definitions: Whether there may be link definitions or footnotes, which earlier blocks can refer to.
    """

    def __init__(self, pieces: Iterable[str], syntax: MarkdownSyntax, *, has_definitions: bool) -> None:
        self._pieces = pieces
        self._syntax = syntax
        self._has_definitions = has_definitions
        self._tags: dict[str, None] = {}

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the blocks read so far."""
        return tuple(self._tags)

    def __iter__(self) -> Iterator[ParsedBlock]:
        """Yield the blocks that `read_blocks` returns."""
        inlines = InlineReader(self._syntax, self._read_definitions())
        self._tags = inlines.tags
        # One reader for all windows: it is part of a reference cycle, so one for each would keep its lines for long.
        reader = _BlockReader(inlines)
        for window in parse_windows(self._pieces, self._syntax, {}):
            reader.turn_to(window.text.split("\n"), first_line=window.first_line)
            for group in _top_level(window.tokens):
                yield from reader.read(group)

    def _read_definitions(self) -> EnvType:
        env: EnvType = {}
        if self._has_definitions:
            for _ in parse_windows(self._pieces, self._syntax, env):
                pass
        return env


def _top_level(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each outermost block, its opening and closing token included."""
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.level == 0 and token.nesting <= 0:
            yield group
            group = []


class _BlockReader:
    """Reads one outermost block at a time."""

    def __init__(self, inlines: InlineReader) -> None:
        self._lines: list[str] = []
        self._first_line = 0
        self.inlines = inlines
        self._readers: dict[str, Callable[[list[Token], int, int], Sequence[ParsedBlock]]] = {
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

    def turn_to(self, lines: list[str], *, first_line: int = 0) -> None:
        """Set the lines that the next tokens belong to. Token maps count from line `first_line`, 0-based."""
        self._lines = lines
        self._first_line = first_line

    def read(self, tokens: list[Token]) -> Sequence[ParsedBlock]:
        """Return the blocks of one group of tokens; several only for pictures side by side."""
        read = self._readers.get(tokens[0].type)
        if read is None or tokens[0].map is None:
            return ()
        start, end = tokens[0].map
        return read(tokens, start, _trim_span(self._lines, start=start, end=end))

    def _lines_of(self, start: int, end: int) -> Lines:
        return Lines(self._first_line + start + 1, self._first_line + end)

    def _heading(self, tokens: list[Token], start: int, end: int) -> Sequence[ParsedBlock]:
        text = self.inlines.read(tokens[1].content, with_tags=False).text.replace("\n", " ")
        text = _ATTRIBUTES.sub("", text)
        if len(text) > MAX_HEADING_CHARS:
            return self._paragraph(tokens, start, end)
        return (ParsedHeading(self._lines_of(start, end), int(tokens[0].tag[1]), text),)

    def _paragraph(self, tokens: list[Token], start: int, end: int) -> Sequence[ParsedBlock]:
        content = self.inlines.read(tokens[1].content)
        if content.is_only_pictures:
            return [ParsedPicture(self._lines_of(start, end), picture) for picture in content.pictures]
        lines = self._lines_of(start + content.skipped_lines, end)
        return (ParsedParagraph(lines, content.text, content.inlines),) if content.text else ()

    def _code(self, tokens: list[Token], start: int, end: int) -> Sequence[ParsedBlock]:
        # The blank lines at the end of a fence that is never closed are not in its lines either.
        code_lines = end - start - (tokens[0].type == "fence")
        code = "\n".join(tokens[0].content.removesuffix("\n").split("\n")[:code_lines])
        lang = _CODE_LANG.match(tokens[0].info)
        return (
            (ParsedCode(self._lines_of(start, end), lang[1].lower() if lang else None, code),)
            if code.strip()
            else ()
        )

    def _html(self, tokens: list[Token], start: int, end: int) -> Sequence[ParsedBlock]:
        text = visible_html(tokens[0].content)
        first = len(text) - len(text.lstrip("\n"))
        text = text.strip("\n")
        last = min(start + 1 + first + text.count("\n"), end)
        lines = self._lines_of(min(start + first, end - 1), last)
        return (ParsedParagraph(lines, text),) if text.strip() else ()

    def _quote(self, tokens: list[Token], start: int, end: int) -> Sequence[ParsedBlock]:
        if _is_cut_off(tokens):
            text = _QUOTE_MARKS.sub("", "\n".join(self._lines[start:end]))
            return (ParsedQuote(self._lines_of(start, end), text.strip()),) if text.strip() else ()
        rendered = render_container(tokens[1:-1], start=start, end=end, reader=self.inlines)
        text = _name_callout(rendered.text).strip("\n")
        return (ParsedQuote(self._lines_of(start, end), text, rendered.inlines),) if text else ()

    def _footnote(self, tokens: list[Token], start: int, end: int) -> Sequence[ParsedBlock]:
        rendered = render_container(tokens[1:-1], start=start, end=end, reader=self.inlines)
        text = f"[^{tokens[0].meta['label']}]: {rendered.text}"
        return (ParsedParagraph(self._lines_of(start, end), text, rendered.inlines),)

    def _table(self, tokens: list[Token], start: int, end: int) -> Sequence[ParsedBlock]:
        rows: list[list[str]] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(self.inlines.read(token.content).text.replace("\n", " "))
        headers, *body = (tuple(row) for row in rows)
        is_empty = not any(cell for row in rows for cell in row)
        return () if is_empty else (ParsedTable(self._lines_of(start, end), headers, tuple(body)),)

    def _list(self, tokens: list[Token], start: int, end: int) -> Sequence[ParsedBlock]:
        lines = self._lines_of(start, end)
        is_ordered = tokens[0].type == "ordered_list_open"
        if _is_cut_off(tokens):
            text = "\n".join(line.strip() for line in self._lines[start:end])
            return (ParsedList(lines, is_ordered, (ParsedItem(lines, text),)),)
        number = int(tokens[0].attrs.get("start", 1))
        items = []
        for position, item in enumerate(_items(tokens[1:-1])):
            marker = f"{number + position}{item[0].markup or '.'} " if is_ordered else ""
            items.append(self._item(item, marker))
        shown = tuple(item for item in items if item.text)
        return (ParsedList(lines, is_ordered, shown),) if shown else ()

    def _item(self, tokens: list[Token], marker: str) -> ParsedItem:
        start, end = tokens[0].map or (0, 1)
        end = _trim_span(self._lines, start=start, end=end)
        rendered = render_container(tokens[1:-1], start=start, end=end, reader=self.inlines, marker=marker)
        return ParsedItem(self._lines_of(start, end), rendered.text, rendered.inlines)


def _items(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    group: list[Token] = []
    for token in tokens:
        group.append(token)
        if token.type == "list_item_close" and token.level == 1:
            yield group
            group = []


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
