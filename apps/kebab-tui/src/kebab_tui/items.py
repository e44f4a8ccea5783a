"""Items of lists: what they lead to, and how simple ones are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from kebab_tui.texts import BAD, QUIET, STRONG, fit, join, show, wrap
from kebab_tui.widgets.lines import Item

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kebab_core import DocumentEntry, SearchHit


class Place(NamedTuple):
    """What an item of a list leads to."""

    addresses: tuple[str, ...]
    """Places of one document, the best first."""
    hit: SearchHit | None = None

    @property
    def address(self) -> str:
        """The best place."""
        return self.addresses[0]


def list_documents(entries: Iterable[DocumentEntry]) -> Iterator[Item]:
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


def two_lines(key: str, first: Text, second: Text, target: object, *, right: Text | None = None) -> Item:
    """Show something in two lines."""
    return Item(lambda width: [fit(first, width, right=right), fit(second, width)], key, target)
