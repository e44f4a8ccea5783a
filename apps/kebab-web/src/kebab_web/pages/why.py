"""Why a file, or a file by a query, is not found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app import build_search_query

from kebab_web.pages.search import filter_values, read_filters, read_query
from kebab_web.remedies import render_remedy

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from kebab_web.site import Site


def why(site: Site, request: Request) -> Response:
    """Ask for the file that should have been found, and follow it from the disk to the result."""
    file, query = request.query_params.get("file", "").strip(), read_query(request)
    words = site.words_of(request)
    asked = (
        build_search_query(site.app.base, query, filters=read_filters(filter_values(request)))
        if query
        else None
    )
    report = site.app.why(file, query=asked) if file else None
    return site.render(
        request,
        "why.html",
        file=file,
        query=query,
        parameters=filter_values(request),
        report=report,
        hint=render_remedy(report, words) if report is not None else "",
    )


HANDLERS = [
    ("GET", "/why", why),
]
