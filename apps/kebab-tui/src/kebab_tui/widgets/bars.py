"""Bars of one row: a rule with a label, and the hints at the bottom, which are buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text
from textual.strip import Strip
from textual.widget import Widget

from kebab_tui.texts import QUIET, STRONG, fit, join, squeeze, to_strip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events


class Bar(Widget, can_focus=False):
    """A row of text; drawn again where it changes."""

    DEFAULT_CSS = "Bar { height: 1; width: 1fr; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._strip: Strip | None = None

    def update(self) -> None:
        """Draw what has changed."""
        strip = self._build()
        if strip != self._strip:
            self._strip = strip
            self.refresh()

    def on_resize(self) -> None:
        """Draw it for the new width."""
        self.update()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        """Return the row."""
        return self._strip or to_strip(Text(), self.size.width)

    def _make(self, width: int) -> Text:  # noqa: ARG002 - of those that draw something
        return Text()

    def _build(self) -> Strip:
        width = self.size.width
        return to_strip(self._make(width), width)


class Rule(Bar):
    """A horizontal line with a label; a heavy one stands above what the keys move."""

    label, line = Text(), "─"

    def say(self, label: Text, *, is_heavy: bool = False) -> None:
        """Change the label."""
        self.label, self.line = label, "━" if is_heavy else "─"
        self.update()

    def _make(self, width: int) -> Text:
        line = self.line
        if not self.label.plain:
            return Text(line * width, QUIET)
        label = squeeze(
            self.label, max(width - 4, 0)
        )  # its end counts, too: files that failed, places of a document
        return join(Text(f"{line} ", QUIET), label, Text(" " + line * (width - label.cell_len - 3), QUIET))


class Hint(NamedTuple):
    """A key and what it does."""

    key: str
    label: str
    action: str


class Hints(Bar):
    """Hints, as many as there is room for; the last one is the last to go. A message takes their place until the next key."""

    def __init__(self, hints: Sequence[Hint]) -> None:
        super().__init__()
        self._hints, self._said = hints, Text()
        self._places: list[tuple[range, str]] = []

    def change(self, hints: Sequence[Hint]) -> None:
        """Show other hints."""
        self._hints = hints
        self.update()

    def say(self, text: Text) -> None:
        """Show a message; an empty one shows the hints again."""
        self._said = text
        self.update()

    async def on_click(self, event: events.Click) -> None:
        """Do what the hint says."""
        for columns, action in self._places:
            if event.x in columns:
                await self.screen.run_action(action)

    def _make(self, width: int) -> Text:
        self._places = []
        if self._said.plain:
            return fit(self._said, width)
        room, fitting = width, list[Hint]()
        for hint in [*self._hints[-1:], *self._hints[:-1]]:
            room -= _draw(hint).cell_len + 2
            if room < -2:  # noqa: PLR2004 - there is no gap behind the last one
                break
            fitting.append(hint)
        drawn = Text(end="")
        for hint in [*fitting[1:], *fitting[:1]]:
            start = drawn.cell_len
            drawn.append_text(_draw(hint))
            self._places.append((range(start, drawn.cell_len), hint.action))
            drawn.append("  ")
        return drawn


def _draw(hint: Hint) -> Text:
    return join(Text(hint.key, STRONG), " ", Text(hint.label, QUIET))
