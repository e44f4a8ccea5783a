"""Windows on lines: `Lines` scrolls, and `Listing` also has items to choose from. Only lines that change are sent to the terminal."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from kebab_tui.texts import CHOSEN, to_strip

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events

_KEPT = 500
"""Items whose lines are kept; a list may have ten thousand, of which a screen shows a dozen."""
_WHEEL = 3


class Page(NamedTuple):
    """Lines for a width."""

    length: int = 0
    draw: Callable[[int], Text] = lambda _: Text()
    """Makes a line by its number, from 0."""
    top: int = 0
    """Number of the line to show first."""
    focus: int = 0
    """Number of a line to have in sight: the last one shown first where it is too far below `top`."""


class Lines(Widget, can_focus=False):
    """A window on lines."""

    DEFAULT_CSS = "Lines { height: 1fr; width: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.top = 0
        """The first line in the window."""
        self._build: Callable[[int], Page] = lambda _: Page()
        self._page = Page()
        self._drawn: list[Strip] = []

    def show(self, build: Callable[[int], Page]) -> None:
        """Show other lines.

        Args:
            build: Makes the lines for a number of columns, now and when that changes.
        """
        self._build = build
        if self.size.width:
            self._rebuild()

    def scroll_lines(self, count: int) -> None:
        """Move the window, as far as there are lines."""
        self._draw(self.top + count)

    @property
    def place(self) -> str:
        """Last line in the window, of all; empty where all are in it."""
        count = self._page.length
        return f"{min(self.top + self.size.height, count)}/{count}" if count > self.size.height else ""

    def on_resize(self) -> None:
        """Make the lines anew."""
        self._drawn = []
        self._rebuild()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Move the window down."""
        event.stop()
        self.scroll_lines(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Move the window up."""
        event.stop()
        self.scroll_lines(-_WHEEL)

    def render_line(self, y: int) -> Strip:
        """Return a line of the window."""
        return self._drawn[y] if y < len(self._drawn) else to_strip(Text(), self.size.width)

    def _rebuild(self) -> None:
        page = self._page = self._build(self.size.width)
        height = self.size.height
        self._draw(page.top if page.focus < page.top + height else page.focus - height + 1)

    def _line(self, number: int) -> Text:
        return self._page.draw(number)

    def _draw(self, top: int) -> None:
        width, height = self.size
        self.top = max(0, min(top, self._page.length - height))
        shown = range(self.top, min(self.top + height, self._page.length))
        drawn = [to_strip(self._line(number), width) for number in shown]
        drawn += [to_strip(Text(), width)] * (height - len(drawn))
        before, self._drawn = self._drawn, drawn
        for y, strip in enumerate(drawn):
            if y >= len(before) or strip != before[y]:
                self.refresh(Region(0, y, width, 1))


class Item(NamedTuple):
    """Item of a list."""

    draw: Callable[[int], list[Text]]
    """Makes its lines for a number of columns."""
    key: str = ""
    """Identity across changes of the list; empty for an item that cannot be chosen."""
    target: object = None
    """Object of the item: a place, a filter, an answer."""
    lines: int = 0
    """Number of lines that it makes at any width; 0 where that depends on the width."""


class Listing(Lines):
    """A window on items, one of which is chosen."""

    class Chosen(Message):
        """An item was chosen; None where there is none."""

        def __init__(self, item: Item | None) -> None:
            super().__init__()
            self.item = item

    class Opened(Message):
        """The chosen item was clicked twice."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._items: Sequence[Item] = ()
        self._at = -1
        self._starts = [0]
        """First line of each item, ascending, and the number of all."""
        self._texts: dict[int, list[Text]] = {}
        """Lines of items by their place, made when they are first shown."""
        self._drawn_width = -1
        """Columns that the lines are made for; -1 makes them anew."""

    @property
    def chosen(self) -> Item | None:
        """The chosen item."""
        return self._items[self._at] if 0 <= self._at < len(self._items) else None

    @property
    def is_at_end(self) -> bool:
        """True where the last item is chosen."""
        return self._at == len(self._items) - 1

    def show_items(self, items: Sequence[Item], *, keeps: bool = True) -> None:
        """Show other items; the chosen one stays chosen if it is among them, else the first is.

        Args:
            items: The items.
            keeps: False chooses the first one in any case.
        """
        key = self.chosen.key if keeps and self.chosen else ""
        places = [at for at, each in enumerate(items) if each.key]
        self._items, self._drawn_width = items, -1
        self._at = next((at for at in places if items[at].key == key), places[0] if places else -1)
        self.show(self._build_items)
        self.post_message(self.Chosen(self.chosen))

    def move(self, step: int) -> None:
        """Choose another item, so many further on as there are."""
        places = [at for at, each in enumerate(self._items) if each.key]
        if places:
            now = places.index(self._at) if self._at in places else 0
            self._choose(places[max(0, min(now + step, len(places) - 1))])

    def on_click(self, event: events.Click) -> None:
        """Choose what is clicked."""
        line = self.top + event.y
        if line < self._starts[-1] and self._items[at := self._owner(line)].key:
            self._choose(at)
            if event.chain > 1:
                self.post_message(self.Opened())

    def _choose(self, at: int) -> None:
        if at != self._at:
            self._at = at
            self._rebuild()
            self.post_message(self.Chosen(self.chosen))

    def _build_items(self, width: int) -> Page:
        if width != self._drawn_width:
            self._drawn_width, self._texts = width, {}
            counts = (item.lines or len(self._make(at)) for at, item in enumerate(self._items))
            self._starts = [*accumulate(counts, initial=0)]
        at = max(self._at, 0)
        first, last = self._starts[at], max(self._starts[min(at + 1, len(self._items))] - 1, 0)
        if not any(item.key for item in islice(self._items, at)):
            first = 0  # what stands above the first item
        top = min(max(self.top, last - self.size.height + 1), first)
        return Page(self._starts[-1], self._text, top)

    def _owner(self, line: int) -> int:
        return bisect_right(self._starts, line) - 1

    def _make(self, at: int) -> list[Text]:
        if at not in self._texts:
            if len(self._texts) >= _KEPT:
                self._texts.clear()
            self._texts[at] = self._items[at].draw(max(self._drawn_width - 2, 1))
        return self._texts[at]

    def _text(self, number: int) -> Text:
        owner = self._owner(number)
        return self._make(owner)[number - self._starts[owner]]

    def _line(self, number: int) -> Text:
        is_chosen = self._owner(number) == self._at
        is_first = is_chosen and number == self._starts[self._at]
        line = Text("▌ " if is_chosen else "  ", end="")
        text = super()._line(number).copy()
        if is_first:
            text.stylize(CHOSEN)
        line.append_text(text)
        return line
