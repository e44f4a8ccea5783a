"""Servers for agents among other processes: at once on one knowledge base, and one after the other."""

from pathlib import Path

import pytest
from kebab_model_e5_small import files
from kebab_testing.families import is_thorough

from tests.integration.mixed_faces import Mix
from tests.integration.short_sessions import run_sessions

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(files() is None, reason="built without weights on this platform"),
]
INGESTS = 2
SERVERS = 4 if is_thorough() else 2
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
