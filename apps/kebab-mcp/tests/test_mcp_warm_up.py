"""What goes wrong while nobody waits for it is told to the first who asks, and ends nothing."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kebab_config import read_environment
from kebab_mcp.call_runner import CallRunner
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Base, RawServer

    Start = Callable[[Any], RawServer]


PATIENCE_S = 30
"""After which a server that answers nothing more is ended, so that the test is."""


class SlowlySearched:
    """A knowledge base whose search goes on until it is told to end; it must not be closed meanwhile."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()
        self.closed_in_use: list[bool] = []

    def open(self) -> SlowlySearched:
        return self

    def search(self, _query: object) -> None:
        self.begun.set()
        self.may_end.wait(PATIENCE_S)

    def close(self) -> None:
        self.closed_in_use.append(not self.may_end.is_set())


@walk(("ends", "closed"), [(False, []), (True, [False])])
def test_nothing_is_closed_beneath_the_search_that_warms_up(ends: bool, closed: list[bool]) -> None:
    base: Any = SlowlySearched()
    runner = CallRunner(base)
    warming = threading.Thread(target=runner.warm_up)
    warming.start()
    assert base.begun.wait(PATIENCE_S)
    if ends:
        base.may_end.set()
    runner.close(within_s=PATIENCE_S if ends else 0.0)
    assert base.closed_in_use == closed
    base.may_end.set()
    warming.join()


def test_no_search_warms_up_what_is_closed() -> None:
    base: Any = SlowlySearched()
    base.may_end.set()
    runner = CallRunner(base)
    runner.close(within_s=0.0)
    runner.warm_up()
    assert not base.begun.is_set()


def test_a_part_that_cannot_be_loaded_is_told_by_every_call(
    base: Base, serve_raw: Start, tmp_path: Path
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "sqlite3.py").write_text("raise ImportError('half installed')\n", encoding="utf-8")
    path = os.pathsep.join([str(tmp_path / "broken"), read_environment().get("PYTHONPATH", "")])
    server = serve_raw(base.parameters(env={"PYTHONPATH": path}))
    patience = threading.Timer(PATIENCE_S, server.process.kill)
    patience.start()
    server.greet()
    server.ask("tools/list", request=1)
    for request in (2, 3, 4):
        answer = server.ask(
            "tools/call", {"name": "search", "arguments": {"query": "색인"}}, request=request
        )["result"]
        assert answer["isError"]
        assert json.loads(answer["content"][0]["text"])["code"] == "internal"
    assert server.ask("ping", request=5)["result"] == {}
    patience.cancel()
