"""The routes of the page, and the way in: a code becomes a cookie."""

from __future__ import annotations

import logging
import secrets
from functools import partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

from kebab_core import AmbiguousAddressError, InputError, KebabError, MissingError, NotIndexedError
from kebab_words import Phrases
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import kebab_web.phrases as say
from kebab_web.pages import answers, documents, library, names, search
from kebab_web.site import STATIC, Site, build_url

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

_STATUS: tuple[tuple[type[KebabError], int], ...] = (
    (MissingError, 404),
    (AmbiguousAddressError, 409),
    (NotIndexedError, 409),
    (InputError, 400),
)
_NOT_FOUND, _SERVER_ERROR = 404, 500
_logger = logging.getLogger("kebab.web")


def enter(site: Site, request: Request) -> Response:
    """Take a code and set the cookie; the page leads on by itself, since after a redirect the browser would not send it."""
    if not site.entrance.take_code(request.query_params.get("code", "")):
        return site.render_notice(request)
    shown = {name: request.query_params.get(name, "") for name in ("q", "d")}
    response = site.render(
        request, "notice.html", message=Phrases.ENTERING, detail="", target=build_url("/", **shown)
    )
    response.set_cookie(site.cookie_name, site.entrance.cookie, httponly=True, samesite="strict", path="/")
    return response


HANDLERS = [("GET", "/enter", enter)] + [
    handler for area in (search, documents, answers, library, names) for handler in area.HANDLERS
]
"""Method, path and function of every page. The function runs in a thread if it is not async; that of a POST gets the form, too."""


def build_app(site: Site) -> Starlette:
    """Build the application behind the guard."""
    app = Starlette(
        routes=[
            *(_route(site, *each) for each in HANDLERS),
            Mount(f"/static/{site.static_hash}", _KeptFiles(directory=STATIC)),
        ],
        exception_handlers={
            error: partial(_show_error, site) for error in (KebabError, _NOT_FOUND, Exception)
        },
    )
    app.router.redirect_slashes = False
    return app


def _route(site: Site, method: str, path: str, handle: Callable[..., Any]) -> Route:
    async def post(request: Request) -> Response:
        form = QueryParams((await request.body()).decode("utf-8", "replace"))
        if iscoroutinefunction(handle):
            response: Response = await handle(site, request, form)
        else:
            response = await run_in_threadpool(handle, site, request, form)
        return response

    return Route(path, post if method == "POST" else partial(handle, site), methods=[method])


class _KeptFiles(StaticFiles):
    """Static files, which a browser keeps: their address has their hash."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "private, max-age=31536000, immutable"
        return response


def _show_error(site: Site, request: Request, error: Exception) -> Response:
    if isinstance(error, KebabError):
        status = next((number for kind, number in _STATUS if isinstance(error, kind)), _SERVER_ERROR)
        return site.render_problem(request, say.PROBLEM, status=status, error=error)
    if isinstance(error, HTTPException):
        return site.render_problem(request, say.NOT_FOUND, status=_NOT_FOUND)
    error_id = secrets.token_hex(4)
    _logger.error("page failed", exc_info=error, extra={"error_id": error_id})
    return site.render_problem(request, say.UNEXPECTED, status=_SERVER_ERROR, message=error_id)
