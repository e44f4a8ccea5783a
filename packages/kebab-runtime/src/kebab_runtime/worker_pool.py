"""Worker processes with limits: tasks go in, results come out in their order, and a process that dies costs one task.

Plain subprocesses and pipes instead of `multiprocessing`: that imports the program's main module again in every
process, which a library cannot ask of the programs that use it, and leaves processes behind when it is killed.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from itertools import cycle
from types import TracebackType
from typing import BinaryIO, Generic, Self, TypeVar, cast

from kebab_core import CancelToken, InternalError, KebabError, OperationTimeoutError, Remedy, StorageError

from kebab_runtime.worker_process import NO_MEMORY_EXIT, READY

_OUT_OF_CPU_TIME = -signal.SIGPROF
"""Exit code, as `subprocess` has it, of a process whose task took too much CPU time."""
_BLOCKED = -signal.SIGALRM
"""The same of one whose task was not done in its time by the clock."""
_ABORTED = -signal.SIGABRT

_AHEAD = 2
"""Tasks that a process has at once: one in work, one waiting, so that it never idles."""

_WALL_PER_CPU, _LEAST_WALL_S = 20, 60.0
"""Seconds by the clock for a second of CPU time, and for any task: a busy machine gives a process far less than a core."""

GRACE_S = 3.0
"""Seconds that all tasks that were asked for have left after a cancel."""
_POLL_S = 0.2

_BYTES_PER_MB = 1024 * 1024

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskLimits:
    """Limits of one task; past one of them its process ends and is replaced."""

    cpu_s: float | None = None
    """CPU time of the process in seconds, above 0; None is any. Work on a busy machine costs no more of it."""
    wall_s: float | None = None
    """Seconds by the clock, against a task that sleeps or is blocked; None is twenty times `cpu_s`, at least a minute."""
    memory_mb: int | None = None
    """Address space in MiB beyond what the process uses when the task begins; None is any. Only Linux holds it."""

    @property
    def wall_limit_s(self) -> float | None:
        """Seconds by the clock that hold for the task; None is any."""
        if self.wall_s is not None or self.cpu_s is None:
            return self.wall_s
        return max(self.cpu_s * _WALL_PER_CPU, _LEAST_WALL_S)


UNLIMITED = TaskLimits()


class WorkerPool(Generic[Task, Result]):
    """Worker processes side by side; a context manager that leaves none behind.

    Args:
        factory: Makes the function that carries tasks out, in each process. Picklable, as are tasks and results.
        count: Number of processes, at least 1.
        cancel: Ends the work before its end.
    """

    def __init__(
        self,
        factory: Callable[[], Callable[[Task], Result]],
        *,
        count: int,
        cancel: CancelToken | None = None,
    ) -> None:
        self._factory = factory
        self._count = count
        self._cancel = cancel or CancelToken()
        self._end: float | None = None
        """When waiting for answers ends, from a cancel on."""
        self._workers: list[_Worker[Task, Result]] = []

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

    def run_all(self, tasks: Iterable[tuple[Task, TaskLimits]]) -> Iterator[Result | KebabError]:
        """Carry tasks out.

        Args:
            tasks: With the limits of each; taken a few at a time, as they are worked on.

        Yields:
            One result for each task, in their order, or why there is none: `OperationTimeoutError` for a task that
            took more time than its limits, with `cpu_s` or `wall_s` among its details, `StorageError` for one that got not enough memory, `InternalError` with
            `exit_code` among its details for one whose process died of something else, or the error that the function
            raised, as `InternalError` where it is none of kebab. The others go on, in a new process where the old one
            is gone. After a cancel no task is begun, and nothing follows that is not there within `GRACE_S`.
        """
        turns = cycle(self._workers)
        asked: deque[_Worker[Task, Result]] = deque()
        for task, limits in tasks:
            if len(asked) >= _AHEAD * len(self._workers):
                if not self._await_answer(asked[0]):
                    return
                yield asked.popleft().answer()
            if self._cancel.is_cancelled:
                break
            worker = next(turns)
            worker.submit(task, limits)
            asked.append(worker)
        while asked and self._await_answer(asked[0]):
            yield asked.popleft().answer()

    def _await_answer(self, worker: _Worker[Task, Result]) -> bool:
        """Wait for the next answer of a process; False if the work was cancelled and there is none."""
        while not worker.has_answered(_POLL_S):
            if self._cancel.is_cancelled:
                self._end = self._end or time.monotonic() + GRACE_S
                if time.monotonic() >= self._end:
                    return False
        return True


class _Worker(Generic[Task, Result]):
    """One process and the tasks that it has not answered, oldest first."""

    def __init__(self, factory: Callable[[], Callable[[Task], Result]]) -> None:
        self._factory = factory
        self._waiting: deque[tuple[Task, TaskLimits]] = deque()
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            # -P: no module of the folder where kebab happens to be started
            [sys.executable, "-P", "-m", "kebab_runtime.worker_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            process_group=0,  # Ctrl-C in the terminal is for the parent to hear
        )
        self._tasks = cast("BinaryIO", self._process.stdin)  # pipes were asked for
        self._answers = cast("BufferedReader", self._process.stdout)
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
            raise InternalError("a worker process did not start", remedy=Remedy(kind="doctor")) from error
        if not ready:
            raise InternalError("a worker process runs another version of kebab")

    def submit(self, task: Task, limits: TaskLimits) -> None:
        """Hand a task over."""
        self._waiting.append((task, limits))
        self._send_task(task, limits)

    def _send_task(self, task: Task, limits: TaskLimits) -> None:
        memory_bytes = None if limits.memory_mb is None else limits.memory_mb * _BYTES_PER_MB
        self._send((task, limits.cpu_s, limits.wall_limit_s, memory_bytes))

    def has_answered(self, wait_s: float) -> bool:
        """Return True once an answer has begun to come, or the process has ended; False after so many seconds without either."""
        descriptor = self._answers.fileno()
        os.set_blocking(descriptor, False)
        try:
            if self._answers.peek(1):
                return True
        finally:
            os.set_blocking(descriptor, True)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(wait_s * 1000))

    def answer(self) -> Result | KebabError:
        """Read the result of the oldest task; a process that died over it is replaced.

        Raises:
            InternalError: The process answered with something else.
        """
        _, limits = self._waiting.popleft()
        try:
            answer = self._receive()
        except EOFError:
            return self._replace(limits)
        except MemoryError:
            self._process.kill()
            return self._replace(limits)
        if not isinstance(answer, tuple):
            raise InternalError("a worker process answered with {kind}", _kind=type(answer).__name__)
        return cast("Result | KebabError", answer[0])  # what the factory promises

    def _replace(self, limits: TaskLimits) -> KebabError:
        code = self._process.wait()
        self._close_pipes()
        self._start()
        self.await_ready()
        for task, limits_of_task in self._waiting:
            self._send_task(task, limits_of_task)
        return _describe_death(code, limits)

    def _send(self, value: object) -> None:
        with suppress(BrokenPipeError):  # it died, which reading its answer shows
            content = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
            pickle.dump(content, self._tasks, pickle.HIGHEST_PROTOCOL)
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


def _describe_death(exit_code: int, limits: TaskLimits) -> KebabError:
    """Build the error of a task over which its process died."""
    if exit_code == _OUT_OF_CPU_TIME and limits.cpu_s is not None:
        return OperationTimeoutError("it took more than {cpu_s:g} s of CPU time", cpu_s=limits.cpu_s)
    if exit_code == _BLOCKED and limits.wall_limit_s is not None:
        return OperationTimeoutError(
            "it was blocked, and not done after {wall_s:g} s", wall_s=limits.wall_limit_s
        )
    # Libraries in C++ and Rust abort the process where an allocation fails.
    if exit_code == NO_MEMORY_EXIT or (exit_code == _ABORTED and limits.memory_mb is not None):
        return StorageError("there is not enough memory", memory_mb=limits.memory_mb)
    return InternalError("a worker process died (exit code {exit_code})", exit_code=exit_code)
