"""Search: the box, hits on the left, the document on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_app import (
    PageLimits,
    build_filters,
    build_overview,
    build_search_query,
)
from kebab_core import (
    DocumentNotFoundError,
    InvalidInputError,
    KebabError,
    Message,
    NotIndexedError,
    SearchFilters,
)
from kebab_words import Phrases, describe_no_hit

import kebab_web.phrases as say
from kebab_web.hits import list_status, show_hits
from kebab_web.pages.documents import read_pane
from kebab_web.pages.library import show_start
from kebab_web.site import build_url

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import Answer, SearchQuery
    from starlette.requests import Request
    from starlette.responses import Response

    from kebab_web.site import Site

MAX_QUERY = 2000
"""Characters of a query."""
_PAGE = 8
"""Hits of a page; a hit costs 1 to 3 ms."""
_RECENT, _FILTERED = 8, 40
"""Documents that are listed without a query, and with filters alone."""
_ASKED = 6
FILTERS = ("tag", "lang", "media", "path_glob", "since", "source")
_MENU = 24
"""Values of a filter that are offered."""


class Chip(NamedTuple):
    """A filter that is set."""

    name: str
    value: str
    without: str
    """Address without it."""


class Choice(NamedTuple):
    """A filter that may be set."""

    label: str
    documents: int
    target: str


def home(site: Site, request: Request) -> Response:
    """Show the box, with hits and a document where the address names them."""
    query, cited = read_query(request), request.query_params.get("d", "")
    overview = build_overview(site.app.base)
    if not overview.is_set_up or overview.coverage is None:
        return show_start(site, request, overview)
    found: dict[str, Any] = {"found": None}
    if query:
        try:
            found = _search(site, request, stage=request.query_params.get("m", "both"))
        except InvalidInputError as error:
            found = {"found": None, "error": error.message}
    pane = None
    if cited:
        try:
            pane = read_pane(site, request, cited)
        except (DocumentNotFoundError, InvalidInputError) as error:
            found["error"] = error.message
    is_home = not query and pane is None
    words = site.words_of(request)
    suggested = site.suggest(words, overview) if is_home else []
    return site.render(
        request,
        "search.html",
        query=query,
        pane=pane,
        cited=cited,
        error=found.pop("error", None),
        chips=list_chips(request),
        menu=_list_menu(site, request) if not is_home else {},
        recent=_list_recent(site, request) if is_home else (),
        asked=_list_asked(site) if is_home and not filter_values(request) else (),
        suggested=suggested,
        overview=overview,
        parameters=filter_values(request),
        **found,
    )


def hits(site: Site, request: Request) -> Response:
    """Return the hits of a query as a fragment."""
    stage = request.query_params.get("stage", "both")
    found = _search(site, request, stage=stage)
    return site.render(
        request, "hits.html", query=read_query(request), parameters=filter_values(request), cited="", **found
    )


def read_query(request: Request) -> str:
    """Return the text of the box.

    Raises:
        InvalidInputError: It is too long.
    """
    query = request.query_params.get("q", "").strip()
    if len(query) > MAX_QUERY:
        raise InvalidInputError("a query has {limit} characters at most", limit=MAX_QUERY)
    return query


def filter_values(request: Request) -> dict[str, list[str]]:
    """Return the filters of an address, by name."""
    given = {name: request.query_params.getlist(name) for name in FILTERS}
    return {name: [value for value in values if value] for name, values in given.items() if any(values)}


def read_filters(values: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return filters as requests take them."""
    return {name: value[-1] if name == "since" else value for name, value in values.items()}


def list_chips(request: Request) -> list[Chip]:
    """List the filters that are set, each with the address without it."""
    values = filter_values(request)
    chips = []
    for name, each in values.items():
        for value in each:
            rest = {**values, name: [other for other in each if other != value]}
            chips.append(Chip(name, value, build_url("/", q=read_query(request), **rest)))
    return chips


def _search(site: Site, request: Request, *, stage: str) -> dict[str, Any]:
    query = read_query(request)
    is_typed = bool(request.query_params.get("unfinished"))
    built = build_search_query(
        site.app.base,
        request.query_params["q"] if is_typed and query else query,
        filters=read_filters(filter_values(request)),
        mode="lexical" if stage == "words" else None,
        k=_PAGE,
        unfinished=is_typed,
        cursor=request.query_params.get("after") or None,
    )
    with site.searches:
        response = site.app.search(built)
    words = site.words_of(request)
    near = [Phrases.near_words(each.text, ", ".join(each.nearest)) for each in response.unknown_words]
    return {
        "found": show_hits(response.hits),
        "nearest": show_hits(response.nearest),
        "said": " · ".join(words.localize(each) for each in list_status(response)),
        "near": near,
        "next_page": {
            **filter_values(request),
            "q": built.text,
            "m": request.query_params.get("m"),
            "stage": stage,
            "unfinished": "1" if is_typed else "",
            "after": response.next_cursor,
        }
        if response.next_cursor
        else None,
        "ways_out": _list_ways_out(site, built, request) if response.filtered_out_by else (),
        "no_hit": describe_no_hit(response) if response.no_hit_reason else None,
        "stage": stage,
        "asked_words": request.query_params.get("m") == "words",
        "can_mean": site.app.base.wants_vectors and not response.coverage.missing_legs,
    }


def _list_ways_out(site: Site, built: SearchQuery, request: Request) -> list[tuple[Message, str]]:
    """List the filters without which there are hits, each with their number and the address of that search."""
    values, ways = filter_values(request), list[tuple[Message, str]]()
    for name, given in values.items():
        rest = {other: each for other, each in values.items() if other != name}
        criteria = build_filters(read_filters(rest))
        count = len(site.app.search(built.model_copy(update={"filters": criteria})).hits)
        if count:
            shown = ", ".join(f"#{each}" if name == "tag" else each for each in given)
            ways.append((say.without_filter(count, shown), build_url("/", q=read_query(request), **rest)))
    return ways


def _list_asked(site: Site) -> list[tuple[str, Answer]]:
    """List the last questions, each once, with its newest answer."""
    newest: dict[str, Answer] = {}
    for question, answer in site.app.list_answers(limit=2 * _ASKED):
        newest.setdefault(question, answer)
    return [*newest.items()][:_ASKED]


def _list_recent(site: Site, request: Request) -> tuple[Any, ...]:
    """List what changed last, of what passes the filters."""
    values = filter_values(request)
    criteria = build_filters(read_filters(values)) if values else SearchFilters()
    limits = PageLimits(limit=_FILTERED if values else _RECENT)
    return site.app.list_page(criteria, order="recent", limits=limits).documents


def _list_menu(site: Site, request: Request) -> dict[Message, list[Choice]]:
    """List the values that filters may take, with the address that sets each."""
    values, query = filter_values(request), read_query(request)
    try:
        criteria = build_filters(read_filters(values))
        counted = site.app.count_documents("tags", criteria)
        folders = site.app.count_documents("folders", criteria)
    except (NotIndexedError, KebabError):
        return {}
    menu = {
        Phrases.TAGS: [
            Choice(f"#{each.name}", each.documents, _with(query, values, "tag", each.name))
            for each in counted[:_MENU]
            if each.name not in values.get("tag", ())
        ],
        Phrases.FOLDERS: [
            Choice(each.name, each.documents, _with(query, values, "path_glob", f"{each.name.rstrip('/')}/"))
            for each in folders[:_MENU]
            if each.name not in {"", ".", "/"}
            and f"{each.name.rstrip('/')}/" not in values.get("path_glob", ())
        ],
    }
    return {title: choices for title, choices in menu.items() if choices}


def _with(query: str, values: Mapping[str, list[str]], name: str, value: str) -> str:
    return build_url("/", q=query, **{**values, name: [*values.get(name, ()), value]})


HANDLERS = [
    ("GET", "/", home),
    ("GET", "/x/hits", hits),
]
