"""`Chooser`: a list over a screen, narrowed by typing: the palette, the keys, related documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast

from rich.text import Text
from textual import on
from textual.containers import Vertical
from textual.events import Callback
from textual.screen import ModalScreen
from textual.widgets import Input

import kebab_tui.phrases as say
from kebab_tui.jobs import Worker
from kebab_tui.keys import Key, bind
from kebab_tui.texts import QUIET, fit, show, squeeze
from kebab_tui.widgets.bars import Rule
from kebab_tui.widgets.lines import Item, Listing
from kebab_tui.widgets.query import Query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_app import App
    from kebab_core import KebabError
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from kebab_tui.app import KebabApp

_NAMES = 8


class Choice(NamedTuple):
    """Line of a chooser."""

    label: str
    detail: str
    """At the right end: a key, or an address."""
    action: str = ""
    """Of the screen below; empty for a document."""
    address: str = ""


class Chooser(ModalScreen[Choice]):
    """List that typing narrows; returns the chosen line, or None.

    Args:
        title: Label of the rule above the list.
        choices: Lines.
        with_names: Find documents by name too.
    """

    BINDINGS: ClassVar[list[BindingType]] = bind([
        Key("down", "↓", "move(1)", say.NEXT),
        Key("up", "↑", "move(-1)", say.PREVIOUS),
        Key("pagedown,ctrl+d", "PgDn", "move(5)", say.NEXT_FEW),
        Key("pageup,ctrl+u", "PgUp", "move(-5)", say.PREVIOUS_FEW),
        Key("enter", "Enter", "take", say.OPEN),
        Key("escape,f1,ctrl+p,ctrl+c,ctrl+q", "Esc", "cancel", say.ONE_STEP_BACK),
    ])

    def __init__(self, title: str, choices: Sequence[Choice], *, with_names: bool = False) -> None:
        super().__init__()
        self._title, self._choices, self._with_names = title, choices, with_names
        self._named: list[Choice] = []
        self._names: Worker | None = None

    def compose(self) -> ComposeResult:
        """Lay the parts out.

        Yields:
            The parts, from top to bottom.
        """
        with Vertical(id="chooser"):
            yield Query()
            yield Rule()
            yield Listing()

    def on_mount(self) -> None:
        """Show all lines."""
        self.query_one(Rule).say(show(self._title))
        self._show()

    def on_screen_resume(self) -> None:
        """Show the cursor in the box."""
        self.query_one(Query).place_cursor()

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._named = []
        self._show()
        if self._with_names and event.value.strip():
            self._find_names(event.value)

    def _show(self) -> None:
        typed = self.query_one(Query).value.casefold().split()
        fitting = [
            each
            for each in self._choices
            if all(word in f"{each.label} {each.detail}".casefold() for word in typed)
        ]
        self.query_one(Listing).show_items([_draw(each) for each in [*fitting, *self._named]])

    def _find_names(self, name: str) -> None:
        kebab = cast("KebabApp", self.app)
        self._names = self._names or Worker("names", kebab, _forget)

        def find(app: App, _: object) -> None:
            from kebab_core import NotIndexedError

            try:
                found = app.find_names(name, limit=_NAMES)
            except NotIndexedError:
                return
            named = [
                Choice(each.entry.title, at, address=at) for each in found for at in [each.entry.to_address()]
            ]
            self.post_message(Callback(lambda: self._add(name, named)))

        self._names.start(find)

    def _add(self, name: str, named: list[Choice]) -> None:
        if self.query_one(Query).value == name:
            self._named = named
            self._show()

    def action_move(self, step: int) -> None:
        """Move in the list."""
        self.query_one(Listing).move(step)

    @on(Listing.Opened)
    def action_take(self) -> None:
        """Return the chosen line."""
        chosen = self.query_one(Listing).chosen
        self.dismiss(cast("Choice", chosen.target) if chosen is not None else None)

    def action_cancel(self) -> None:
        """Return None."""
        self.dismiss(None)


def _draw(choice: Choice) -> Item:
    label, detail = show(choice.label), show(choice.detail, QUIET)

    def draw(width: int) -> list[Text]:
        right = squeeze(detail, width // 2) if choice.address else detail
        return [fit(label, width, right=right if right.cell_len <= width // 2 else Text())]

    return Item(
        draw,
        f"{choice.action}\n{choice.address}\n{choice.label}",
        choice,
        1,
    )


def _forget(_: KebabError) -> None:
    """Ignore an error: the list then has no names."""
