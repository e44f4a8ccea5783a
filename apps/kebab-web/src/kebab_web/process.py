"""The process of the page: a port, one server for a knowledge base, and a browser that is let in."""

from __future__ import annotations

import asyncio
import fcntl
import html
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kebab_app import App, SystemClock, configure_logging
from kebab_config import is_readonly, load_settings, read_environment
from kebab_core import StorageError
from kebab_runtime import bind_port, build_http_server

from kebab_web.entrance import Entrance, write_private
from kebab_web.guard import Guard
from kebab_web.options import DEFAULT_PORT, Options
from kebab_web.server import build_app
from kebab_web.site import Site

if TYPE_CHECKING:
    from kebab_words import Words

_PORTS = 20
"""Ports that are tried, from the default one on."""
_MAX_CONNECTIONS = 64


def serve(options: Options, words: Words) -> None:
    """Serve the page until a signal; where another process does already, let a browser in there.

    Args:
        options: Which knowledge base, and how.
        words: The language of the terminal.

    Raises:
        ConfigInvalidError: The configuration does not load.
        StorageError: The port or a file cannot be used.
    """
    environ = read_environment()
    loaded = load_settings(config_path=options.config, environ=environ, overrides={})
    readonly = options.readonly or is_readonly(environ)
    folder = loaded.paths.state_dir
    entrance = Entrance(folder, SystemClock())
    try:
        lock = _take_lock(folder)
        if lock is None:
            _let_in(entrance, folder, port=_read_port(folder), options=options, words=words)
            return
        if not readonly:
            configure_logging(loaded.settings.logging, loaded.paths.log_dir, debug=options.debug)

        def open_app() -> App:
            current = load_settings(config_path=options.config, environ=environ, overrides={})
            return App(current, readonly=readonly, files=False)

        site = Site(
            open_app,
            entrance,
            language=_configured_language(environ.get("KEBAB_LANG", "")),
            config_path=options.config,
        )
        asyncio.run(_run(site, folder, options=options, words=words))
    except OSError as error:
        raise StorageError(
            "{path}: {reason}", _path=str(error.filename or folder), _reason=error.strerror or str(error)
        ) from error


async def _run(site: Site, folder: Path, *, options: Options, words: Words) -> None:
    socket, port = await _bind(options.port)
    site.port = port
    write_private(folder / "web-port", str(port))
    _let_in(site.entrance, folder, port=port, options=options, words=words)
    guard = Guard(build_app(site), site)
    server = build_http_server(guard, is_allowed=guard.has_cookie, max_connections=_MAX_CONNECTIONS)
    try:
        await server.serve(sockets=[socket])
    finally:
        site.stop()


async def _bind(port: int | None) -> tuple[Any, int]:
    if port is not None:
        return await bind_port("127.0.0.1", port)
    for each in range(DEFAULT_PORT, DEFAULT_PORT + _PORTS - 1):
        with suppress(StorageError):
            return await bind_port("127.0.0.1", each)
    return await bind_port("127.0.0.1", DEFAULT_PORT + _PORTS - 1)


def _let_in(entrance: Entrance, folder: Path, *, port: int, options: Options, words: Words) -> None:
    """Print the address with a new code, and open it in a browser.

    The browser gets a file that leads there: its command line can be read by others.
    """
    url = f"http://127.0.0.1:{port}/enter?code={entrance.make_code()}"
    print(words.tr("kebab is at {url}", url=url), flush=True)  # noqa: T201 - whoever started the server reads it
    print(words.tr("the address is valid once, for a minute; `kebab web` prints a new one"), flush=True)  # noqa: T201
    if options.opens_browser:
        path = folder / "web-open.html"
        write_private(path, f'<!doctype html><meta http-equiv="refresh" content="0;url={html.escape(url)}">')
        with suppress(webbrowser.Error):
            webbrowser.open(path.as_uri())


def _take_lock(folder: Path) -> object | None:
    """Take the lock of the server, which is held until it is closed; None where another process holds it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = (folder / "web-lock").open("w", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _read_port(folder: Path) -> int:
    """Read the port of the server that is running.

    Raises:
        StorageError: It is still starting.
    """
    try:
        return int((folder / "web-port").read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise StorageError("another `kebab web` is starting; try again") from error


def _configured_language(name: str) -> str | None:
    """The language that the user has set for kebab; None leaves it to the browser."""
    from kebab_config import choose_language

    return choose_language({"KEBAB_LANG": name}) if name else None
