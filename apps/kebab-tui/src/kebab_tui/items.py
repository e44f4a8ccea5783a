"""Items of lists: what they lead to, and how simple ones are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from kebab_tui.texts import BAD, QUIET, STRONG, fit, join, show, wrap
from kebab_tui.widgets.lines import Item

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kebab_core import DocSummary, DocumentEntry


class Place(NamedTuple):
    """What an item of a list leads to."""

    addresses: tuple[str, ...]
    """Places that keys lead through, the best first."""
    texts: tuple[tuple[str, ...], ...] = ()
    """Quotes to mark at each; without any, the words of the box are marked."""


def list_documents(entries: Iterable[DocumentEntry | DocSummary]) -> Iterator[Item]:
    """List documents by title, with address and day.

    Yields:
        Documents in the order given.
    """
    for entry in entries:
        address = entry.to_address()
        day = entry.updated_at.astimezone().strftime("%Y-%m-%d")
        yield two_lines(
            address, show(entry.title, STRONG), show(f"{address}  {day}", QUIET), Place((address,))
        )


def heading(text: str) -> Item:
    """Head the items that follow."""
    return Item(lambda width: [fit(join(show(f"{text} ", QUIET), Text("─" * width, QUIET)), width)])


def remark(text: str, *, bad: bool = False) -> Item:
    """Say something between items."""
    return Item(lambda width: wrap(show(text, BAD if bad else STRONG), width))


def one_line(key: str, text: Text, target: object, *, right: Text | None = None) -> Item:
    """Show something in one line."""
    return Item(lambda width: [fit(text, width, right=right)], key, target)


def two_lines(key: str, first: Text, second: Text, target: object, *, right: Text | None = None) -> Item:
    """Show something in two lines."""
    return Item(lambda width: [fit(first, width, right=right), fit(second, width)], key, target)
