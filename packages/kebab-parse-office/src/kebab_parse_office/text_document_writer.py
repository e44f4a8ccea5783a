"""Blocks of a text document, with paragraphs of lists collected to lists, on their way to a `TextWriter`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from kebab_core import Message
from kebab_parse import Item, TextWriter

from kebab_parse_office.rich_text import RichText

DELETIONS_LEFT_OUT = Message("text that tracked changes delete was left out")


class ListEntry(NamedTuple):
    """A paragraph of a list."""

    level: int
    """Depth from 0."""
    label: str
    """Number or letter with its signs, such as `2.` or `제3조`; empty for a bullet."""
    content: RichText


class TextDocumentWriter:
    """Writes the blocks of a text document in reading order; entries of a list wait until it ends.

    Args:
        writer: Gets the blocks.
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

    def end_body(self) -> None:
        """End all sections: what follows belongs to the whole document."""
        self.end_list()
        self._writer.end_sections()

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
