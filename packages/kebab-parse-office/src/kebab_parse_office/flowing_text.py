"""Paragraphs with links and lists of a document without pages, on their way to a `TextWriter`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from kebab_core import Inline, LinkInline, TextInline, show_link
from kebab_parse import Item, TextWriter, normalize_text

_BREAKS = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_INTEGER = re.compile(r"[0-9]{1,18}")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


def clean_text(text: str) -> str:
    """Return a text in NFC without control characters, blank lines, and blanks at its ends and at those of its lines."""
    lines = _CONTROL.sub("", _BREAKS.sub("\n", text)).split("\n")
    return normalize_text("\n".join(line.rstrip() for line in lines if line.strip()).strip())


def join_line(text: str) -> str:
    """Return a text on one line, clean as `clean_text` makes it."""
    if text.isascii() and text.isprintable():  # most cells of most sheets
        return " ".join(text.split()) if " " in text else text
    return " ".join((normalize_text(text) if text.isprintable() else clean_text(text)).split())


@dataclass(slots=True)
class RichText:
    """Words of a paragraph with its links, as they are read one after the other."""

    _pieces: list[tuple[str, str]] = field(default_factory=list)
    """Text and address of a link; an empty address for all else."""

    def add(self, text: str, href: str = "") -> None:
        """Append words; those of a link with its address."""
        if self._pieces and self._pieces[-1][1] == href:
            self._pieces[-1] = (self._pieces[-1][0] + text, href)
        else:
            self._pieces.append((text, href))

    def put_first(self, text: str) -> None:
        """Put words before all others."""
        self._pieces.insert(0, (text, ""))

    def extend(self, other: RichText) -> None:
        """Append another text."""
        for text, href in other._pieces:
            self.add(text, href)

    @property
    def text(self) -> str:
        """The words, clean, each link followed by its address where it does not say it."""
        return clean_text("".join(show_link(text, href) if href else text for text, href in self._pieces))

    @property
    def inlines(self) -> tuple[Inline, ...]:
        """Text and links in order; empty where there is no link."""
        if not any(href for _, href in self._pieces):
            return ()
        pieces = ((normalize_text(text), href) for text, href in self._pieces if text)
        return tuple(
            LinkInline(text=text, href=href) if href else TextInline(text=text) for text, href in pieces
        )


def read_integer(text: str | None, *, default: int = 0, most: int = 1_000_000) -> int:
    """Return a whole number of a file, at most `most`; the default for none and for all that is no such number."""
    return min(int(text), most) if text and _INTEGER.fullmatch(text) else default


def plain_words(text: str) -> RichText:
    """Return words without links."""
    words = RichText()
    words.add(text)
    return words


class ListEntry(NamedTuple):
    """A paragraph of a list."""

    level: int
    """Depth from 0."""
    label: str
    """Number or letter with its signs, such as `2.` or `제3조`; empty for a bullet."""
    content: RichText


class FlowingText:
    """Blocks of a document without pages, in reading order.

    Args:
        writer: Gets them.
    """

    def __init__(self, writer: TextWriter) -> None:
        self._writer = writer
        self._entries: list[ListEntry] = []

    def heading(self, level: int, text: str) -> None:
        """Append a heading."""
        self.end_list()
        self._writer.heading(level, text)

    def paragraph(self, content: RichText) -> None:
        """Append a paragraph; nothing where it is blank."""
        self.end_list()
        self._writer.paragraph(content.text, content.inlines)

    def quote(self, content: RichText) -> None:
        """Append a quotation or a remark; nothing where it is blank."""
        self.end_list()
        self._writer.quote(content.text, content.inlines)

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Append a table."""
        self.end_list()
        self._writer.table(headers, rows)

    def list_entry(self, entry: ListEntry) -> None:
        """Append a paragraph of a list. Entries without anything between them are one list."""
        if entry.content.text:
            self._entries.append(entry)

    def end_list(self) -> None:
        """Write the entries that wait. Those of the lowest level are items, with the others as further lines."""
        entries, self._entries = self._entries, []
        top = min((entry.level for entry in entries), default=0)
        items = [_build_item(group) for group in _group_entries(entries, top)]
        for _, run in groupby(items, key=lambda item: bool(item.number)):
            self._writer.items(list(run))


def _group_entries(entries: Iterable[ListEntry], top: int) -> Iterator[list[ListEntry]]:
    group: list[ListEntry] = []
    for entry in entries:
        if group and entry.level == top:
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _build_item(group: Sequence[ListEntry]) -> Item:
    first, *below = group
    lines = [first.content.text]
    for entry in below:
        indent = "  " * max(entry.level - first.level - 1, 0)
        lines.append(f"{indent}{entry.label or '-'} {entry.content.text}")
    inlines = tuple(each for entry in group for each in entry.content.inlines)
    return Item(text="\n".join(lines), number=first.label, inlines=inlines)
