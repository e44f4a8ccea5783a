"""Items of lists, with the places in documents that they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from kebab_tui.texts import BAD, QUIET, STRONG, fit, join, show, squeeze, wrap
from kebab_tui.widgets.lines import Item

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kebab_core import DocSummary, DocumentEntry


class Place(NamedTuple):
    """Places in documents that an item of a list leads to."""

    addresses: tuple[str, ...]
    """Addresses, the best first; keys go through them."""
    texts: tuple[tuple[str, ...], ...] = ()
    """Quotes to mark at each address; empty marks the words of the query."""


def list_documents(entries: Iterable[DocumentEntry | DocSummary]) -> Iterator[Item]:
    """Yield an item for each document, in the order given: its title, then its address and day."""
    for entry in entries:
        address = entry.to_address()
        day = entry.updated_at.astimezone().strftime("%Y-%m-%d")
        yield two_lines(
            address, show(entry.title, STRONG), show(f"{address}  {day}", QUIET), Place((address,))
        )


def heading(text: str) -> Item:
    """Build a heading, which cannot be chosen."""
    return Item(lambda width: [fit(join(show(f"{text} ", QUIET), Text("─" * width, QUIET)), width)], lines=1)


def remark(text: str, *, bad: bool = False) -> Item:
    """Build a remark, which cannot be chosen."""
    return Item(lambda width: wrap(show(text, BAD if bad else STRONG), width))


def one_line(key: str, text: Text, target: object, *, right: Text | None = None) -> Item:
    """Build an item of one line."""
    return Item(lambda width: [fit(text, width, right=right)], key, target, 1)


def two_lines(key: str, first: Text, second: Text, target: object, *, right: Text | None = None) -> Item:
    """Build an item of two lines; of a long second one the middle is left out."""
    return Item(lambda width: [fit(first, width, right=right), squeeze(second, width)], key, target, 2)
