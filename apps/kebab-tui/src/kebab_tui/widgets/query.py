"""The box: one line of text whose cursor is that of the terminal."""

from __future__ import annotations

from textual.geometry import Offset
from textual.widgets import Input

_STEP = 100


class Query(Input):
    """A box that shows the terminal's cursor at the exact place, where an input method composes.

    `Input` of Textual 8.2 puts it one column too far at the end of the text (textual#1469), and draws a block instead.
    """

    DEFAULT_CSS = """
    Query, Query:focus {
        border: none; height: 1; padding: 0; background: ansi_default; background-tint: ansi_default 0%;
        &>.input--cursor { background: ansi_default; color: ansi_default; text-style: none; }
    }
    """

    def __init__(self, value: str = "", *, placeholder: str = "") -> None:
        super().__init__(value, placeholder=placeholder, select_on_focus=False)
        self.cursor_blink = False

    @property
    def cursor_screen_offset(self) -> Offset:
        """Column and row of the screen at which the next letter will stand."""
        x, y, *_ = self.content_region
        return Offset(x + self._position_to_cell(self.cursor_position) - self.scroll_offset.x, y)

    @property
    def content_width(self) -> int:
        """Columns of the text, rounded up, since the whole screen is laid out again where it changes."""
        return -(-super().content_width // _STEP) * _STEP

    def place_cursor(self) -> None:
        """Put the terminal's cursor into the box."""
        if self.has_focus:
            self.app.cursor_position = self.cursor_screen_offset

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """Follow the text of a box that is too narrow for it."""
        super().watch_scroll_x(old_value, new_value)
        self.place_cursor()

    def on_resize(self) -> None:
        """Show the text from its beginning where it fits, and follow the box to its place."""
        if self._position_to_cell(len(self.value)) < self.size.width:
            self.scroll_to(0, animate=False, force=True)
        self.place_cursor()
