"""`Face`: the base of all screens: a box, a list, the text of the chosen item, and keys."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, cast

from kebab_words import Phrases
from rich.text import Text
from textual import on
from textual.containers import Container, Vertical
from textual.events import Callback
from textual.screen import Screen
from textual.widgets import Input

import kebab_tui.phrases as say
from kebab_tui.document import lay_out, list_lines
from kebab_tui.items import Place, remark
from kebab_tui.jobs import Worker
from kebab_tui.keys import COMMON, EDIT, OPEN, PICK, Key, bind
from kebab_tui.screens.chooser import Choice, Chooser
from kebab_tui.texts import PLAIN, QUIET, STRONG, join, show
from kebab_tui.widgets.bars import Hint, Hints, Rule
from kebab_tui.widgets.lines import Item, Lines, Listing, Page
from kebab_tui.widgets.query import Query

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kebab_app import App
    from kebab_core import KebabError, Message
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.events import Key as KeyEvent

    from kebab_tui.app import KebabApp
    from kebab_tui.document import Line
    from kebab_tui.jobs import Job, Turn

_NOWHERE = Place(())
_BESIDE = {"more", "related"}
"""Kinds of jobs whose failure leaves the list as it is."""
_RELATED = 12
_SETTLE_S = 0.15
"""Pause before the text of a chosen item is read, so that typing draws lists alone."""


class Wish(NamedTuple):
    """Screen that follows one that is left."""

    face: str
    text: str = ""
    filters: Mapping[str, str] = MappingProxyType({})
    """Of the search."""


class Face(Screen[Wish]):
    """A screen with a box, a list and a text."""

    ENTER: ClassVar[Key] = OPEN
    """Key of Enter; in a picker `PICK` takes the place of `OPEN`."""
    KEYS: ClassVar[tuple[Key, ...]] = COMMON
    BINDINGS: ClassVar[list[BindingType]] = bind([OPEN, EDIT, *COMMON])
    PLACEHOLDER: ClassVar[Message] = Phrases.SEARCH

    def __init__(self, query: str = "") -> None:
        super().__init__()
        self._first_query = query
        self._workers: dict[str, Worker] = {}
        self._place = _NOWHERE
        self._at = 0
        self._entered: str | None = None
        self._shown_key = ""

    @property
    def kebab(self) -> KebabApp:
        """The program."""
        return cast("KebabApp", self.app)

    def w(self, message: str) -> str:
        """Put a message into the language of the reader."""
        return self.kebab.words.localize(message)

    def compose(self) -> ComposeResult:
        """Lay the parts out.

        Yields:
            The parts, from top to bottom.
        """
        breakpoints = (self.app.HORIZONTAL_BREAKPOINTS, self.app.VERTICAL_BREAKPOINTS)
        for size, classes in zip(
            self.app.size, breakpoints, strict=True
        ):  # Textual sets them after the first frame
            self.add_class(max(each for each in classes or () if each[0] <= size)[1])
        with Vertical(id="frame"):
            yield Query(self._first_query, placeholder=self.w(self.PLACEHOLDER))
            yield Rule(id="status")
            with Container(id="panes"):
                yield Listing(id="list")
                with Vertical(id="side"):
                    yield Rule(id="place")
                    yield Lines(id="text")
            yield Hints(self.list_hints())

    def list_keys(self) -> Sequence[Key]:
        """List the keys of the screen with what they do here."""
        if self.ENTER is OPEN and self.kebab.options.picks:
            return (PICK, EDIT, *self.KEYS)
        return (self.ENTER, *self.KEYS)

    def list_hints(self) -> list[Hint]:
        """List the hints at the bottom."""
        shown = {each.short: each for each in reversed(self.list_keys()) if each.short is not None}
        other = {say.OTHER_PANE_SHORT: say.LIST_SHORT} if self.is_reading else {}
        return [
            Hint(each.shown, self.w(other.get(short, short)), each.action)
            for short, each in reversed(shown.items())
        ]

    @property
    def box(self) -> Query:
        """The box."""
        return self.query_one(Query)

    @property
    def listing(self) -> Listing:
        """The list."""
        return self.query_one(Listing)

    @property
    def is_reading(self) -> bool:
        """True while keys move the text."""
        return self.has_class("-reading")

    @property
    def address(self) -> str:
        """Address of the place that is shown; empty where there is none."""
        return self._place.addresses[self._at] if self._place.addresses else ""

    def on_screen_resume(self) -> None:
        """Take the text that the screen was entered with, and show the cursor in the box."""
        self.box.place_cursor()
        if self._entered is not None:
            entered, self._entered = self._entered, None
            self.begin(entered)

    def enter(self, text: str) -> None:
        """Set the text, or address, that the screen begins with once it is shown."""
        self._entered = text

    def begin(self, text: str) -> None:
        """Begin with a text, or an address."""

    def on_key(self, event: KeyEvent) -> None:  # noqa: ARG002 - any key
        """Clear the message at the bottom."""
        self.say("")

    def say(self, text: str) -> None:
        """Show a message at the bottom until the next key."""
        self.query_one(Hints).say(show(text, STRONG))

    def say_status(self, text: str) -> None:
        """Set the status line above the list."""
        self.query_one("#status", Rule).say(show(text))

    def run(self, kind: str, job: Job) -> None:
        """Do a job off the screen.

        Args:
            kind: Jobs of one kind take the place of one another.
            job: The job.
        """
        if kind not in self._workers:
            self._workers[kind] = Worker(kind, self.kebab, lambda error: self.tell(self._fail, kind, error))
        self._workers[kind].start(job)

    def tell(self, do: Callable[..., None], *values: Any) -> None:
        """Call a function of the screen from a job."""
        self.post_message(Callback(partial(do, *values)))

    def stop_jobs(self, *kinds: str) -> bool:
        """Stop jobs; return whether there was any."""
        stopped = [worker.stop() for name, worker in self._workers.items() if not kinds or name in kinds]
        return any(stopped)

    def on_unmount(self) -> None:
        """Stop what is still being done for this screen."""
        self.stop_jobs()

    def _fail(self, kind: str, error: KebabError) -> None:
        if kind == "document":
            self.clear_text(self.w(error.message))
        elif kind in _BESIDE:
            self.say(self.w(error.message))
        else:
            self.fail(error)

    def fail(self, error: KebabError) -> None:
        """Show an error in place of the list."""
        from kebab_tui.remedies import render_remedy

        hint = render_remedy(error, self.kebab.words)
        items = [remark(self.w(error.message), bad=True), *([remark(hint)] if hint else [])]
        self.say_status("")
        self.listing.show_items(items)

    # -- the text beside the list

    @on(Listing.Chosen)
    def _on_chosen(self, event: Listing.Chosen) -> None:
        event.stop()
        self.show_item(event.item)

    def show_item(self, item: Item | None) -> None:
        """Show the document of the chosen item."""
        if item is not None and isinstance(item.target, Place):
            self.show_place(item.target)
        else:
            self.clear_text()

    def clear_text(self, said: str = "") -> None:
        """Show no document."""
        self._place, self._at, self._shown_key = _NOWHERE, 0, ""
        self.stop_jobs("document")
        self.query_one("#place", Rule).say(Text())
        self.query_one("#text", Lines).show(lambda _: Page(1, lambda _: show(said, QUIET)))

    def show_text(self, title: str, lines: Sequence[Line]) -> None:
        """Show lines that are no document."""
        self.clear_text()
        self.query_one("#place", Rule).say(show(title))
        self.query_one("#text", Lines).show(lambda width: lay_out(lines, width))

    def show_place(self, place: Place, at: int = 0) -> None:
        """Show a document at one of the places of an item, counted from 0."""
        self._place, self._at = place, at
        quotes, query, address = self._quotes(place, at), self.box.value, self.address
        key = repr((address, quotes, query))
        if key == self._shown_key:
            self._say_place()
            return
        self._shown_key = key

        def read(app: App, turn: Turn) -> None:
            if not turn.rest(_SETTLE_S):
                return
            view = app.read_document(address, texts=quotes, query="" if quotes else query)
            state = Phrases.GONE if view.is_gone else Phrases.STALE if view.stale else ""
            title = ", ".join(filter(None, (view.document.shown_title, state and self.w(state))))
            self.tell(self._show_view, key, title, list_lines(view, self.kebab.words))

        self.run("document", read)

    @staticmethod
    def _quotes(place: Place, at: int) -> tuple[str, ...]:
        return place.texts[at] if place.texts else ()

    def _show_view(self, key: str, title: str, lines: list[Line]) -> None:
        if key != self._shown_key:
            return
        self._title = title
        self._say_place()
        self.query_one("#text", Lines).show(lambda width: lay_out(lines, width))

    _title = ""

    def _say_place(self) -> None:
        count = f"  {self._at + 1}/{len(self._place.addresses)}" if len(self._place.addresses) > 1 else ""
        style = STRONG if self.is_reading else PLAIN
        label = join(show(self._title, STRONG), show(count, style))
        self.query_one("#place", Rule).say(label, is_heavy=self.is_reading)

    # -- keys

    def action_move(self, step: int) -> None:
        """Move in the list, or in the text where that is being read."""
        if self.is_reading:
            self.query_one("#text", Lines).scroll_lines(step)
        else:
            self.listing.move(step)

    def action_read(self, pages: int) -> None:
        """Scroll the text by halves of its window."""
        text = self.query_one("#text", Lines)
        text.scroll_lines(pages * max(text.size.height // 2, 1))

    def action_pane(self) -> None:
        """Go to the text, or back to the list."""
        self.toggle_class("-reading")
        self.query_one(Hints).change(self.list_hints())
        self._say_place()

    def action_place(self, step: int) -> None:
        """Show the next or previous place of the document."""
        if len(self._place.addresses) > 1:
            self.show_place(self._place, (self._at + step) % len(self._place.addresses))

    @on(Input.Submitted)
    async def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        await self.run_action("open")

    @on(Listing.Opened)
    async def _on_opened(self, event: Listing.Opened) -> None:
        event.stop()
        await self.run_action("open")

    def action_open(self) -> None:
        """Open the place that is shown in the editor; a picker prints it instead."""
        if self.address and self.kebab.options.picks:
            self.kebab.exit(self.address)
        else:
            self.action_edit()

    def action_edit(self) -> None:
        """Open the place that is shown in the editor."""
        if self.address and (said := self.kebab.edit(self.address)):
            self.say(self.w(said))

    def action_copy(self) -> None:
        """Send the address to the terminal's clipboard."""
        if self.address:
            self.app.copy_to_clipboard(self.address)
            self.say(self.w(say.SENT))

    def action_cancel(self) -> None:
        """Go one step back: stop, return to the list, clear the box, leave."""
        if self.stop():
            return
        if self.is_reading:
            self.action_pane()
        elif self.box.value:
            self.box.value = ""
        else:
            self.leave()

    def stop(self) -> bool:
        """Stop the job that the reader waits for; return False without one."""
        return False

    def leave(self) -> None:
        """Go back to the search."""
        self.dismiss()

    def action_go(self, name: str, text: str = "") -> None:
        """Go to another screen, by way of the search, which is below all others."""
        self.dismiss(Wish(name, text))

    def action_ask(self) -> None:
        """Ask what stands in the box."""
        self.action_go("ask", self.box.value)

    def action_inspect(self) -> None:
        """Explain why the document that is shown is found."""
        self.action_go("inspect", f"{self.box.value}\n{self.address.partition('#')[0]}")

    def action_leave(self) -> None:
        """End the program."""
        self.kebab.exit()

    def action_related(self) -> None:
        """List the documents that are related to the one that is shown."""
        if not (address := self.address):
            return

        def find(app: App, _: Turn) -> None:
            choices = [
                Choice(
                    f"{each.entry.title}, {self.w(Phrases.RELATIONS[each.relation])}",
                    each.address,
                    address=each.address,
                )
                for each in app.find_related(address, limit=_RELATED).documents
            ]
            self.tell(self._show_related, choices)

        self.run("related", find)

    def _show_related(self, choices: list[Choice]) -> None:
        if choices:
            self._choose(Chooser(self.w(say.RELATED), choices))
        else:
            self.say(self.w(Phrases.NOTHING_RELATED))

    def action_palette(self) -> None:
        """List everything there is to do, and documents by name."""
        self._choose(Chooser(self.w(say.PALETTE), self._list_actions(), with_names=True))

    def action_help(self) -> None:
        """List the keys."""
        self._choose(Chooser(self.w(Phrases.KEYS), self._list_actions()))

    def _list_actions(self) -> list[Choice]:
        return [Choice(self.w(each.label), each.shown, each.action) for each in self.list_keys()]

    def _choose(self, chooser: Chooser) -> None:
        def take(choice: Choice | None) -> None:
            if choice is None:
                return
            if choice.address:
                self.show_place(Place((choice.address,)))
            else:
                self.call_later(self.run_action, choice.action)

        self.app.push_screen(chooser, take)
