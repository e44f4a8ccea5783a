"""The process of the server, from its start to its end."""

from __future__ import annotations

import os
import signal
from functools import partial

from kebab_mcp.opening import Opening
from kebab_mcp.process_io import take_input, take_output
from kebab_mcp.shared_app import Options, SharedApp
from kebab_mcp.tool import list_tools
from kebab_mcp.watchdog import SIGNAL_EXIT, SIGNALS, start_watchdog


def serve(options: Options) -> None:
    """Serve a knowledge base, then end the process.

    On standard input and output until the input ends: then a second process, the watchdog, ends this one where a thread
    keeps all others from running. On a port until a signal.

    Args:
        options: Which knowledge base, and how.

    Raises:
        KebabError: The port cannot be served.
    """
    shared_app = SharedApp(options)
    if options.http_port is None:
        _serve_streams(shared_app)
        return
    import anyio

    from kebab_mcp.server import KebabServer

    anyio.run(KebabServer(shared_app).run_http, options.http_port, options.start_line)


def _serve_streams(shared_app: SharedApp) -> None:
    for number in SIGNALS:
        signal.signal(number, lambda number, _frame: os._exit(SIGNAL_EXIT + number))  # nothing has begun
    start_watchdog()
    opening = Opening(take_input(), partial(list_tools, readonly=shared_app.readonly))
    output = take_output()
    try:
        goes_on = opening.answer(output)
    except OSError:  # nobody reads any more
        return
    if not goes_on:
        return
    import anyio

    from kebab_mcp.server import KebabServer

    anyio.run(KebabServer(shared_app).run, opening, output)
