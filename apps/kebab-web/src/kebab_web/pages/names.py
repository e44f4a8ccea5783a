"""Quick switcher: documents by name, and the pages of this server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_app import PageLimits
from kebab_core import NotIndexedError, SearchFilters
from kebab_words import Phrases

import kebab_web.phrases as say
from kebab_web.pages.search import read_query

if TYPE_CHECKING:
    from kebab_core import Message
    from kebab_words import Words
    from starlette.requests import Request
    from starlette.responses import Response

    from kebab_web.site import Site

_MOST = 12
_COMMANDS: tuple[tuple[str, Message], ...] = (
    ("/library", say.LIBRARY),
    ("/a", say.ANSWERS),
    ("/s", Phrases.CONVERSATIONS),
    ("/health", say.HEALTH),
    ("/settings", say.SETTINGS),
    ("/why", say.WHY_TITLE),
)


class Place(NamedTuple):
    """Document or page in the list of the quick switcher."""

    name: str
    detail: str
    target: str
    address: str
    """Of a document; empty for a page."""


def show_page(site: Site, request: Request) -> Response:
    """Show the switcher as a page of its own."""
    return site.render(
        request, "name_page.html", query=read_query(request), places=_list_places(site, request)
    )


def show_part(site: Site, request: Request) -> Response:
    """Return the list of the quick switcher, as a fragment of a page."""
    return site.render(request, "names.html", places=_list_places(site, request))


def _list_places(site: Site, request: Request) -> list[Place]:
    query = read_query(request)
    words = site.words_of(request)
    return [*_list_documents(site, query), *_list_commands(query, words)]


def _list_documents(site: Site, query: str) -> list[Place]:
    found: list[tuple[str, Any]]
    try:
        if query:
            found = [(each.name, each.entry) for each in site.app.find_names(query, limit=_MOST)]
        else:
            limits = PageLimits(limit=_MOST)
            page = site.app.list_page(SearchFilters(), order="recent", limits=limits)
            found = [(each.title, each) for each in page.documents]
    except NotIndexedError:
        return []
    return [Place(name, entry.to_address(), "", entry.to_address()) for name, entry in found]


def _list_commands(query: str, words: Words) -> list[Place]:
    labels = [(words.localize(label), target) for target, label in _COMMANDS]
    return [
        Place(label, target, target, "")
        for label, target in labels
        if query.casefold() in label.casefold() or query.casefold() in target
    ]


HANDLERS = [
    ("GET", "/name", show_page),
    ("GET", "/x/name", show_part),
]
