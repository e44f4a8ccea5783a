"""What stands before every request: host, origin, site, cookie and size; and the headers of every response."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kebab_runtime import own_authorities
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

if TYPE_CHECKING:
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from kebab_web.site import Site

_MAX_BODY = 64 << 10
_IDLE_S = 600.0
"""Seconds without a request after which the site rests."""
_OK, _MISDIRECTED, _FORBIDDEN, _TOO_LARGE, _LENGTH_REQUIRED = 200, 421, 403, 413, 411
_CHANGING = frozenset({"POST", "DELETE"})
_OPEN_PATHS = ("/static/", "/enter")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types kebab"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with "no-referrer" browsers send forms with the origin "null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """ASGI application that lets the browser of the user through, and nothing else.

    Args:
        app: What is behind it.
        site: The port, and who may enter.
    """

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site
        self._running = 0
        self._idle: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                # the address of a static file has its hash
                if scope["path"].startswith("/static/") and message["status"] == _OK:
                    headers["cache-control"] = "private, max-age=31536000, immutable"
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self._refuse(Request(scope)) or self._app
        self._running += 1
        if self._idle is not None:
            self._idle.cancel()
        try:
            await app(scope, receive, send_with_headers)
        except Exception:  # noqa: BLE001 - the page said so, and the log has it
            return
        finally:
            self._running -= 1
            if not self._running:
                self._idle = asyncio.get_running_loop().call_later(_IDLE_S, self._site.rest)

    def has_cookie(self, scope: Scope) -> bool:
        """Return True for a request with the cookie of the session."""
        return self._site.entrance.is_own(Request(scope).cookies.get(self._site.cookie_name))

    def _refuse(self, request: Request) -> Response | None:
        """Return what refuses a request; None lets it through."""
        headers, path = request.headers, request.scope["path"]
        own = own_authorities(self._site.port)
        origins = {f"http://{authority}" for authority in own}
        if headers.get("host") not in own:
            return PlainTextResponse("wrong host", _MISDIRECTED)
        site = headers.get("sec-fetch-site", "none")
        if ("origin" in headers and headers["origin"] not in origins) or (
            site not in {"none", "same-origin"} and path != "/enter"
        ):
            return PlainTextResponse("wrong origin", _FORBIDDEN)
        if request.method in _CHANGING and (refusal := _refuse_change(headers, path)):
            return refusal
        if not path.startswith(_OPEN_PATHS) and not self.has_cookie(request.scope):
            return self._site.render_notice(request)
        return None


def _refuse_change(headers: Headers, path: str) -> Response | None:
    """Refuse a changing request that no page of this server has sent, and one that is too large."""
    is_own = headers.get("x-kebab") == "1" if path.startswith("/x/") else "origin" in headers
    if not is_own:
        return PlainTextResponse("wrong origin", _FORBIDDEN)
    length = headers.get("content-length", "" if "transfer-encoding" in headers else "0")
    if not length.isdecimal():
        return PlainTextResponse("length required", _LENGTH_REQUIRED)
    return PlainTextResponse("too large", _TOO_LARGE) if int(length) > _MAX_BODY else None
