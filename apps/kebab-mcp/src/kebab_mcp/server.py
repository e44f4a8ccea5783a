"""The server of the protocol: the listing and calling of tools, its connection and its end."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

import anyio
import anyio.to_thread
from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext

from kebab_mcp.call_runner import CallRunner
from kebab_mcp.opening import INSTRUCTIONS, NAME, Opening, find_version
from kebab_mcp.process_io import Output
from kebab_mcp.shared_app import SharedApp
from kebab_mcp.stdio import open_streams
from kebab_mcp.tool import READERS, UNLISTED, WRITERS, list_tools, load_tool
from kebab_mcp.watchdog import GRACE_S, LAST_ANSWERS_S, LOOK_S, SIGNAL_EXIT, SIGNALS


class KebabServer:
    """One knowledge base, served to one client.

    Args:
        shared_app: Opens it.
    """

    def __init__(self, shared_app: SharedApp) -> None:
        self._shared_app = shared_app
        self._runner = CallRunner(self._shared_app)
        self._listed = anyio.Event()

    async def run(self, opening: Opening, output: Output) -> None:
        """Serve standard input and output; ends the process when the input has ended and its requests are answered.

        Args:
            opening: The input, and what was read of it.
            output: The output.
        """
        server = self._build()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._leave_without_parent)
            tasks.start_soon(self._warm_up)
            try:
                streams_of_process = open_streams(
                    opening, output, within_s=LAST_ANSWERS_S, on_end=self._runner.end_model_waits
                )
                async with streams_of_process as streams:
                    await server.run(*streams, server.create_initialization_options())
            finally:
                self._leave(0)

    async def run_http(self, port: int, start_line: str) -> None:
        """Serve a port until a signal asks to end, then end the process.

        Args:
            port: 0 takes a free one.
            start_line: Printed once it is served.

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
                await http.serve(server, start_line=start_line)
            finally:
                self._leave(0)

    def _build(self) -> Server:
        """Build the server of the protocol, and handle signals."""
        for number in SIGNALS:
            signal.signal(number, lambda number, _frame: self._leave(SIGNAL_EXIT + number))
        return Server(
            NAME,
            version=find_version(),
            instructions=INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )

    async def _list_tools(
        self, _context: ServerRequestContext, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        self._listed.set()
        return types.ListToolsResult.model_validate({"tools": list_tools(readonly=self._shared_app.readonly)})

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
            await anyio.sleep(LOOK_S)
            if os.getppid() != parent:
                self._leave(0)

    def _leave(self, code: int) -> None:
        """Close the knowledge base and end the process now: a thread that waits for input or a model would keep it."""
        self._runner.close(within_s=GRACE_S)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
