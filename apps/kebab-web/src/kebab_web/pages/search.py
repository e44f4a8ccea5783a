"""Search: the box, hits on the left, the document on the right; documents and pages by name; and why a file is not found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from kebab_app import PageLimits, build_filters, build_overview, build_search_query
from kebab_core import DocumentNotFoundError, InvalidInputError, Message, NotIndexedError
from kebab_words import Phrases, describe_filter, describe_no_hit, list_status

from kebab_web.answer_view import show_answer
from kebab_web.pages.documents import read_cited
from kebab_web.pages.library import count_named, show_start
from kebab_web.site import read_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_core import Answer, DocSummary, SearchQuery
    from starlette.datastructures import ImmutableMultiDict
    from starlette.requests import Request
    from starlette.responses import Response

    from kebab_web.site import Site

_PAGE = 8
"""Hits of a page; a hit costs 1 to 3 ms."""
_RECENT, _FILTERED = 8, 40
"""Documents that are listed without a query, and with filters alone."""
_ASKED = 6
_MENU = 24
"""Values of a filter that are offered."""
_NAMED = 12
"""Documents that the switcher lists."""


class Filters(dict[str, list[str]]):
    """The filters of an address or a form, by name, each with its values."""

    NAMES = ("tag", "lang", "media", "path_glob", "since", "source")

    @classmethod
    def read(cls, given: ImmutableMultiDict[str, str]) -> Self:
        """Read the filters that are set."""
        values = {name: [value for value in given.getlist(name) if value] for name in cls.NAMES}
        return cls({name: each for name, each in values.items() if each})

    def without(self, name: str, value: str | None = None) -> dict[str, list[str]]:
        """Return the others: without one value of a filter, or without all of them."""
        others = {**self, name: [each for each in self[name] if value not in {None, each}]}
        return {kept: values for kept, values in others.items() if values}

    def with_value(self, name: str, value: str) -> dict[str, list[str]]:
        """Return them with one more value of a filter."""
        return {**self, name: [*self.get(name, ()), value]}

    def for_request(self) -> dict[str, Any]:
        """Return them as requests take them."""
        return {name: value[-1] if name == "since" else value for name, value in self.items()}


def home(site: Site, request: Request) -> Response:
    """Show the box, with hits and a document where the address names them."""
    query, filters = read_query(request), Filters.read(request.query_params)
    overview = build_overview(site.app.base)
    if not overview.is_set_up or overview.coverage is None:
        return show_start(site, request, overview)
    documents = overview.coverage.documents_indexed
    shown: dict[str, Any] = dict.fromkeys(("response", "error", "pane", "shown"))
    shown |= {"query": query, "parameters": filters, "cited": ""}
    try:
        if query:
            shown |= _search(site, request, stage=request.query_params.get("m", "both"))
        shown |= read_cited(site, request)
        if trace := request.query_params.get("a"):
            shown["shown"] = show_answer(*site.app.show_answer(trace))
    except (DocumentNotFoundError, InvalidInputError) as error:
        shown["error"] = error
    return site.render(
        request,
        "search.html",
        recent=_list_recent(site, filters) if not query else (),
        asked=_list_asked(site) if not (query or filters) else (),
        suggested=site.suggest(site.words_of(request), documents) if not query else [],
        overview=overview,
        **shown,
    )


def hits(site: Site, request: Request) -> Response:
    """Return the hits of a query as a fragment."""
    found = _search(site, request, stage=request.query_params.get("stage", "both"))
    return site.render(request, "hits.html", cited="", **found)


def show_filters(site: Site, request: Request) -> Response:
    """Show filters that may be set, each value with its number of documents, as a page or as a fragment."""
    filters = Filters.read(request.query_params)
    criteria = build_filters(filters.for_request())
    tags, folders = count_named(site, criteria, limit=_MENU)
    media, languages = (site.app.count_documents(by, criteria) for by in ("media", "languages"))
    menu = (
        (Phrases.KINDS, "media", media),
        (Phrases.LANGUAGE, "lang", languages),
        (Phrases.DATE, "since", [] if "since" in filters else [(each, 0) for each in Phrases.SINCE]),
        (Phrases.TAGS, "tag", tags),
        (Phrases.FOLDERS, "path_glob", folders),
    )
    return site.render_part(request, "filters", menu=menu, query=read_query(request), parameters=filters)


def show_names(site: Site, request: Request) -> Response:
    """Show the switcher as a page of its own, or return its list as a fragment."""
    query = read_query(request)
    return site.render_part(request, "names", query=query, documents=_list_documents(site, query))


def why(site: Site, request: Request) -> Response:
    """Ask for the file that should have been found, and follow it from the disk to the result."""
    file, query = request.query_params.get("file", "").strip(), read_query(request)
    filters = Filters.read(request.query_params)
    asked = build_search_query(site.app.base, query, filters=filters.for_request()) if query else None
    report = site.app.why(file, query=asked) if file else None
    return site.render(request, "why.html", file=file, query=query, parameters=filters, report=report)


def _search(site: Site, request: Request, *, stage: str) -> dict[str, Any]:
    """Search for the text of the box; what `hits.html` shows of it."""
    given, query, filters = request.query_params, read_query(request), Filters.read(request.query_params)
    is_typed = bool(given.get("unfinished"))
    built = build_search_query(
        site.app.base,
        given["q"] if is_typed and query else query,
        filters=filters.for_request(),
        mode="lexical" if stage == "words" else None,
        k=_PAGE,
        unfinished=is_typed,
        cursor=given.get("after") or None,
    )
    with site.searches:
        response = site.app.search(built)
    further = {"stage": stage, "unfinished": "1" if is_typed else "", "after": response.next_cursor}
    return {
        "query": query,
        "parameters": filters,
        "response": response,
        "said": list_status(response, with_failed=False),
        "next_page": {**filters, "q": built.text, "m": given.get("m"), **further},
        "ways_out": _list_ways_out(site, built, filters) if response.filtered_out_by else (),
        "no_hit": describe_no_hit(response) if response.no_hit_reason else None,
        "stage": stage,
        "asked_words": given.get("m") == "words",
        "can_mean": site.app.base.wants_vectors and not response.coverage.missing_legs,
    }


def _list_ways_out(site: Site, built: SearchQuery, filters: Filters) -> list[tuple[Message, str]]:
    """List the filters without which there are hits, each with their number."""
    ways = []
    for name, given in filters.items():
        criteria = build_filters(Filters(filters.without(name)).for_request())
        count = len(site.app.search(built.model_copy(update={"filters": criteria})).hits)
        if count:
            shown = ", ".join(describe_filter(name, each) for each in given)
            ways.append((Message("{count} without {filter}", filter=shown, count=count), name))
    return ways


def _list_asked(site: Site) -> list[tuple[str, Answer]]:
    """List the last questions, each once, with its newest answer."""
    newest: dict[str, Answer] = {}
    for question, answer in site.app.list_answers(limit=2 * _ASKED):
        newest.setdefault(question, answer)
    return [*newest.items()][:_ASKED]


def _list_recent(site: Site, filters: Filters) -> Sequence[DocSummary]:
    """List what changed last, of what passes the filters."""
    limits = PageLimits(limit=_FILTERED if filters else _RECENT)
    return site.app.list_page(build_filters(filters.for_request()), order="recent", limits=limits).documents


def _list_documents(site: Site, query: str) -> list[tuple[str, str]]:
    """List the address and the name of documents: those of a name, or what changed last."""
    try:
        if query:
            found = site.app.find_names(query, limit=_NAMED)
            return [(each.entry.to_address(), each.name) for each in found]
        return [(each.to_address(), each.title) for each in _list_recent(site, Filters())]
    except NotIndexedError:
        return []
