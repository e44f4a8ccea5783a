"""Servers for agents among other processes: at once on one knowledge base, and one after the other."""

from pathlib import Path

import pytest
from kebab_model_e5_small import files

from tests.integration.mixed_faces import Mix
from tests.integration.short_sessions import run_sessions

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(files() is None, reason="built without weights on this platform"),
]
INGESTS = 2
SESSIONS = 3


def test_servers_find_what_was_committed_while_an_ingest_and_commands_run(tmp_path: Path) -> None:
    mix = Mix(tmp_path, notes=8)
    try:
        mix.run(lambda ingests: ingests < INGESTS)
    finally:
        report = mix.end()
    assert report.faults == []
    assert report.ingests == INGESTS
    assert report.calls["command"]


def test_sessions_that_end_in_any_way_leave_nothing_behind(tmp_path: Path) -> None:
    mix = Mix(tmp_path, notes=4, servers=0)
    assert mix.end().faults == []
    assert run_sessions(mix.config, SESSIONS, at_once=2) == []
