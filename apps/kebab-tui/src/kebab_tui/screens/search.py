"""Search: hits by words while typing, by meaning when the typing rests; the document beside them."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, ClassVar, cast

from kebab_words import Phrases
from textual import on
from textual.widgets import Input

import kebab_tui.phrases as say
from kebab_tui.items import list_documents
from kebab_tui.keys import COMMON, Key, bind
from kebab_tui.screens.face import Face, Wish

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import DocumentEntry, SearchResponse
    from textual.binding import BindingType

    from kebab_tui.jobs import Turn
    from kebab_tui.widgets.lines import Item

MAX_QUERY = 2000
"""Characters of a query."""
_PAUSE_S = 0.03
"""Before a search, so that strokes that come together are one."""
_REST_S = 0.35
"""Pause in the typing after which meaning is searched too."""
_HITS, _MOST_HITS = 8, 1000
"""Hits of the first page, since one costs 1 to 3 ms, and of a later one, which has as many as those before together."""
_RECENT = 20
_WITH_TIME = 60
"""Columns from which on the status has room for the time that a search took."""


class Search(Face):
    """Screen of the search, below all others."""

    KEYS: ClassVar[tuple[Key, ...]] = (*COMMON[:-2], Key("ctrl+t", "Ctrl+T", "mode", say.MODE), *COMMON[-2:])
    BINDINGS: ClassVar[list[BindingType]] = bind(KEYS)

    def __init__(self, query: str = "") -> None:
        super().__init__(query)
        self.filters: dict[str, str] = {}
        """Filters of the search, by the names of `build_filters`."""
        self._is_by_words = False
        self._faces: dict[str, Face] = {}
        self._response: SearchResponse | None = None

    def on_mount(self) -> None:
        """Draw first, and then open the knowledge base."""
        self.say_status(self.w(Phrases.ENTERING))
        self.call_after_refresh(self.look)

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        event.stop()
        self.look()

    def look(self) -> None:
        """Search for the text of the box; without text or filters list recent documents."""
        text = self.box.value[:MAX_QUERY]
        if not text.strip() and not self.filters:
            self.run("search", self._read_recent)
            return
        begun, by_words, filters = time.perf_counter(), self._is_by_words, dict(self.filters)

        def search(app: App, turn: Turn) -> None:
            from kebab_app import build_search_query

            if not turn.rest(_PAUSE_S):
                return
            mode = "lexical" if by_words else None
            query = build_search_query(app.base, text, filters=filters, mode=mode, k=_HITS, unfinished=True)
            with closing(app.search_stages(query, cancel=turn.cancel)) as stages:
                for response in stages:
                    elapsed = (time.perf_counter() - begun) * 1000
                    self.tell(self._show, text, response, elapsed)
                    if not turn.rest(_REST_S):
                        return
                    turn.is_dispensable = True

        self.run("search", search)

    def _read_recent(self, app: App, turn: Turn) -> None:  # noqa: ARG002 - it is short
        from kebab_app import PageLimits
        from kebab_core import NotIndexedError, SearchFilters

        try:
            page = app.list_page(SearchFilters(), order="recent", limits=PageLimits(limit=_RECENT))
        except NotIndexedError:
            self.tell(self._show_recent, ())
        else:
            self.tell(self._show_recent, page.documents)

    def _show_recent(self, documents: tuple[DocumentEntry, ...]) -> None:
        if self.box.value.strip() or self.filters:
            return
        self._response = None
        self.say_status(self.w(Phrases.RECENT if documents else Phrases.INDEX_EMPTY))
        self.listing.show_items([*list_documents(documents)], keeps=False)

    def _show(self, text: str, response: SearchResponse, elapsed_ms: float) -> None:
        """Show a result, unless the box has gone another way; words that find nothing wait for what comes after."""
        from kebab_tui.hits import list_hits

        if not self.box.value.startswith(text.rstrip()):
            return
        if not response.hits and response.no_hit_reason is None and self._response is not None:
            return
        keeps = self._response is not None and self._response.query.text == response.query.text
        self._response = response
        self.say_status(self._describe(response, elapsed_ms))
        self.listing.show_items([*list_hits(response, self.kebab.words)], keeps=keeps)

    def _describe(self, response: SearchResponse, elapsed_ms: float) -> str:
        from kebab_words import describe_filter, list_status

        chips = [self.w(describe_filter(name, value)) for name, value in self.filters.items()]
        said = [
            *list_status(response),
            *([say.milliseconds(elapsed_ms)] if self.size.width >= _WITH_TIME else []),
        ]
        return " ".join([*chips, ", ".join(map(self.w, said))])

    def show_item(self, item: Item | None) -> None:
        """Show the document of a hit; at the last hit fetch more."""
        super().show_item(item)
        response = self._response
        if response is not None and response.next_cursor and self.listing.is_at_end:
            self.run("more", lambda app, _: self._read_more(app, response))

    def _read_more(self, app: App, before: SearchResponse) -> None:
        from kebab_core import StaleCursorError

        try:
            more = {"cursor": before.next_cursor, "k": min(len(before.hits), _MOST_HITS)}
            response = app.search(before.query.model_copy(update=more))
            response = before.model_copy(
                update={"hits": (*before.hits, *response.hits), "next_cursor": response.next_cursor}
            )
        except StaleCursorError:  # documents were read meanwhile
            more = {"cursor": None, "k": min(2 * len(before.hits), _MOST_HITS)}
            response = app.search(before.query.model_copy(update=more))
        self.tell(self._show_more, before, response)

    def _show_more(self, before: SearchResponse, response: SearchResponse) -> None:
        from kebab_tui.hits import list_hits

        if self._response is before:
            self._response = response
            self.listing.show_items([*list_hits(response, self.kebab.words)])

    def action_go(self, name: str, text: str = "") -> None:
        """Go to another screen; it stays as it is until it is shown again."""
        if name not in self._faces:
            self._faces[name] = cast("Face", self.kebab.faces[name]())
            self.app.install_screen(self._faces[name], name)
        self._faces[name].enter(text)
        self.app.push_screen(name, self._follow)

    def _follow(self, wish: Wish | None) -> None:
        """Show the screen, or set the filters, that a screen was left for."""
        if wish is None:
            return
        if wish.face != "search":
            self.action_go(wish.face, wish.text)
        else:
            self.filters = dict(wish.filters)
            self.look()

    def action_mode(self) -> None:
        """Search by words only, or by meaning too."""
        self._is_by_words = not self._is_by_words
        self.look()

    def leave(self) -> None:
        """Drop the filters; without any, end the program."""
        if self.filters:
            self.filters = {}
            self.look()
        else:
            self.kebab.exit()
