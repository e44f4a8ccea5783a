"""Progress on its way from the thread that works to the client that waits."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio

if TYPE_CHECKING:
    from mcp.server import ServerRequestContext

_WAITING = 8
"""Notices that may wait for a client that is slow to read; more are dropped, since newer ones say more."""

_Notice = tuple[float, float | None, str]


class ProgressRelay:
    """Sends what a thread tells of a call to the client, in order; never keeps the thread waiting.

    Use it as an asynchronous context manager around the work.

    Args:
        context: The request; nothing is sent unless it asks for progress.
    """

    def __init__(self, context: ServerRequestContext) -> None:
        self._session = context.session
        self._loop = asyncio.get_running_loop()
        self._into, self._out = anyio.create_memory_object_stream[_Notice](_WAITING)
        self._tasks = anyio.create_task_group()

    async def __aenter__(self) -> Self:
        """Return the relay, which now sends."""
        await self._tasks.__aenter__()
        self._tasks.start_soon(self._send)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        """Return whether the error is dealt with, after sending what waits unless there is one."""
        self._into.close()
        return await self._tasks.__aexit__(kind, error, trace)

    def tell(self, progress: float, total: float | None, message: str) -> None:
        """Take a notice, from any thread."""
        with suppress(RuntimeError):  # the loop has ended, and the process is about to
            self._loop.call_soon_threadsafe(self._take, (progress, total, message))

    def _take(self, notice: _Notice) -> None:
        with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._into.send_nowait(notice)

    async def _send(self) -> None:
        reached = -1.0
        async with self._out:
            async for progress, total, message in self._out:
                if progress > reached:  # the protocol wants it to rise
                    reached = progress
                    await self._session.report_progress(progress, total, message)
