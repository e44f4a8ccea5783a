"""The routes of the page, and the way in: a code becomes a cookie."""

from __future__ import annotations

import logging
import secrets
from functools import partial
from typing import TYPE_CHECKING, Any

from kebab_core import (
    AmbiguousAddressError,
    InputError,
    KebabError,
    LockedError,
    MissingError,
    NotIndexedError,
)
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import kebab_web.phrases as say
from kebab_web.answer_jobs import TOO_MANY
from kebab_web.pages import answers, documents, library, search
from kebab_web.site import STATIC, Site, build_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

_STATUS: tuple[tuple[type[KebabError], int], ...] = (
    (MissingError, 404),
    (AmbiguousAddressError, 409),
    (NotIndexedError, 409),
    (LockedError, 409),
    (InputError, 400),
)
_SERVER_ERROR = 500
_logger = logging.getLogger("kebab.web")


def enter(site: Site, request: Request) -> Response:
    """Take a code and set the cookie; the page leads on by itself, since after a redirect the browser would not send it."""
    if not site.entrance.take_code(request.query_params.get("code", "")):
        return site.render_notice(request)
    shown = {name: request.query_params.get(name, "") for name in ("q", "d")}
    response = site.render(request, "notice.html", target=build_url("/", **shown))
    response.set_cookie(site.cookie_name, site.entrance.cookie, httponly=True, samesite="strict", path="/")
    return response


ROUTES = (
    ("GET", "/enter", enter),
    ("GET", "/", search.home),
    ("GET", "/x/hits", search.hits),
    ("GET", "/filters", search.show_filters),
    ("GET", "/x/filters", search.show_filters),
    ("GET", "/why", search.why),
    ("GET", "/d/{address:path}", documents.show_document),
    ("GET", "/x/doc", documents.show_document),
    ("GET", "/related", documents.show_related),
    ("GET", "/x/related", documents.show_related),
    ("GET", "/outline", documents.show_outline),
    ("GET", "/x/outline", documents.show_outline),
    ("GET", "/page/{doc_id}/{page:int}.png", documents.show_page),
    ("GET", "/picture", documents.show_picture),
    ("GET", "/recording", documents.play_recording),
    ("POST", "/open", documents.open_file),
    ("GET", "/a", answers.list_stored),
    ("GET", "/a/{trace}", answers.show_stored),
    ("POST", "/ask", answers.ask_page),
    ("POST", "/x/ask", answers.ask_job),
    ("GET", "/x/ask/{job_id}", answers.stream),
    ("DELETE", "/x/ask/{job_id}", answers.stop),
    ("GET", "/s", answers.list_conversations),
    ("POST", "/s", answers.begin_conversation),
    ("GET", "/s/{name:path}", answers.show_conversation),
    ("GET", "/name", search.show_names),
    ("GET", "/x/name", search.show_names),
    ("GET", "/library", library.library),
    ("POST", "/library/read", library.read_changes),
    ("POST", "/library/stop", library.stop_reading),
    ("GET", "/start", library.choose_folder),
    ("POST", "/start", library.set_up),
    ("GET", "/x/work", library.show_work),
    ("GET", "/health", library.health),
    ("POST", "/health/repair", library.repair),
    ("GET", "/settings", library.settings),
    ("POST", "/settings", library.change_setting),
)
"""Method, path and function of every page. The function runs in a thread; that of a POST gets the form, too."""


def build_app(site: Site) -> Starlette:
    """Build the application behind the guard."""
    static = Mount(f"/static/{site.static_hash}", StaticFiles(directory=STATIC))
    handlers = dict.fromkeys((KebabError, HTTPException, Exception), partial(_show_error, site))
    app = Starlette(routes=[*(_route(site, *each) for each in ROUTES), static], exception_handlers=handlers)
    app.router.redirect_slashes = False
    return app


def _route(site: Site, method: str, path: str, handle: Callable[..., Any]) -> Route:
    async def post(request: Request) -> Response:
        form = QueryParams((await request.body()).decode("utf-8", "replace"))
        return await run_in_threadpool(handle, site, request, form)

    return Route(path, post if method == "POST" else partial(handle, site), methods=[method])


def _show_error(site: Site, request: Request, error: Exception) -> Response:
    if isinstance(error, KebabError):
        status = next((number for kind, number in _STATUS if isinstance(error, kind)), _SERVER_ERROR)
        return site.render_problem(request, say.PROBLEM, status=status, error=error)
    if isinstance(error, HTTPException):
        title = say.TOO_MANY if error.status_code == TOO_MANY else say.NOT_FOUND
        return site.render_problem(request, title, status=error.status_code)
    error_id = secrets.token_hex(4)
    _logger.error("page failed", exc_info=error, extra={"error_id": error_id})
    return site.render_problem(request, say.UNEXPECTED, status=_SERVER_ERROR, message=error_id)
