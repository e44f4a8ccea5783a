"""The server: its instructions, the listing and calling of tools, its connection and its process from start to end."""

from __future__ import annotations

import math
import os
import select
import signal
import sys
import time
from contextlib import suppress
from importlib.metadata import version

import anyio
import anyio.to_thread
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext

from kebab_mcp.call_runner import CallRunner
from kebab_mcp.shared_app import Options, SharedApp
from kebab_mcp.stdio import open_streams
from kebab_mcp.tool import READERS, UNLISTED, WRITERS, define, load_tool, offered_tools

INSTRUCTIONS = (
    "kebab searches the user's own documents on this machine, in Korean and English. Look here before answering "
    "from memory about their notes, projects or decisions. `search` finds passages to read and compare; `ask` "
    "answers one question or refuses; `fetch` opens its address. Cite the address. An empty or incomplete "
    "result says why: do not fill the gap."
)
"""Text that a client gives its model once."""

_GRACE_S = 1.5
"""Seconds that cancelled work may take to stop; clients kill a server after 2 s."""
_LAST_ANSWERS_S = 30.0
"""Seconds that pending requests may take after the end of the input, while the output is still read; none waits for a model."""
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that ask the server to end."""
_KILL_AFTER_S = 4.0
"""Seconds that the server has to end by itself; more than it gives running calls."""
_LOOK_S = 2.0
"""Seconds between two checks of the parent process, whose death ends the input too unless another process holds it open."""
_INPUT, _OUTPUT = 0, 1
_MOST_SIGNALS = 64
_MOST_DESCRIPTORS = 1 << 16
_SIGNAL_EXIT = 128
"""Exit code after a signal, less the number of the signal."""


class KebabServer:
    """One knowledge base, served to one client.

    Args:
        options: Which one, and how it is served.
    """

    def __init__(self, options: Options) -> None:
        self._shared_app = SharedApp(options)
        self._start_line = options.start_line
        self._runner = CallRunner(self._shared_app)
        self._listed = anyio.Event()

    async def run(self) -> None:
        """Serve standard input and output; ends the process when the input has ended and its requests are answered."""
        server = self._build()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._leave_without_parent)
            tasks.start_soon(self._warm_up)
            try:
                streams_of_process = open_streams(
                    within_s=_LAST_ANSWERS_S, on_end=self._runner.end_model_waits
                )
                async with streams_of_process as streams:
                    await server.run(*streams, server.create_initialization_options())
            finally:
                self._leave(0)

    async def run_http(self, port: int) -> None:
        """Serve a port until a signal asks to end, then end the process.

        Args:
            port: 0 takes a free one.

        Raises:
            ConfigInvalidError: The configuration does not allow it, or does not validate.
            StorageError: The port or the file of the token cannot be used.
        """
        from kebab_mcp.http import bind_http

        loaded = self._shared_app.load()
        http = await bind_http(loaded.settings.mcp, port=port, state_dir=loaded.paths.state_dir)
        server = self._build()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._warm_up)
            try:
                await http.serve(server, start_line=self._start_line)
            finally:
                self._leave(0)

    def _build(self) -> Server:
        """Build the server of the protocol, and handle signals."""
        for number in SIGNALS:
            signal.signal(number, lambda number, _frame: self._leave(_SIGNAL_EXIT + number))
        return Server(
            "kebab",
            version=version("kebab-mcp"),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def _list_tools(
        self, _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        tools = [define(tool) for tool in offered_tools(readonly=self._shared_app.readonly)]
        self._listed.set()
        return types.ListToolsResult(tools=tools)

    async def _call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in READERS + WRITERS + UNLISTED:
            there = ", ".join(READERS if self._shared_app.readonly else READERS + WRITERS)
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"there is no tool {params.name!r}; there are {there}"
            )
        return await self._runner.run(load_tool(params.name), params.arguments or {}, context=context)

    async def _warm_up(self) -> None:
        """Open the knowledge base once the client has listed the tools, so that its first call does not wait for it."""
        await self._listed.wait()
        await anyio.to_thread.run_sync(self._runner.warm_up, abandon_on_cancel=True)

    async def _leave_without_parent(self) -> None:
        """Wait for the parent to end, and end too; where the parent is the system's first process, never."""
        parent = os.getppid()
        while parent != 1:
            await anyio.sleep(_LOOK_S)
            if os.getppid() != parent:
                self._leave(0)

    def _leave(self, code: int) -> None:
        """Close the knowledge base and end the process now: a thread that waits for input or a model would keep it."""
        self._runner.close(within_s=_GRACE_S)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def serve(options: Options) -> None:
    """Serve a knowledge base, then end the process.

    On standard input and output until the input ends: then a second process, the watchdog, ends this one where a thread
    keeps all others from running. On a port until a signal.

    Args:
        options: Which knowledge base, and how.

    Raises:
        KebabError: The port cannot be served.
    """
    if options.http_port is not None:
        anyio.run(KebabServer(options).run_http, options.http_port)
    start_watchdog(last_answers_s=_LAST_ANSWERS_S + _GRACE_S)
    anyio.run(KebabServer(options).run)


def start_watchdog(*, last_answers_s: float) -> None:
    """Fork the watchdog of this process; to be called in the main thread, before there are others.

    The watchdog kills this process where it has not ended soon after a signal, after the end of its parent, or, later,
    after the end of its input. A thread that is deep in a library and holds Python's global lock keeps every other thread
    from running, signal handlers included; the wakeup descriptor is written by the interpreter's handler in C, which needs
    no lock. Nothing is lost: what kebab stores survives a kill at any moment.

    Args:
        last_answers_s: How long the server may go on after the end of its input.
    """
    server, parent = os.getpid(), os.getppid()
    heard, wakeup = os.pipe()
    if os.fork() == 0:
        try:
            _prepare(keep=heard)
            _watch(server, parent, heard, last_answers_s=last_answers_s)
        finally:
            os._exit(0)
    os.close(heard)
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)


def _prepare(*, keep: int) -> None:
    """Close descriptors of the server, except input and output, and ignore signals that are sent to the group."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.close(2)
    os.closerange(3, keep)
    os.closerange(keep + 1, _MOST_DESCRIPTORS)


def _watch(server: int, parent: int, heard: int, *, last_answers_s: float) -> None:
    """Wait for the server to end, and kill it where it should have ended."""
    poll = select.poll()
    poll.register(heard, select.POLLIN)
    poll.register(_INPUT, 0)  # for its end alone
    os.set_blocking(heard, False)
    deadline = math.inf
    while (left := deadline - time.monotonic()) > 0 and os.getppid() == server:
        events = dict(poll.poll(min(left, _LOOK_S) * 1000))
        if heard in events and not os.read(heard, _MOST_SIGNALS):
            return  # the server has ended
        if heard in events or _OUTPUT in events or not _is_alive(parent):
            deadline = min(deadline, time.monotonic() + _KILL_AFTER_S)
        if _INPUT in events:
            deadline = min(deadline, time.monotonic() + last_answers_s + _KILL_AFTER_S)
            poll.register(_OUTPUT, 0)  # for the end of the reader
        for descriptor in events.keys() - {heard}:
            poll.unregister(descriptor)
    if os.getppid() == server:
        os.kill(server, signal.SIGKILL)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # of another user
        return True
    return True
