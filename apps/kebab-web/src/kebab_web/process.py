"""The process of the page: a port, one server for a knowledge base, a browser that is let in, and links of the scheme `kebab:`."""

from __future__ import annotations

import asyncio
import fcntl
import html
import webbrowser
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlencode

from kebab_config import choose_language, is_readonly, load_settings, read_environment
from kebab_core import InvalidInputError, StorageError
from kebab_runtime import bind_port, build_http_server

from kebab_web.entrance import Entrance, write_private
from kebab_web.options import DEFAULT_PORT

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_config import LoadedSettings
    from kebab_words import Words

    from kebab_web.options import Options
    from kebab_web.site import Site

_PORTS = 20
"""Ports that are tried, from the default one on."""
_MAX_CONNECTIONS = 64
_PORT = "web-port"
"""File with the port of the server."""

SCHEME = "kebab"
_MAX_LENGTH = 8192
_PARAMETERS = {"open": ("a", "d"), "search": ("q", "q")}
"""By what a link does: its parameter, and that of the page."""


def serve(options: Options, words: Words) -> None:
    """Serve the page until a signal; where another process does already, let a browser in there.

    Args:
        options: Which knowledge base, and how.
        words: The language of the terminal.

    Raises:
        ConfigInvalidError: The configuration does not load.
        InvalidInputError: The link is none of kebab.
        ReadonlyModeError: Files are to be read as they are saved, and writing is switched off.
        StorageError: The port or a file cannot be used.
    """
    if options.is_demo:
        from kebab_app import open_demo

        with open_demo() as demo:
            _serve(options, words, demo.loaded)
    else:
        loaded = load_settings(config_path=options.config, environ=read_environment(), overrides={})
        _serve(options, words, loaded)


def _serve(options: Options, words: Words, loaded: LoadedSettings) -> None:
    from kebab_app import SystemClock

    folder = loaded.paths.state_dir
    browser = _Browser(folder, Entrance(folder, SystemClock()), options, words, parse_link(options.link))
    try:
        starting = _take_lock(folder / "web-starting", waits=True)
        lock = _take_lock(folder / "web-lock")
        if lock is not None:
            asyncio.run(_run(_open_site(browser, loaded), browser, starting))
            return
        if options.port is not None or options.watches:
            said = words.tr(
                "a page of this knowledge base is open already; its port and --watch stay as they are"
            )
            _say(said)
        browser.let_in(int((folder / _PORT).read_text(encoding="ascii")))
    except OSError as error:
        raise StorageError(
            "{path}: {reason}", _path=str(error.filename or folder), _reason=error.strerror or str(error)
        ) from error


def _open_site(browser: _Browser, loaded: LoadedSettings) -> Site:
    from kebab_app import App, configure_logging

    from kebab_web.site import Site

    environ, options = read_environment(), browser.options
    readonly = not options.is_demo and (options.readonly or is_readonly(environ))
    if not (readonly or options.is_demo):
        configure_logging(loaded.settings.logging, loaded.paths.log_dir, debug=options.debug)
    language = choose_language(environ) if environ.get("KEBAB_LANG") else None
    site = Site(App(loaded, readonly=readonly, files=False), browser.entrance, options, language=language)
    if options.is_demo or (options.watches and site.app.base.is_set_up):
        site.work.start(site.app, follow=options.watches)
    return site


class _Browser(NamedTuple):
    """The browser that a start lets in."""

    folder: Path
    """Folder with the files of the server."""
    entrance: Entrance
    options: Options
    words: Words
    shown: dict[str, str]
    """Parameters of the first page."""

    def let_in(self, port: int) -> None:
        """Print the address with a new code, and open it in a browser.

        The browser gets a file that leads there: its command line can be read by others.
        """
        query = urlencode({"code": self.entrance.make_code(), **self.shown})
        url = f"http://127.0.0.1:{port}/enter?{query}"
        _say(self.words.tr("kebab is at {url}", url=url))
        _say(self.words.tr("the address is valid once, for a minute; `kebab web` prints a new one"))
        if self.options.opens_browser:
            path, target = self.folder / "web-open.html", html.escape(url)
            write_private(path, f'<!doctype html><meta http-equiv="refresh" content="0;url={target}">')
            with suppress(webbrowser.Error):
                webbrowser.open(path.as_uri())


async def _run(site: Site, browser: _Browser, starting: IO[str] | None) -> None:
    from kebab_web.guard import Guard
    from kebab_web.server import build_app

    try:
        socket, site.port = await _bind(browser.options.port)
        write_private(browser.folder / _PORT, str(site.port))
        if starting is not None:
            starting.close()
        browser.let_in(site.port)
        guard = Guard(build_app(site), site)
        server = build_http_server(guard, is_allowed=guard.has_cookie, max_connections=_MAX_CONNECTIONS)
        await server.serve(sockets=[socket])
    finally:
        site.stop()


async def _bind(port: int | None) -> tuple[Any, int]:
    if port is not None:
        return await bind_port("127.0.0.1", port)
    last = DEFAULT_PORT + _PORTS - 1
    for each in range(DEFAULT_PORT, last):
        with suppress(StorageError):
            return await bind_port("127.0.0.1", each)
    return await bind_port("127.0.0.1", last)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - whoever started the server reads it


def _take_lock(path: Path, *, waits: bool = False) -> IO[str] | None:
    """Take a lock, which is held until it is closed and ends with the process, however that ends; None where another holds it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = path.open("w", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def parse_link(link: str) -> dict[str, str]:
    """Return the parameters of the page that a link leads to; none for an empty one.

    Args:
        link: `kebab://open?a=ADDRESS` or `kebab://search?q=WORDS`, percent-encoded or not.

    Raises:
        InvalidInputError: It is none of these, too long, or has a control character.
    """
    if not link:
        return {}
    head, _, rest = link.partition("?")
    scheme, _, action = head.partition("://")
    given, taken = _PARAMETERS.get(action.strip("/").lower(), ("", ""))
    value = parse_qs(rest.replace("+", "%2B")).get(given, [""])[0] if len(link) <= _MAX_LENGTH else ""
    if scheme.lower() != SCHEME or not value.strip() or not value.isprintable():
        raise InvalidInputError(
            "a link is kebab://open?a=ADDRESS or kebab://search?q=WORDS, of {limit} characters at most",
            limit=_MAX_LENGTH,
        )
    return {taken: value.strip()}
