"""Quick switcher: documents by name, and the pages of this server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app import PageLimits
from kebab_core import NotIndexedError, SearchFilters
from kebab_words import Phrases

import kebab_web.phrases as say
from kebab_web.site import is_part, read_query

if TYPE_CHECKING:
    from kebab_core import Message
    from starlette.requests import Request
    from starlette.responses import Response

    from kebab_web.site import Site

_MOST = 12
_PAGES: tuple[tuple[str, Message], ...] = (
    ("/library", say.LIBRARY),
    ("/a", say.ANSWERS),
    ("/s", Phrases.CONVERSATIONS),
    ("/health", say.HEALTH),
    ("/settings", say.SETTINGS),
    ("/why", say.WHY_TITLE),
)


def show_names(site: Site, request: Request) -> Response:
    """Show the switcher as a page of its own, or return its list as a fragment."""
    query, words = read_query(request), site.words_of(request)
    typed = query.casefold()
    labels = [(path, words.localize(label)) for path, label in _PAGES]
    return site.render(
        request,
        "names.html" if is_part(request) else "name_page.html",
        query=query,
        documents=_list_documents(site, query),
        pages=[each for each in labels if typed in each[0] or typed in each[1].casefold()],
    )


def _list_documents(site: Site, query: str) -> list[tuple[str, str]]:
    """List the address and the name of documents: those of a name, or what changed last."""
    try:
        if query:
            found = site.app.find_names(query, limit=_MOST)
            return [(each.entry.to_address(), each.name) for each in found]
        recent = site.app.list_page(SearchFilters(), order="recent", limits=PageLimits(limit=_MOST)).documents
        return [(each.to_address(), each.title) for each in recent]
    except NotIndexedError:
        return []
