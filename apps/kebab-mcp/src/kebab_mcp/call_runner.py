"""Runs calls of tools in threads, streams their progress to the client, and stops them at the end of the process.

Few calls work at once, and one that waits for a model gives its turn to another, so that calls whose model never answers keep
no search waiting.
"""

from __future__ import annotations

import asyncio
import json
import threading
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from kebab_core import WorkCancelledError
from kebab_runtime import guard_model_waits
from mcp import types

from kebab_mcp.call import Call, Report, wire_failure
from kebab_mcp.tool import AnyTool, read_arguments

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext
    from pydantic import BaseModel

    from kebab_mcp.shared_app import SharedApp

_MAX_WAITING = 8
"""Notices that wait for a slow client, at most; more are dropped, since later ones replace them."""

_LOOK_S = 0.5
"""Seconds between two checks whether the client of a request by HTTP is still there."""

_Notice = tuple[float, float | None, str]

WORKING = 4
"""Calls that work at once; each thread has a connection to the database of its own."""
WAITING = 16
"""Calls that wait for a model at once, at most."""


class CallRunner:
    """Runs calls in threads and knows which are running.

    Args:
        shared_app: Opens the knowledge base.
    """

    def __init__(self, shared_app: SharedApp) -> None:
        self._shared_app = shared_app
        self._threads = anyio.CapacityLimiter(WORKING + WAITING)
        self._turns = Turns()
        self._writing = anyio.CapacityLimiter(1)
        self._running: set[Call] = set()
        self._changed = threading.Condition()
        self._is_closed = False

    async def run(
        self, tool: AnyTool, given: Mapping[str, Any], *, context: ServerRequestContext
    ) -> types.CallToolResult:
        """Run a tool and return its result, or the error as a result.

        A request that is cancelled, or whose client is gone, is not waited for; its work stops when it next checks, and its
        wait for a model at once.
        """
        async with stream_progress(context) as report:
            # Writers have a limiter of their own, so that none keeps a reader waiting.
            limiter = self._writing if tool.is_writer else self._threads
            call = Call(self._shared_app.open, report=report)
            result = _STOPPED
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_cancel_when_gone, context.request, tasks.cancel_scope)
                try:
                    result = await anyio.to_thread.run_sync(
                        self._run_tool, tool, given, call, abandon_on_cancel=True, limiter=limiter
                    )
                finally:
                    call.cancel()
                tasks.cancel_scope.cancel()
            return result

    def end_model_waits(self) -> None:
        """Stop every call that waits for a model, now or later: its client has said all that it will."""
        self._turns.end_model_waits()

    def warm_up(self) -> None:
        """Load what the first search needs; what fails here fails again in a call, which reports it."""
        call = Call(self._shared_app.open)
        # Any error: nobody waits for this, and raising would end the server.
        with suppress(Exception), self._running_call(call):
            from kebab_core import SearchMode, SearchQuery

            call.app.search(SearchQuery(text="kebab 케밥", mode=SearchMode.LEXICAL, k=1))

    def _run_tool(self, tool: AnyTool, given: Mapping[str, Any], call: Call) -> types.CallToolResult:
        turn = nullcontext() if tool.is_writer else self._turns.turn(call)
        guard = partial(self._turns.model_wait, call, has_turn=not tool.is_writer)
        try:
            with turn, self._running_call(call), guard_model_waits(guard):
                return _result(tool.run(call, read_arguments(tool, given)), call.pictures)
        except WorkCancelledError:
            return _STOPPED
        except Exception as error:  # noqa: BLE001 - the shell's top level: every error becomes a result
            return _STOPPED if call.is_cancelled else _result(wire_failure(error), is_error=True)

    @contextmanager
    def _running_call(self, call: Call) -> Iterator[None]:
        """List a call as running while a thread works on it, so that the knowledge base stays open.

        A call that waits for its turn is not listed: one that is cancelled meanwhile never comes here.

        Raises:
            WorkCancelledError: It is cancelled already, or the runner is closed.
        """
        with self._changed:
            if self._is_closed:
                raise WorkCancelledError
            self._running.add(call)
        try:
            call.raise_if_cancelled()
            yield
        finally:
            with self._changed:
                self._running.discard(call)
                self._changed.notify_all()

    def close(self, *, within_s: float) -> None:
        """Cancel all calls and close the knowledge base, unless a call is still running after `within_s` seconds."""
        with self._changed:
            self._is_closed = True
            for call in self._running:
                call.cancel()
            if self._changed.wait_for(lambda: not self._running, timeout=within_s):
                self._shared_app.close()


_STOPPED = types.CallToolResult(
    content=[
        types.TextContent(
            type="text", text="the call was stopped: its client is gone, or its input has ended"
        )
    ],
    is_error=True,
)


async def _cancel_when_gone(request: Any, scope: anyio.CancelScope) -> None:
    """Cancel a scope once the client of a request by HTTP has closed its connection; None is no such request."""
    if request is None:
        return
    while not await request.is_disconnected():
        await anyio.sleep(_LOOK_S)
    scope.cancel()


def _result(
    value: BaseModel, pictures: Sequence[bytes] = (), *, is_error: bool = False
) -> types.CallToolResult:
    from kebab_wire import wire_json

    # Not the JSON itself, which holds control characters and line ends as escapes.
    shown = _visible_strings(json.loads(wire_json(value)))
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    images = [
        types.ImageContent(type="image", data=b64encode(png).decode("ascii"), mime_type="image/png")
        for png in pictures
    ]
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text), *images],
        structured_content=shown,
        is_error=is_error,
    )


def _visible_strings(value: Any) -> Any:
    """Return a JSON value with all its strings as `visible` shows them."""
    from kebab_text import visible

    match value:
        case str():
            return "\f".join(map(visible, value.split("\f")))  # stands between pages
        case list():
            return [_visible_strings(each) for each in value]
        case dict():
            return {key: _visible_strings(each) for key, each in value.items()}
    return value


@asynccontextmanager
async def stream_progress(context: ServerRequestContext) -> AsyncIterator[Report]:
    """Stream the progress of a call from its thread to the client, in order; never blocks the thread.

    Notices that still wait at the end of the block are sent, unless it ends with an error. Nothing is sent unless the
    request asks for progress.

    Yields:
        Receives progress, from any thread.
    """
    queue, queued = anyio.create_memory_object_stream[_Notice](_MAX_WAITING)
    loop = asyncio.get_running_loop()

    def enqueue(notice: _Notice) -> None:
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
            queue.send_nowait(notice)

    def report(progress: float, total: float | None, message: str) -> None:
        with suppress(RuntimeError):  # the loop has ended, and the process is about to
            loop.call_soon_threadsafe(enqueue, (progress, total, message))

    async def send() -> None:
        reached = -1.0
        async with queued:
            async for progress, total, message in queued:
                if progress > reached:  # the protocol wants it to rise
                    reached = progress
                    await context.session.report_progress(progress, total, message)

    async with anyio.create_task_group() as tasks, queue:
        tasks.start_soon(send)
        yield report


class Turns:
    """Hands out turns, from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._working = 0
        self._waiting: set[Call] = set()
        self._is_closed = False

    @contextmanager
    def turn(self, call: Call) -> Iterator[None]:
        """Wait for a turn, and keep it for the block but for its waits for a model.

        Raises:
            WorkCancelledError: The call was cancelled before its turn.
        """
        call.on_cancel(self._wake)
        with self._changed:
            self._changed.wait_for(lambda: call.is_cancelled or self._working < WORKING)
            call.raise_if_cancelled()
            self._working += 1
        try:
            yield
        finally:
            self._give_back()

    @contextmanager
    def model_wait(self, call: Call, stop: Callable[[], None], *, has_turn: bool) -> Iterator[None]:
        """Give the turn of a call to another while it waits for a model; afterwards it goes on at once.

        It does not wait for its turn again: it may hold a lock that those who have one wait for.

        Args:
            call: The call; its cancellation ends the wait.
            stop: Ends the wait.
            has_turn: Whether it has one.

        Raises:
            WorkCancelledError: The call was cancelled, or no call waits for a model any more.
            LockedError: Too many calls wait for models.
        """
        from kebab_core import LockedError

        with self._changed:
            if self._is_closed:
                call.cancel()
            call.raise_if_cancelled()
            if call in self._waiting:  # a wait within another, such as for the vector of a claim
                is_first = False
            elif len(self._waiting) >= WAITING:
                raise LockedError(
                    "{count} calls wait for a model already",
                    hint="call again when one of them is answered; `search` in mode lexical, `fetch` and `list` need none",
                    _count=WAITING,
                )
            else:
                is_first = True
                self._waiting.add(call)
        call.on_cancel(stop)
        if is_first and has_turn:
            self._give_back()
        try:
            yield
        finally:
            if is_first:
                with self._changed:
                    self._waiting.discard(call)
                    self._working += has_turn

    def end_model_waits(self) -> None:
        """Cancel every call that waits for a model, now or later."""
        with self._changed:
            self._is_closed = True
            waiting = tuple(self._waiting)
        for call in waiting:
            call.cancel()

    def _give_back(self) -> None:
        with self._changed:
            self._working -= 1
            self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
