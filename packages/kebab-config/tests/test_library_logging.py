import os

import pytest
from kebab_config import quiet_libraries


def test_libraries_are_quiet_unless_the_user_wants_to_hear_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANCEDB_LOG", raising=False)
    quiet_libraries()
    assert os.environ["LANCEDB_LOG"] == "off"
    monkeypatch.setenv("LANCEDB_LOG", "debug")
    quiet_libraries()
    assert os.environ["LANCEDB_LOG"] == "debug"
