"""Carries out calls in threads, and knows which are under way."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from mcp import types

from kebab_mcp.arguments import read_arguments
from kebab_mcp.call import Call, CallCancelledError
from kebab_mcp.failure import describe_failure
from kebab_mcp.progress import ProgressRelay
from kebab_mcp.tool import AnyTool

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from pydantic import BaseModel

    from kebab_mcp.warm_app import WarmApp

_THREADS = 4
"""Calls at once; each thread has a connection to the database of its own."""


class Office:
    """Works on calls.

    Args:
        warm_app: Whence the knowledge base comes.
    """

    def __init__(self, warm_app: WarmApp) -> None:
        self._warm_app = warm_app
        self._threads = anyio.CapacityLimiter(_THREADS)
        self._writing = anyio.CapacityLimiter(1)
        self._under_way: set[Call] = set()
        self._guard = threading.Lock()
        self._is_closed = False

    async def work(
        self, tool: AnyTool, given: Mapping[str, Any], *, context: ServerRequestContext
    ) -> types.CallToolResult:
        """Return what a tool returns, or what went wrong.

        A cancelled request stops the work, soon rather than at once, and is not waited for.
        """
        async with ProgressRelay(context) as relay:
            # Writers stand in a line of their own, so that none keeps a reader waiting.
            limiter = self._writing if tool.is_writer else self._threads
            call = Call(self._warm_app.open, report=relay.tell if _wants_progress(context) else None)
            try:
                return await anyio.to_thread.run_sync(
                    self._carry_out, tool, given, call, abandon_on_cancel=True, limiter=limiter
                )
            finally:
                call.cancel()

    def warm_up(self) -> None:
        """Do now what the first search would wait for; what fails will fail again where somebody hears it."""
        call = Call(self._warm_app.open)
        # Whatever it is: nobody waits for this, and raising would end the server while it waits for its input.
        with suppress(Exception), self._under(call):
            from kebab_core import SearchMode, SearchQuery

            call.app.search(SearchQuery(text="kebab 케밥", mode=SearchMode.LEXICAL, k=1))

    def _carry_out(self, tool: AnyTool, given: Mapping[str, Any], call: Call) -> types.CallToolResult:
        try:
            with self._under(call):
                return _success(tool.run(call, read_arguments(tool, given)))
        except CallCancelledError:
            return types.CallToolResult(content=[], is_error=True)  # which is not sent
        except Exception as error:  # noqa: BLE001 - the shell's top level: every error becomes a result
            return _failure(error)

    @contextmanager
    def _under(self, call: Call) -> Iterator[None]:
        """Have a call known as under way while a thread works on it: nothing is closed beneath it then.

        Not while it waits for a thread: one that is cancelled meanwhile never comes here.

        Raises:
            CallCancelledError: It is cancelled already, or everything is closed.
        """
        with self._guard:
            if self._is_closed:
                raise CallCancelledError
            self._under_way.add(call)
        try:
            with call.in_hand():
                yield
        finally:
            call.finish()
            with self._guard:
                self._under_way.discard(call)

    def close(self, *, within_s: float) -> None:
        """Stop all work and close the knowledge base; work that is still not through by then is left to die."""
        deadline = time.monotonic() + within_s
        with self._guard:
            self._is_closed = True
            calls = list(self._under_way)
        for call in calls:
            call.cancel()
        if all(call.wait(max(0.0, deadline - time.monotonic())) for call in calls):
            self._warm_app.close()


def _wants_progress(context: ServerRequestContext) -> bool:
    return context.meta is not None and context.meta.get("progress_token") is not None


def _success(value: BaseModel) -> types.CallToolResult:
    from kebab_wire import wire_json

    text = wire_json(value)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=json.loads(text)
    )


def _failure(error: Exception) -> types.CallToolResult:
    from kebab_wire import wire_json

    # Without structured content: clients hold it against the schema of what a tool returns.
    text = wire_json(describe_failure(error))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
