"""What goes wrong while nobody waits for it is told to the first who asks, and ends nothing."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kebab_config import read_environment

if TYPE_CHECKING:
    from conftest import Base, RawServer

    Start = Callable[[Any], RawServer]

PATIENCE_S = 30
"""After which a server that answers nothing more is ended, so that the test is."""


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
