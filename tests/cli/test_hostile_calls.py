"""A server that hostile calls are made to answers each of them, and pings meanwhile."""

from __future__ import annotations

import secrets

import pytest

from tests.integration.hostile_calls import find_failures, make_traps

PING_S = 60.0


@pytest.mark.parametrize("seed", [6, secrets.randbits(32)], ids=["known", "fresh"])
def test_hostile_calls_are_answered_and_leave_the_server_alive(seed: int, kb) -> None:  # type: ignore[no-untyped-def]
    kb.write("/".join("abcdefghijkl") + "/deep.md", "# 깊이\n\n색인은 깊은 곳에 있다.\n")
    make_traps(kb.folder / "notes")
    assert kb("ingest").code == 0
    failures = list(find_failures(kb.config, calls=20, seed=seed, ping_s=PING_S))
    assert not failures, f"seed {seed}"
