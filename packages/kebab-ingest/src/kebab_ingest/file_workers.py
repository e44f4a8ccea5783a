"""Worker processes that prepare files: `Workers` for many at once, `IsolatedWorker` for large and risky ones.

The processes themselves are those of `kebab_runtime`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from kebab_core import (
    BUCKET_SOURCE,
    CancelToken,
    IngestFailure,
    KebabError,
    Message,
    OperationTimeoutError,
    Remedy,
    SourceEntry,
    StorageError,
)
from kebab_runtime import UNLIMITED, Result, Task, TaskLimits, WorkerPool

from kebab_ingest.preparation import (
    FilePreparer,
    FileTask,
    Outcome,
    Prepare,
    Prepared,
    PreparerFactory,
    describe_memory_shortage,
)

if TYPE_CHECKING:
    from kebab_runtime import RayPool

    from kebab_ingest.resources import ClusterResources

LARGE_FILE_BYTES = 16 * 1024 * 1024
"""Size from which on a file is prepared in a worker process even where all others are prepared here. That process holds
the file and what is in hand of it: 200 MB of text took 299 MB in all processes (2026-11-22), but a single block of many
megabytes, such as a table, takes up to two hundred times its size, and a system that runs out of memory ends the process
that takes most: not the run, then."""

_KILLED = -9
"""Exit code, as `subprocess` has it, of a process that the system ended, as it does when memory runs out."""

Rescue = Callable[[FileTask, IngestFailure], Prepared | None]
"""Prepares a file in this process that a worker process could not prepare; None where nothing can."""


def _never(*_: object) -> None:
    return None


@dataclass(frozen=True, slots=True)
class WorkerReply:
    """Result of one task as a worker process sends it: the parent has the task."""

    outcome: Outcome
    ms: int | None
    steps: tuple[tuple[str, int], ...] = ()
    attached: tuple[Prepared, ...] = ()
    written: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FileCarrier:
    """Reads files for workers that do not reach them, and writes for those that do not reach the data folder."""

    preparer: FilePreparer
    """Reads them as it does for files that it prepares itself."""
    cluster: ClusterResources

    def load(self, task: FileTask) -> FileTask:
        """Return a task with its file; buckets are reached from everywhere."""
        if task.source.kind == BUCKET_SOURCE and task.asset is None:
            return task
        try:
            return replace(task, file=self.preparer.read(task))
        except KebabError as error:
            return replace(task, file=error)

    def unload(self, reply: WorkerReply) -> None:
        """Write what came with a reply.

        Raises:
            StorageError: It cannot be written.
        """
        for place, content in reply.written.items():
            self.cluster.write(place, content)


def make_pool(
    factory: Callable[[], Callable[[Task], Result]],
    *,
    count: int,
    cluster: str | None = None,
    cancel: CancelToken | None = None,
) -> WorkerPool[Task, Result] | RayPool[Task, Result]:
    """Make a pool; nothing is started before it is entered.

    Args:
        factory: As of `WorkerPool`.
        count: Number of processes on this machine.
        cluster: Address of the cluster that the pool is on, as of `RayPool`; None is this machine.
        cancel: Ends the work before its end.
    """
    if cluster is None:
        return WorkerPool(factory, count=count, cancel=cancel)
    from kebab_runtime import RayPool

    return RayPool(factory, address=cluster, cancel=cancel)


class Workers:
    """Worker processes that prepare files side by side; a context manager that leaves none behind.

    Args:
        factory: Makes `Prepare` in each of them.
        count: Number of processes, at least 1.
        limits: Limits of risky files.
        rescue: Prepares in another way what fails.
        cluster: Address of the cluster that the processes are on; None is this machine.
        carrier: For processes elsewhere; None where they reach the files and the data folder.
    """

    def __init__(
        self,
        factory: PreparerFactory,
        *,
        count: int,
        limits: TaskLimits = UNLIMITED,
        rescue: Rescue = _never,
        cluster: str | None = None,
        carrier: FileCarrier | None = None,
    ) -> None:
        self._limits = limits
        self._rescue = rescue
        self._carrier = carrier
        self.pool = make_pool(_ReplyFactory(factory), count=count, cluster=cluster)
        """The processes."""

    def __enter__(self) -> Self:
        self.pool.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pool.__exit__(kind, error, trace)

    def prepare_all(self, tasks: Iterable[FileTask]) -> Iterator[Prepared]:
        """Prepare files, with the results in the order of the tasks.

        A file past its limits, or over which a process dies, is an `IngestFailure`; the process is replaced and the
        others go on.

        Args:
            tasks: Taken a few at a time, as they are worked on.

        Yields:
            One result for each task.
        """
        taken: deque[FileTask] = deque()

        def take() -> Iterator[tuple[FileTask, TaskLimits]]:
            for task in tasks:
                taken.append(task)
                loaded = task if self._carrier is None else self._carrier.load(task)
                yield loaded, self._limits if task.is_risky else UNLIMITED

        for reply in self.pool.run_all(take()):
            task = taken.popleft()
            if isinstance(reply, WorkerReply):
                if self._carrier is not None:
                    self._carrier.unload(reply)
                yield Prepared(task, reply.outcome, reply.ms, reply.steps, reply.attached)
            else:
                failure = _describe_failure(task.entry, reply)
                yield self._rescue(task, failure) or Prepared(task, failure, None)


@dataclass(frozen=True, slots=True)
class _ReplyFactory:
    """Makes the function that prepares a file for `WorkerReply`."""

    factory: PreparerFactory

    def __call__(self) -> Callable[[FileTask], WorkerReply]:
        prepare = self.factory()

        def reply(task: FileTask) -> WorkerReply:
            prepared = prepare(task)
            return WorkerReply(
                prepared.outcome, prepared.ms, prepared.steps, prepared.attached, prepared.written
            )

        return reply


class IsolatedWorker:
    """Prepares large and risky files in one worker process and all others in this one; a context manager.

    Args:
        prepare: Prepares a file in this process.
        factory: Makes `Prepare` in the worker process, which is started for the first such file.
        large_bytes: Size from which on a file is large.
        limits: Limits of risky files.
        rescue: Prepares in another way what fails in the worker process.
    """

    def __init__(
        self,
        prepare: Prepare,
        factory: PreparerFactory,
        *,
        large_bytes: int = LARGE_FILE_BYTES,
        limits: TaskLimits = UNLIMITED,
        rescue: Rescue = _never,
    ) -> None:
        self._prepare = prepare
        self._workers = Workers(factory, count=1, limits=limits, rescue=rescue)
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
            if task.entry.stamp.byte_len < self._large_bytes and not task.is_risky:
                yield self._prepare(task)
            else:
                yield from self._started().prepare_all([task])

    def _started(self) -> Workers:
        if not self._is_started:
            self._workers.__enter__()
            self._is_started = True
        return self._workers


def _describe_failure(entry: SourceEntry, error: KebabError) -> IngestFailure:
    """Build the failure of a file that a worker process could not prepare, with what to do about it."""
    path = entry.workspace_path
    if isinstance(error, OperationTimeoutError):
        cpu_s, wall_s = error.details.get("cpu_s"), error.details.get("wall_s")
        message = (
            Message("reading {path} was blocked, and not done after {seconds:g} s", path=path, seconds=wall_s)
            if cpu_s is None
            else Message("reading {path} took more than {seconds:g} s of CPU time", path=path, seconds=cpu_s)
        )
        leave_out = Remedy(advice=Message("leave it out"))
        remedy = Remedy(kind="raise_setting", setting="ingest.extract_timeout_s", otherwise=leave_out)
        return IngestFailure(code=error.code, message=message, remedy=remedy)
    exit_code = error.details.get("exit_code")
    is_large = entry.stamp.byte_len >= LARGE_FILE_BYTES
    if isinstance(error, StorageError) or (exit_code == _KILLED and is_large):
        limit = error.details.get("memory_mb")
        return describe_memory_shortage(entry, limit_mb=limit if isinstance(limit, int) else None)
    if exit_code is not None:
        message = Message(
            "the process that read {path} died (exit code {exit_code})", path=path, exit_code=exit_code
        )
        return IngestFailure(code=error.code, message=message)
    return IngestFailure(code=error.code, message=error.message)
