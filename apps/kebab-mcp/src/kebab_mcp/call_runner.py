"""Runs calls of tools in threads, streams their progress to the client, and stops them at the end of the process."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio
import anyio.to_thread
from mcp import types

from kebab_mcp.call import Call, CallCancelledError, wire_failure
from kebab_mcp.tool import AnyTool, read_arguments

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from pydantic import BaseModel

    from kebab_mcp.shared_app import SharedApp


_THREADS = 4
"""Calls at once; each thread has a connection to the database of its own."""
_MAX_WAITING = 8
"""Notices that wait for a slow client, at most; more are dropped, since later ones replace them."""

_Notice = tuple[float, float | None, str]


class CallRunner:
    """Runs calls in threads and knows which are running.

    Args:
        shared_app: Opens the knowledge base.
    """

    def __init__(self, shared_app: SharedApp) -> None:
        self._shared_app = shared_app
        self._threads = anyio.CapacityLimiter(_THREADS)
        self._writing = anyio.CapacityLimiter(1)
        self._running: set[Call] = set()
        self._guard = threading.Lock()
        self._is_closed = False

    async def run(
        self, tool: AnyTool, given: Mapping[str, Any], *, context: ServerRequestContext
    ) -> types.CallToolResult:
        """Run a tool and return its result, or the error as a result.

        A cancelled request is not waited for; its work stops when it next checks.
        """
        async with ProgressStream(context) as progress:
            # Writers have a limiter of their own, so that none keeps a reader waiting.
            limiter = self._writing if tool.is_writer else self._threads
            call = Call(self._shared_app.open, report=progress.send if _wants_progress(context) else None)
            try:
                return await anyio.to_thread.run_sync(
                    self._run_tool, tool, given, call, abandon_on_cancel=True, limiter=limiter
                )
            finally:
                call.cancel()

    def warm_up(self) -> None:
        """Load what the first search needs; what fails here fails again in a call, which reports it."""
        call = Call(self._shared_app.open)
        # Any error: nobody waits for this, and raising would end the server.
        with suppress(Exception), self._running_call(call):
            from kebab_core import SearchMode, SearchQuery

            call.app.search(SearchQuery(text="kebab 케밥", mode=SearchMode.LEXICAL, k=1))

    def _run_tool(self, tool: AnyTool, given: Mapping[str, Any], call: Call) -> types.CallToolResult:
        try:
            with self._running_call(call):
                return _success(tool.run(call, read_arguments(tool, given)))
        except CallCancelledError:
            return types.CallToolResult(content=[], is_error=True)  # which is not sent
        except Exception as error:  # noqa: BLE001 - the shell's top level: every error becomes a result
            return _failure(error)

    @contextmanager
    def _running_call(self, call: Call) -> Iterator[None]:
        """List a call as running while a thread works on it, so that the knowledge base stays open.

        A call that waits for a thread is not listed: one that is cancelled meanwhile never comes here.

        Raises:
            CallCancelledError: It is cancelled already, or the runner is closed.
        """
        with self._guard:
            if self._is_closed:
                raise CallCancelledError
            self._running.add(call)
        try:
            with call.active():
                yield
        finally:
            call.finish()
            with self._guard:
                self._running.discard(call)

    def close(self, *, within_s: float) -> None:
        """Cancel all calls and close the knowledge base, unless a call is still running after `within_s` seconds."""
        deadline = time.monotonic() + within_s
        with self._guard:
            self._is_closed = True
            calls = list(self._running)
        for call in calls:
            call.cancel()
        if all(call.wait(max(0.0, deadline - time.monotonic())) for call in calls):
            self._shared_app.close()


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

    # Without structured content, which clients validate against the tool's output schema.
    text = wire_json(wire_failure(error))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


class ProgressStream:
    """Streams the progress of a call from its thread to the client, in order; never blocks the thread.

    Use it as an asynchronous context manager around the work.

    Args:
        context: The request; nothing is sent unless it asks for progress.
    """

    def __init__(self, context: ServerRequestContext) -> None:
        self._session = context.session
        self._loop = asyncio.get_running_loop()
        self._into, self._out = anyio.create_memory_object_stream[_Notice](_MAX_WAITING)
        self._tasks = anyio.create_task_group()

    async def __aenter__(self) -> Self:
        """Start sending."""
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._send_queued)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Send the waiting notices, unless there is an error."""
        self._into.close()
        return await self._tasks.__aexit__(kind, error, trace)

    def send(self, progress: float, total: float | None, message: str) -> None:
        """Queue a notice; from any thread."""
        with suppress(RuntimeError):  # the loop has ended, and the process is about to
            self._loop.call_soon_threadsafe(self._queue, (progress, total, message))

    def _queue(self, notice: _Notice) -> None:
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._into.send_nowait(notice)

    async def _send_queued(self) -> None:
        reached = -1.0
        async with self._out:
            async for progress, total, message in self._out:
                if progress > reached:  # the protocol wants it to rise
                    reached = progress
                    await self._session.report_progress(progress, total, message)
