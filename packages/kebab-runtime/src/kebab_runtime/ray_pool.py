"""Worker processes on the machines of a Ray cluster. It is the only module that imports `ray`, which the extra `cluster` installs.

A machine runs each task in a `WorkerPool` of one process, so that limits, and the errors of what passes them, are those of
a pool here. Ray carries tasks and results, and gives the tasks of a machine that is lost to others.
"""

from __future__ import annotations

import json
import pickle
import re
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, cast

from kebab_core import (
    CancelToken,
    DependencyMissingError,
    ExternalError,
    InternalError,
    KebabError,
    Remedy,
    StorageError,
)

from kebab_runtime.worker_pool import GRACE_S, Result, Task, TaskLimits, WorkerPool

LOCAL = "local"
"""Address of a cluster of this machine alone, for as long as this process runs."""
_SECRET_FILE = ".ray/auth_token"  # noqa: S105 - its place
"""Where Ray looks for the secret of a cluster, in the home folder."""
_AHEAD = 2
"""Tasks that a core has at once: one in work, and one on its way."""
_POLL_S = 1.0
_LOST_MACHINES = 3
"""Machines that a task may lose before it counts as their cause."""
_TASKS_BETWEEN_COUNTS = 100
"""Machines may join; counting cores takes as long as a tenth of a task (0.7 ms, 2026-11-30)."""
_RESOURCE_UNITS = 100_000
_LEAST_SHARE = 0.0001
"""The smallest that Ray knows, so that as many tasks fit."""
_ROOT = "kebab-cli"
_REQUIREMENT = re.compile(r"[\w.-]+")
_MAX_CAUSE = 300


class RayPool(Generic[Task, Result]):
    """`WorkerPool` on the cores of a cluster, each of which takes a task.

    Only machines with the same packages take part: others would read files in other ways.

    Args:
        factory: As of `WorkerPool`.
        address: `local`, `auto` for the cluster that this machine is in, or the address of its first machine.
        cancel: As of `WorkerPool`.
    """

    def __init__(
        self,
        factory: Callable[[], Callable[[Task], Result]],
        *,
        address: str,
        cancel: CancelToken | None = None,
    ) -> None:
        self._factory = pickle.dumps(factory)
        self._address = address
        self._cancel = cancel or CancelToken()
        self._end: float | None = None
        """When waiting for answers ends, from a cancel on."""

    def __enter__(self) -> Self:
        _connect(self._address)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the connection to the next pool."""

    def run_all(self, tasks: Iterable[tuple[Task, TaskLimits]]) -> Iterator[Result | KebabError]:
        """Carry tasks out. See `WorkerPool.run_all`.

        Yields:
            One result for each task, in their order; an `InternalError` also for a task that lost several machines.
        """
        import ray

        remote = _remote()
        asked: deque[Any] = deque()
        most = 0
        try:
            for number, (task, limits) in enumerate(tasks):
                if number % _TASKS_BETWEEN_COUNTS == 0:
                    most = _AHEAD * max(1, count_cores())
                while len(asked) >= most:
                    if not self._await_answer(asked[0]):
                        return
                    yield self._answer(asked.popleft())
                if self._cancel.is_cancelled:
                    break
                asked.append(remote.remote(self._factory, task, limits))
            while asked and self._await_answer(asked[0]):
                yield self._answer(asked.popleft())
        finally:
            for reference in asked:  # those that nobody asks for any more
                ray.cancel(reference)

    def _await_answer(self, reference: Any) -> bool:
        """Wait for a task; False if the work was cancelled and it is not done."""
        import ray

        while not ray.wait([reference], timeout=_POLL_S)[0]:
            if self._cancel.is_cancelled:
                self._end = self._end or time.monotonic() + GRACE_S
                if time.monotonic() >= self._end:
                    return False
        return True

    @staticmethod
    def _answer(reference: Any) -> Result | KebabError:
        import ray
        from ray.exceptions import RayError

        try:
            return cast("Result | KebabError", ray.get(reference))
        except RayError as error:
            return InternalError("a machine of the cluster was lost: {reason}", _reason=_first_line(error))


def require_ray() -> None:
    """Check that Ray is installed.

    Raises:
        DependencyMissingError: It is not.
    """
    try:
        import ray  # noqa: F401
    except ModuleNotFoundError as error:
        raise DependencyMissingError(
            "a cluster needs the package ray, which is not installed",
            remedy=Remedy(kind="install_packages", name="kebab-cli[cluster]"),
            package="ray",
        ) from error


def count_cores() -> int:
    """Return the number of cores in the cluster that this process is connected to, of machines with the same packages."""
    import ray

    name = _resource()
    machines = (node["Resources"] for node in ray.nodes() if node["Alive"])
    return int(sum(resources.get("CPU", 0) for resources in machines if name in resources))


def _connect(address: str) -> None:
    """Connect to a cluster, once.

    Raises:
        DependencyMissingError: Ray is not installed.
        ExternalError: There is no such cluster, or no machine of it has the packages of this one.
    """
    require_ray()
    import ray
    from ray.exceptions import RayError

    if not ray.is_initialized():
        is_local = address == LOCAL
        resources = {_resource(): _RESOURCE_UNITS} if is_local else None
        try:
            ray.init(
                address=address,
                resources=resources,
                include_dashboard=False if is_local else None,
                log_to_driver=False,
                configure_logging=False,
            )
        except (RayError, RuntimeError, ConnectionError, ValueError) as error:
            raise ExternalError(
                "the cluster {address!r} cannot be reached: {reason}",
                remedy=Remedy(kind="start_worker"),
                address=address,
                _reason=_first_line(error),
            ) from error
    if not count_cores():
        raise ExternalError(
            "no machine of the cluster {address!r} has the same packages of kebab as this one",
            remedy=Remedy(kind="start_worker"),
            address=address,
        )


def describe_machine() -> dict[str, int]:
    """Return the resource of Ray that this machine offers as a worker, with its amount.

    Raises:
        DependencyMissingError: Ray is not installed.
    """
    require_ray()
    return {_resource(): _RESOURCE_UNITS}


def make_token(home: Path) -> Path:
    """Return the file of the secret that lets machines into a cluster, which only its owner can read; a missing one is made.

    Raises:
        StorageError: It cannot be written.
    """
    path = home / _SECRET_FILE
    try:
        if not path.is_file():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.write_text(secrets.token_hex(32), "ascii")
        path.chmod(0o600)
    except OSError as error:
        raise StorageError(
            "{path!r} cannot be written: {reason}",
            remedy=Remedy(kind="check_permissions", path=str(path)),
            path=str(path),
            _reason=error.strerror,
        ) from error
    return path


def has_token(home: Path) -> bool:
    """Return True if the home folder has the secret of a cluster."""
    return (home / _SECRET_FILE).is_file()


@cache
def _resource() -> str:
    """Name of what a machine must have to take tasks of this one: the versions of all that reads files."""
    return f"kebab-{blake2b(json.dumps(sorted(_installed_versions().items())).encode(), digest_size=8).hexdigest()}"


def _installed_versions() -> dict[str, str]:
    """Versions of the packages of kebab and of all that they may need, as far as they are installed."""
    found: dict[str, str] = {}
    waiting = [_ROOT, "kebab-runtime"]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        found[name] = package.version
        needed = (_REQUIREMENT.match(each) for each in package.requires or ())
        waiting += [match[0].lower().replace("_", "-") for match in needed if match]
    return found


@cache
def _remote() -> Any:
    import ray

    return ray.remote(_carry_out).options(
        num_cpus=1,
        resources={_resource(): _LEAST_SHARE},
        max_retries=_LOST_MACHINES,
        scheduling_strategy="SPREAD",
    )


class _OneWorker:
    """The worker process of a process of Ray; it ends with that."""

    def __init__(self, factory: bytes) -> None:
        self.factory = factory
        self._pool: WorkerPool[object, object] = WorkerPool(
            pickle.loads(factory),  # noqa: S301 - from whoever gave the task
            count=1,
        )
        self._pool.__enter__()

    def carry_out(self, task: object, limits: TaskLimits) -> object:
        """Carry a task out."""
        [answer] = self._pool.run_all([(task, limits)])
        return answer

    def stop(self) -> None:
        """End the process."""
        self._pool.__exit__(None, None, None)


_workers: list[_OneWorker] = []
"""That of this process, once it has carried out a task."""


def _carry_out(factory: bytes, task: object, limits: TaskLimits) -> object:
    """Carry a task out, in a process of Ray; the worker process of the task before is used again, unless that was cancelled."""
    if not _workers or _workers[0].factory != factory:
        while _workers:
            _workers.pop().stop()
        _workers.append(_OneWorker(factory))
    try:
        return _workers[0].carry_out(task, limits)
    except BaseException:  # its answer would be taken for that of the next task
        _workers.pop().stop()
        raise


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:_MAX_CAUSE]
