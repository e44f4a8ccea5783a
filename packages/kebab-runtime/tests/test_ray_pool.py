"""Tasks on a Ray cluster of this machine."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_core import CancelToken
from kebab_runtime import RayPool, TaskLimits
from kebab_testing.families import is_thorough

LIMITS = TaskLimits(wall_s=600)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this process and its workers find the module of functions, and end the cluster."""
    folder = str(Path(__file__).parent)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", folder)
    # names of sockets below it must not exceed 107 bytes
    with tempfile.TemporaryDirectory(prefix="ray-") as sessions:
        monkeypatch.setenv("RAY_TMPDIR", sessions)
        monkeypatch.setenv("HOME", sessions)
        yield
        import ray

        ray.shutdown()


@pytest.mark.thorough
@pytest.mark.enable_socket
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.usefixtures("cluster")
def test_a_cancel_ends_tasks_on_other_machines_and_what_follows_gets_answers_of_its_own() -> None:
    if not is_thorough():
        pytest.skip("starts a cluster; runs with -m thorough")
    import worker_functions

    cancel = CancelToken()
    with RayPool(worker_functions.make, address="local", cancel=cancel) as pool:
        answers = pool.run_all((task, LIMITS) for task in ("a", *["pause"] * (os.cpu_count() or 1)))
        assert next(answers) == "a"
        cancel.cancel()
        assert list(answers) == []
    with RayPool(worker_functions.make, address="local") as pool:
        words = [f"word {number}" for number in range(9)]
        assert list(pool.run_all((word, LIMITS) for word in words)) == words
