"""The text of a document whose file is not text, written block by block with the lines of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kebab_core import (
    Block,
    CodeBlock,
    DocumentId,
    ExtractedText,
    HeadingBlock,
    Inline,
    LineSpan,
    ListBlock,
    ListItem,
    ParagraphBlock,
    QuoteBlock,
    TableBlock,
)

from kebab_parse.assembly import BlockBuilder
from kebab_parse.decoding import normalize_text

_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ufffe\uffff\ud800-\udfff]"
)
"""Control characters, and marks of places where a line may or may not be broken: inside words they hide these from search."""
_LINE_ENDS = re.compile(r"\r\n|[\r\v\f\x85\u2028\u2029]")
_MAX_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list."""

    text: str
    """Its words; of a numbered list without the number."""
    level: int = 0
    """Depth in the list, from 0."""
    number: str = ""
    """Its number as readers see it, such as `1.` or `가)`; empty for a bullet."""
    inlines: tuple[Inline, ...] = ()


class _ItemLines(NamedTuple):
    """An item as it is written."""

    shown: list[str]
    text: str
    inlines: tuple[Inline, ...] = ()


class TextWriter:
    r"""Writes the blocks of one document in reading order and, with them, the text whose lines their spans count.

    The text is written as Markdown is, so that headings, items and rows can be told apart when it is read: `## Heading`,
    `- item`, `| cell | cell |`. Nothing in it is escaped: quotes of it are what the file says. Blocks that say
    nothing are left out. All text becomes NFC with `\n` alone at line ends, without characters that nobody sees.

    Args:
        doc_id: The document.
        around: Headings that stand above all of it, in another document.
    """

    def __init__(self, doc_id: DocumentId, *, around: Sequence[str] = ()) -> None:
        self.blocks: list[Block] = []
        """The blocks so far."""
        self._places = BlockBuilder(doc_id)
        for level, label in enumerate(around, 1 - len(around)):
            self._places.open_section(level, label)
        self._lines: list[str] = []

    def finish(self) -> ExtractedText:
        """Return the text of all blocks. Nothing may be written afterwards."""
        return ExtractedText(text="".join(f"{line}\n" for line in self._lines))

    def heading(self, level: int, text: str) -> None:
        """Write a heading, which opens a section. Levels below 6 count as 6."""
        shown = " ".join(_clean(text).split())
        if not shown:
            return
        level = min(max(level, 1), _MAX_LEVEL)
        span = self._write([f"{'#' * level} {shown}"])
        self._places.open_section(level, shown)
        self.blocks.append(HeadingBlock(**self._places.place("heading", span), level=level, text=shown))

    def end_sections(self, level: int = 1) -> None:
        """End the sections of this level and deeper without opening another."""
        self._places.open_section(level, "")

    def paragraph(self, text: str, inlines: Sequence[Inline] = ()) -> None:
        """Write a paragraph, which may have several lines."""
        lines = split_lines(text)
        if lines:
            span = self._write(lines)
            self.blocks.append(
                ParagraphBlock(
                    **self._places.place("paragraph", span), text="\n".join(lines), inlines=tuple(inlines)
                )
            )

    def quote(self, text: str, inlines: Sequence[Inline] = ()) -> None:
        """Write a quotation, such as the mail that another answers."""
        lines = split_lines(text)
        if lines:
            span = self._write([f"> {line}".rstrip() for line in lines])
            self.blocks.append(
                QuoteBlock(**self._places.place("quote", span), text="\n".join(lines), inlines=tuple(inlines))
            )

    def code(self, code: str, lang: str | None = None) -> None:
        """Write code with its own line ends and blanks."""
        lines = _clean(code).rstrip("\n").split("\n")
        if any(line.strip() for line in lines):
            span = self._write([f"```{lang or ''}", *lines, "```"])
            self.blocks.append(
                CodeBlock(**self._places.place("code", span), lang=lang, code="\n".join(lines))
            )

    def items(self, items: Sequence[Item]) -> None:
        """Write one list. It is numbered if its first item has a number."""
        kept = [(item, lines) for item in items if (lines := split_lines(item.text))]
        if not kept:
            return
        ordered = bool(kept[0][0].number)
        parts: list[_ItemLines] = []
        for item, lines in kept:
            mark = item.number or "-"
            indent = "  " * item.level
            first, *rest = lines
            shown = [f"{indent}{mark} {first}", *(f"{indent}{' ' * len(mark)} {line}" for line in rest)]
            # A bullet is added to an item of level 0 where it is shown as a passage; a number belongs to its text.
            text = "\n".join(shown if ordered or item.level else lines)
            parts.append(_ItemLines(shown, text, item.inlines))
        self._list(parts, ordered=ordered)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write a table, one line a row; rows without a word are left out, short rows are filled up.

        Args:
            headers: The header row; of empty cells where the table has none.
            rows: All other rows.
        """
        shown = [[_cell(cell) for cell in row] for row in rows]
        shown = [row for row in shown if any(row)]
        head = [_cell(cell) for cell in headers]
        width = max((len(row) for row in [head, *shown]), default=0)
        if not any(head) and not shown:
            return
        filled = [row + [""] * (width - len(row)) for row in [head, *shown]]
        rule = "|" + " --- |" * width
        span = self._write([_row(filled[0]), rule, *map(_row, filled[1:])])
        self.blocks.append(
            TableBlock(
                **self._places.place("table", span),
                headers=tuple(filled[0]),
                rows=tuple(tuple(row) for row in filled[1:]),
            )
        )

    def _list(self, parts: Sequence[_ItemLines], *, ordered: bool) -> None:
        span = self._write([line for part in parts for line in part.shown])
        items: list[ListItem] = []
        first = span.start
        for part in parts:
            own = LineSpan(start=first, end=first + len(part.shown) - 1)
            items.append(ListItem(text=part.text, inlines=part.inlines, source_span=own))
            first = own.end + 1
        self.blocks.append(ListBlock(**self._places.place("list", span), ordered=ordered, items=tuple(items)))

    def _write(self, lines: Sequence[str]) -> LineSpan:
        if self._lines:
            self._lines.append("")
        start = len(self._lines) + 1
        self._lines += lines
        return LineSpan(start=start, end=len(self._lines))


def split_lines(text: str) -> list[str]:
    """Return the lines of a text in NFC, without characters that nobody sees, blanks at their ends and blank lines."""
    return [line.rstrip() for line in _clean(text).split("\n") if line.strip()]


def _clean(text: str) -> str:
    return normalize_text(_UNSEEN.sub("", _LINE_ENDS.sub("\n", text)))


def _cell(text: str) -> str:
    return " ".join(_clean(text).split())


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_POWER = re.compile(r"[-+\u2212\u2013]?(?:\d|[a-z]$)")


def roman_numeral(number: int) -> str:
    """Return a number from 1 as a Roman numeral in capitals; thousands are repeated `M`s, and 0 is empty."""
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def mark_power(before: str, raised: str) -> str:
    """Return words above the line as they are written behind others: `^6` behind `10`, where `106` would be another number.

    Args:
        before: What stands before them.
        raised: The words: only numbers and single small letters behind a digit get a mark, so that `m2` and `1st` stay.
    """
    return f"^{raised}" if before[-1:].isdecimal() and _POWER.match(raised) else raised
