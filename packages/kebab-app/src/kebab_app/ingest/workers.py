"""Preparing many files at once, in processes of their own, with the answers in the order of the tasks.

Plain subprocesses and pipes instead of `multiprocessing`: that imports the program's main module again in every
process, which a library cannot ask of the programs that use it, and leaves processes behind when it is killed.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import cycle
from types import TracebackType
from typing import BinaryIO, Self, cast

from kebab_core import IngestFailure, InternalError

from kebab_app.ingest.memory import describe_shortage, is_shortage
from kebab_app.ingest.prepare import Answer, FileTask, Prepared
from kebab_app.ingest.worker import READY

PrepareFactory = Callable[[], Callable[[FileTask], Prepared]]
"""Picklable: makes the function that prepares files, in the process that calls it."""

_AHEAD = 2
"""Tasks that a process has at once: one in work, one waiting, so that it never idles."""


class _Worker:
    """One process and the tasks that it has not answered, oldest first."""

    def __init__(self, factory: PrepareFactory) -> None:
        self._factory = factory
        self.waiting: deque[FileTask] = deque()
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "kebab_app.ingest.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C in the terminal is for the parent to hear
        )
        self._tasks = cast("BinaryIO", self._process.stdin)  # there are pipes, as asked for
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
        """Return what came of the oldest task; a process that died over it is replaced.

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
        if is_shortage(code, task.entry):
            return Prepared(task, describe_shortage(task.entry), 0)
        message = f"the process that read {task.entry.workspace_path} died (exit code {code})"
        return Prepared(task, IngestFailure(code="internal", message=message), 0)

    def _send(self, value: object) -> None:
        with suppress(BrokenPipeError):  # it died; reading its answer will tell
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
    """A number of processes that prepare files; a context manager that leaves none behind.

    Args:
        factory: How they prepare.
        count: How many, at least 1.
    """

    def __init__(self, factory: PrepareFactory, *, count: int) -> None:
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
        """Yield what came of each task, in their order.

        A task over which a process dies is an `IngestFailure`; the process is replaced and the others go on.

        Args:
            tasks: Taken a few at a time, as they are worked on.

        Yields:
            One answer for each task.
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
