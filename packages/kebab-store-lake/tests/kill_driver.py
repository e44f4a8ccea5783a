"""A process whose children publish and are killed: one line of JSON for each on the way in, its status on the way out."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lance
from kebab_store_lake import Committer
from kebab_store_lake.objects import FolderObjects
from kebab_store_lake.tables import LakeTable
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.temporary_stores import TemporaryStores

from conftest import base_of

STEPS = {
    LakeTable: ("restore", "add", "delete", "upsert", "build_indexes", "rebuild", "clean"),
    FolderObjects: ("create", "replace", "remove"),
}


class KillAt:
    """Kills this process at the beginning or end of a write, or `delay_s` after it."""

    def __init__(self, steps: int, delay_s: float) -> None:
        self._left = steps
        self._delay_s = delay_s
        for kind, names in STEPS.items():
            for name in names:
                setattr(kind, name, self._counted(getattr(kind, name)))

    def _counted(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def counts(*arguments: Any, **named: Any) -> Any:
            self._step()
            result = write(*arguments, **named)
            self._step()
            return result

        return counts

    def _step(self) -> None:
        self._left -= 1
        if self._left == 0:
            if not self._delay_s:
                os.kill(os.getpid(), signal.SIGKILL)
            threading.Timer(self._delay_s, os.kill, (os.getpid(), signal.SIGKILL)).start()


def publish(*, lake: str, base: str, steps: int, delay_s: float) -> None:
    """Publish a base, and be killed on the way."""
    stores = TemporaryStores(folder=Path(base))
    KillAt(steps, delay_s)
    Committer(Path(lake), clock=FixedClock()).publish(base_of(stores))


if __name__ == "__main__":
    del lance  # it is loaded once, for all children
    warnings.simplefilter("ignore")  # forks are experimental
    for line in sys.stdin:
        if not (child := os.fork()):
            publish(**json.loads(line))
            os._exit(0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()
