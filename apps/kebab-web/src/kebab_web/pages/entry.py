"""The way in: a code becomes a cookie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_words import Phrases

import kebab_web.phrases as say
from kebab_web.site import build_url

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from kebab_web.site import Site

_FORBIDDEN = 403


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


HANDLERS = [
    ("GET", "/enter", enter),
]
