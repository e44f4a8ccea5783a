"""Worker processes: results in order, limits of time and memory, and a process that dies costs one task."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kebab_core import (
    CancelToken,
    DocumentError,
    InternalError,
    KebabError,
    OperationTimeoutError,
    StorageError,
)
from kebab_runtime import UNLIMITED, TaskLimits, WorkerPool
from kebab_testing.tables import walk

LIMITS = TaskLimits(cpu_s=60, memory_mb=128)
LIMITS_OF = {"loop": TaskLimits(cpu_s=0.2, memory_mb=128), "pause": TaskLimits(cpu_s=0.2, wall_s=0.5)}
_OPEN_FILES = 1024
"""Descriptors from which `select` fails."""


@pytest.fixture(autouse=True)
def functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process and its workers find the module of functions."""
    folder = str(Path(__file__).parent)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", folder)


def run(*tasks: str, count: int = 1, limits: TaskLimits = LIMITS) -> list[str | KebabError]:
    import worker_functions

    with WorkerPool(worker_functions.make, count=count) as pool:
        return list(pool.run_all((task, LIMITS_OF.get(task, limits)) for task in tasks))


@walk("count", [1, 3])
def test_results_come_in_the_order_of_the_tasks(count: int) -> None:
    words = [f"word {number}" for number in range(20)]
    assert run(*words, count=count) == words


def test_a_task_that_uses_up_its_cpu_time_is_a_timeout_and_the_others_go_on() -> None:
    first, error, last, held = run("a", "loop", "b", "hold")
    assert (first, last) == ("a", "b")
    assert isinstance(error, OperationTimeoutError)
    assert error.details == {"cpu_s": 0.2}
    assert "of CPU time" in error.message
    assert held == str(32 * 1024 * 1024)


def test_a_task_that_waits_is_charged_no_cpu_time_and_ends_at_its_bound_by_the_clock() -> None:
    error, last = run("pause", "b")
    assert isinstance(error, OperationTimeoutError)
    assert error.details == {"wall_s": 0.5}
    assert last == "b"
    assert TaskLimits(cpu_s=30).wall_limit_s == 600


def test_a_cancel_ends_a_task_that_goes_on_and_loses_none_that_is_done() -> None:
    import worker_functions

    cancel = CancelToken()
    with WorkerPool(worker_functions.make, count=1, cancel=cancel) as pool:
        answers = pool.run_all((task, TaskLimits(wall_s=60)) for task in ("a", "b", "pause", "c"))
        assert next(answers) == "a"
        cancel.cancel()
        assert list(answers) == ["b"]


def test_no_task_is_begun_after_a_cancel() -> None:
    import worker_functions

    cancel, taken = CancelToken(), list[str]()

    def take() -> Iterator[tuple[str, TaskLimits]]:
        for word in map(str, range(50)):
            taken.append(word)
            yield word, UNLIMITED

    with WorkerPool(worker_functions.make, count=1, cancel=cancel) as pool:
        answers = pool.run_all(take())
        assert next(answers) == "0"
        cancel.cancel()
        assert list(answers) == ["1"]
    assert taken == ["0", "1", "2"]  # the last was taken before the cancel, and not begun


def test_tasks_are_answered_in_a_process_with_more_than_a_thousand_open_files(tmp_path: Path) -> None:
    import worker_functions

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < _OPEN_FILES + 100:
        pytest.skip("the system does not allow so many open files")
    limit = resource.setrlimit  # noqa: TID251 - of open files, not of their size
    with contextlib.ExitStack() as opened:
        limit(resource.RLIMIT_NOFILE, (max(soft, _OPEN_FILES + 100), hard))
        opened.callback(limit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(_OPEN_FILES):
            opened.enter_context((tmp_path / "file").open("wb"))
        with WorkerPool(worker_functions.make, count=1) as pool:
            assert list(pool.run_all([("a", UNLIMITED)])) == ["a"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its address space")
def test_a_task_that_takes_too_much_memory_is_a_storage_error_and_the_others_go_on() -> None:
    first, error, last = run("hold", "eat", "hold", limits=TaskLimits(memory_mb=128))
    assert first == last
    assert isinstance(error, StorageError)
    assert error.details == {"memory_mb": 128}


@walk(("word", "exit_code"), [("end", 3), ("kill", -9)])
def test_a_task_that_ends_its_process_is_an_internal_error_with_the_exit_code(
    word: str, exit_code: int
) -> None:
    first, error, last = run("a", word, "b")
    assert (first, last) == ("a", "b")
    assert isinstance(error, InternalError)
    assert error.details == {"exit_code": exit_code}


def test_an_error_that_is_raised_is_the_result_and_keeps_the_process() -> None:
    import worker_functions

    with WorkerPool(worker_functions.make, count=1) as pool:
        before = pool.pids
        error, bug, written = pool.run_all((task, UNLIMITED) for task in ("refuse", "crash", "write"))
        assert pool.pids == before
    assert isinstance(error, DocumentError)
    assert error.details == {"reason": "because"}
    assert isinstance(bug, InternalError)
    assert "a bug" in bug.message
    assert written == "written"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for the process in /proc")
def test_a_process_whose_parent_is_killed_while_it_loads_ends(tmp_path: Path) -> None:
    loading = tmp_path / "pid"
    code = (
        "import worker_functions as w, kebab_runtime as r; r.WorkerPool(w.load_for_ever, count=1).__enter__()"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    _await(lambda: loading.exists() and bool(loading.read_text("ascii")))
    parent.kill()
    parent.wait()
    _await(lambda: not Path("/proc", loading.read_text("ascii")).exists())


def _await(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        os.sched_yield()


def test_limits_hold_for_their_task_only() -> None:
    import worker_functions

    tight = TaskLimits(cpu_s=60, memory_mb=64)
    with WorkerPool(worker_functions.make, count=1) as pool:
        error, held = pool.run_all([("eat", tight), ("hold", UNLIMITED)])
    assert isinstance(error, StorageError)
    assert held == str(32 * 1024 * 1024)


def test_a_module_of_the_current_folder_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit(9)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("word") == ["word"]
