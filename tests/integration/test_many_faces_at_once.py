"""Servers for agents among other processes: at once on one knowledge base, and one after the other.

In every run `test_mcp_tools.py`, `test_mcp_end.py`, `test_readers_and_writers.py` and `test_embedding_beside_writers.py` hold what
this one holds of many at once.
"""

from pathlib import Path

import pytest
from kebab_model_e5_small import files
from kebab_testing.families import is_thorough

from tests.integration.mixed_faces import Mix
from tests.integration.short_sessions import run_sessions

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(files() is None, reason="built without weights on this platform"),
    pytest.mark.skipif(
        not is_thorough(),
        reason="runs with -m thorough; tests of one server and one writer hold it every day",
    ),
]
INGESTS = 2
SERVERS = 4
SESSIONS = 3


def test_servers_find_what_was_committed_while_others_run_and_short_sessions_leave_nothing_behind(
    tmp_path: Path,
) -> None:
    mix = Mix(tmp_path, notes=6, servers=SERVERS)
    try:
        mix.run(lambda ingests: ingests < INGESTS)
    finally:
        report = mix.end()
    assert report.faults == []
    assert report.ingests == INGESTS
    assert report.calls["command"]
    assert run_sessions(mix.config, SESSIONS, at_once=2) == []
