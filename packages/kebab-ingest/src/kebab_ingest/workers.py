"""Worker processes that prepare files: `Workers` for many files at once, `IsolatedWorker` for single large ones.

Plain subprocesses and pipes instead of `multiprocessing`: that imports the program's main module again in every
process, which a library cannot ask of the programs that use it, and leaves processes behind when it is killed.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import cycle
from types import TracebackType
from typing import BinaryIO, Self, cast

from kebab_core import IngestFailure, InternalError, SourceEntry

from kebab_ingest.preparation import (
    Answer,
    FileTask,
    Prepare,
    Prepared,
    PreparerFactory,
    describe_memory_shortage,
)
from kebab_ingest.worker import NO_MEMORY_EXIT, READY

LARGE_FILE_BYTES = 16 * 1024 * 1024
"""Size from which on a file is prepared in a worker process even where all others are prepared here. That process holds
the file and what is in hand of it: 200 MB of text took 299 MB in all processes (2026-11-22), but a single block of many
megabytes, such as a table, takes up to two hundred times its size, and a system that runs out of memory ends the process
that takes most: not the run, then."""

_KILLED = -9
"""Exit code, as `subprocess` has it, of a process that the system ended, as it does when memory runs out."""

_AHEAD = 2
"""Tasks that a process has at once: one in work, one waiting, so that it never idles."""


class _Worker:
    """One process and the tasks that it has not answered, oldest first."""

    def __init__(self, factory: PreparerFactory) -> None:
        self._factory = factory
        self.waiting: deque[FileTask] = deque()
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kebab_ingest.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C in the terminal is for the parent to hear
        )
        self._tasks = cast("BinaryIO", self._process.stdin)  # pipes were asked for
        self._answers = cast("BinaryIO", self._process.stdout)
        self._send(self._factory)

    @property
    def pid(self) -> int:
        """The process id at the moment."""
        return self._process.pid

    def await_ready(self) -> None:
        """Wait until the process has loaded everything.

        Raises:
            InternalError: It died before.
        """
        try:
            ready = self._receive() == READY
        except EOFError as error:
            raise InternalError("a process for reading files did not start", hint="kebab doctor") from error
        if not ready:
            raise InternalError("a process for reading files speaks another language than this one")

    def submit(self, task: FileTask) -> None:
        """Hand a task over."""
        self.waiting.append(task)
        self._send(task)

    def answer(self) -> Prepared:
        """Read the result of the oldest task; a process that died over it is replaced.

        Raises:
            InternalError: The process answered with something else.
        """
        task = self.waiting.popleft()
        try:
            answer = self._receive()
        except EOFError:
            return self._replace(task)
        except MemoryError:
            self._process.kill()
            return self._replace(task)
        if not isinstance(answer, Answer):
            raise InternalError(f"a process for reading files answered with {type(answer).__name__}")
        return Prepared(task, answer.outcome, answer.ms)

    def _replace(self, task: FileTask) -> Prepared:
        code = self._process.wait()
        self._close_pipes()
        self._start()
        self.await_ready()
        for other in self.waiting:
            self._send(other)
        if _is_memory_shortage(code, task.entry):
            return Prepared(task, describe_memory_shortage(task.entry), 0)
        message = f"the process that read {task.entry.workspace_path} died (exit code {code})"
        return Prepared(task, IngestFailure(code="internal", message=message), 0)

    def _send(self, value: object) -> None:
        with suppress(BrokenPipeError):  # it died, which reading its answer shows
            pickle.dump(value, self._tasks, pickle.HIGHEST_PROTOCOL)
            self._tasks.flush()

    def _receive(self) -> object:
        try:
            return pickle.load(self._answers)  # noqa: S301 - from our own child
        except (pickle.UnpicklingError, OSError) as error:
            raise EOFError from error

    def stop(self) -> None:
        """End the process at once; files it keeps are complete or drafts that the next clean-up takes."""
        self._process.kill()
        self._process.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self._tasks, self._answers):
            with suppress(BrokenPipeError):
                pipe.close()


class Workers:
    """Worker processes that prepare files side by side; a context manager that leaves none behind.

    Args:
        factory: Makes `Prepare` in each of them.
        count: Number of processes, at least 1.
    """

    def __init__(self, factory: PreparerFactory, *, count: int) -> None:
        self._factory = factory
        self._count = count
        self._workers: list[_Worker] = []

    def __enter__(self) -> Self:
        self._workers = [_Worker(self._factory) for _ in range(self._count)]
        try:
            for worker in self._workers:
                worker.await_ready()
        except InternalError:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids at the moment."""
        return tuple(worker.pid for worker in self._workers)

    def _stop(self) -> None:
        for worker in self._workers:
            worker.stop()
        self._workers = []

    def prepare_all(self, tasks: Iterable[FileTask]) -> Iterator[Prepared]:
        """Prepare files, with the results in the order of the tasks.

        A task over which a process dies is an `IngestFailure`; the process is replaced and the others go on.

        Args:
            tasks: Taken a few at a time, as they are worked on.

        Yields:
            One result for each task.
        """
        turns = cycle(self._workers)
        asked: deque[_Worker] = deque()
        for task in tasks:
            if len(asked) >= _AHEAD * len(self._workers):
                yield asked.popleft().answer()
            worker = next(turns)
            worker.submit(task)
            asked.append(worker)
        while asked:
            yield asked.popleft().answer()


class IsolatedWorker:
    """Prepares large files in one worker process and all others in this one, which stays small; a context manager.

    Args:
        prepare: Prepares a file in this process.
        factory: Makes `Prepare` in the worker process, which is started for the first large file.
        large_bytes: Size from which on a file is large.
    """

    def __init__(
        self,
        prepare: Prepare,
        factory: PreparerFactory,
        *,
        large_bytes: int = LARGE_FILE_BYTES,
    ) -> None:
        self._prepare = prepare
        self._workers = Workers(factory, count=1)
        self._is_started = False
        self._large_bytes = large_bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_started:
            self._workers.__exit__(kind, error, trace)

    def prepare_all(self, tasks: Iterable[FileTask]) -> Iterator[Prepared]:
        """Prepare files lazily, each when its result is asked for, with the results in the order of the tasks.

        Args:
            tasks: Files of any size.

        Yields:
            One result for each.
        """
        for task in tasks:
            if task.entry.stamp.byte_len < self._large_bytes:
                yield self._prepare(task)
            else:
                yield from self._started().prepare_all([task])

    def _started(self) -> Workers:
        if not self._is_started:
            self._workers.__enter__()
            self._is_started = True
        return self._workers


def _is_memory_shortage(exit_code: int, entry: SourceEntry) -> bool:
    """Whether a process that died over a file probably did so for want of memory."""
    is_large = entry.stamp.byte_len >= LARGE_FILE_BYTES
    return exit_code == NO_MEMORY_EXIT or (exit_code == _KILLED and is_large)
