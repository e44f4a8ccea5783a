"""The routes of the page, and the way in: a code becomes a cookie."""

from __future__ import annotations

import logging
import secrets
from functools import partial
from typing import TYPE_CHECKING

from kebab_core import AmbiguousAddressError, InputError, KebabError, MissingError, NotIndexedError
from kebab_words import Phrases
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

import kebab_web.phrases as say
from kebab_web.pages import answers, conversations, documents, library, names, search, why
from kebab_web.remedies import find_page, render_remedy
from kebab_web.site import STATIC, Site, build_url

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_STATUS: tuple[tuple[type[KebabError], int], ...] = (
    (MissingError, 404),
    (AmbiguousAddressError, 409),
    (NotIndexedError, 409),
    (InputError, 400),
)
_FORBIDDEN = 403
_SERVER_ERROR = 500
_logger = logging.getLogger("kebab.web")


def enter(site: Site, request: Request) -> Response:
    """Take a code and set the cookie; the page leads on by itself, since after a redirect the browser would not send it."""
    if not site.entrance.take_code(request.query_params.get("code", "")):
        return site.render_notice(dict(request.headers), say.RUN_AGAIN, status=_FORBIDDEN)
    shown = {name: request.query_params.get(name, "") for name in ("q", "d")}
    response = site.render(
        request, "notice.html", message=Phrases.ENTERING, detail="", target=build_url("/", **shown)
    )
    response.set_cookie(site.cookie_name, site.entrance.cookie, httponly=True, samesite="strict", path="/")
    return response


HANDLERS = [("GET", "/enter", enter)] + [
    handler
    for area in (search, documents, answers, conversations, library, names, why)
    for handler in area.HANDLERS
]
"""Method, path and function of every page."""


def build_app(site: Site) -> Starlette:
    """Build the application behind the guard."""
    app = Starlette(
        routes=[
            *(Route(path, partial(handle, site), methods=[method]) for method, path, handle in HANDLERS),
            Mount(f"/static/{site.static_hash}", _KeptFiles(directory=STATIC)),
        ],
        exception_handlers={KebabError: _show_error, 404: _show_missing, Exception: _show_unexpected},
    )
    app.state.site = site
    app.router.redirect_slashes = False
    return app


class _KeptFiles(StaticFiles):
    """Static files, which a browser keeps: their address has their hash."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["cache-control"] = "private, max-age=31536000, immutable"
        return response


def _show_error(request: Request, error: Exception) -> Response:
    site: Site = request.app.state.site
    words = site.words_of(request)
    if not isinstance(error, KebabError):
        raise error
    status = next((number for kind, number in _STATUS if isinstance(error, kind)), _SERVER_ERROR)
    return site.render(
        request,
        "problem_part.html" if request.url.path.startswith("/x/") else "problem.html",
        status=status,
        title=say.PROBLEM,
        message=error.message,
        hint=render_remedy(error, words),
        page=find_page(error.remedy),
    )


def _show_missing(request: Request, _error: Exception) -> Response:
    site: Site = request.app.state.site
    return site.render(request, "problem.html", status=404, title=say.NOT_FOUND, message="", hint="")


def _show_unexpected(request: Request, error: Exception) -> Response:
    site: Site = request.app.state.site
    error_id = secrets.token_hex(4)
    _logger.error("page failed", exc_info=error, extra={"error_id": error_id})
    template = "problem_part.html" if request.url.path.startswith("/x/") else "problem.html"
    return site.render(
        request, template, status=_SERVER_ERROR, title=say.UNEXPECTED, message=error_id, hint=""
    )
