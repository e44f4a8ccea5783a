import os

import pytest
from kebab_config import quiet_libraries


@pytest.mark.parametrize(("variable", "quiet"), [("LANCEDB_LOG", "off"), ("LANCE_LOG", "error")])
def test_libraries_are_quiet_unless_the_user_wants_to_hear_them(
    variable: str, quiet: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    quiet_libraries()
    assert os.environ[variable] == quiet
    monkeypatch.setenv(variable, "debug")
    quiet_libraries()
    assert os.environ[variable] == "debug"
