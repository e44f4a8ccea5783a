"""The server: its instructions, the listing and calling of tools, and the connection from start to end."""

from __future__ import annotations

from importlib.metadata import version
from typing import cast

import anyio
import anyio.to_thread
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from kebab_mcp.call_runner import CallRunner
from kebab_mcp.lifetime import end_process, leave_on_signal, leave_without_parent, start_watchdog
from kebab_mcp.shared_app import Options, SharedApp
from kebab_mcp.shutdown_drain import track_streams
from kebab_mcp.stdio import take_input, take_output
from kebab_mcp.tool import READERS, WRITERS, define, load_tool, offered_tools

INSTRUCTIONS = (
    "kebab searches the user's own documents on this machine, in Korean and English. Look here before answering "
    "from memory about their notes, projects or decisions. `search` finds passages to read and compare; `ask` "
    "answers one question or refuses; `fetch` opens what a hit names. Cite as path#at. An empty or incomplete "
    "result says why: do not fill the gap."
)
"""Text that a client gives its model once."""

_GRACE_S = 1.5
"""Seconds that cancelled work may take to stop; clients kill a server after 2 s."""
_LAST_ANSWERS_S = 120.0
"""Seconds that pending requests may take after the end of the input, while the output is still read."""


class KebabServer:
    """One knowledge base, served to one client.

    Args:
        options: Which one, and how it is served.
    """

    def __init__(self, options: Options) -> None:
        self._shared_app = SharedApp(options)
        self._runner = CallRunner(self._shared_app)
        self._listed = anyio.Event()

    async def run(self) -> None:
        """Serve standard input and output; ends the process when the input has ended and its requests are answered."""
        server = Server(
            "kebab",
            version=version("kebab-mcp"),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        leave_on_signal(self._leave)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(leave_without_parent, self._leave)
            tasks.start_soon(self._warm_up)
            given, output = take_input(), take_output()
            try:
                async with stdio_server(
                    stdin=cast("anyio.AsyncFile[str]", given), stdout=cast("anyio.AsyncFile[str]", output)
                ) as streams:
                    await server.run(
                        *track_streams(
                            *streams, lines=given.lines, output=output.descriptor, within_s=_LAST_ANSWERS_S
                        ),
                        server.create_initialization_options(),
                    )
            finally:
                self._leave(0)

    async def _list_tools(
        self, _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        tools = [
            define(tool, readonly=self._shared_app.readonly)
            for tool in offered_tools(readonly=self._shared_app.readonly)
        ]
        self._listed.set()
        return types.ListToolsResult(tools=tools)

    async def _call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in READERS + WRITERS:
            there = ", ".join(READERS if self._shared_app.readonly else READERS + WRITERS)
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"there is no tool {params.name!r}; there are {there}"
            )
        return await self._runner.run(load_tool(params.name), params.arguments or {}, context=context)

    async def _warm_up(self) -> None:
        """Open the knowledge base once the client has listed the tools, so that its first call does not wait for it."""
        await self._listed.wait()
        await anyio.to_thread.run_sync(self._runner.warm_up, abandon_on_cancel=True)

    def _leave(self, code: int) -> None:
        self._runner.close(within_s=_GRACE_S)
        end_process(code)


def serve(options: Options) -> None:
    """Serve a knowledge base on standard input and output until the input ends, then end the process.

    A second process, the watchdog, ends this one where a thread keeps all others from running.

    Args:
        options: Which knowledge base, and how.
    """
    start_watchdog(last_answers_s=_LAST_ANSWERS_S + _GRACE_S)
    anyio.run(KebabServer(options).run)
