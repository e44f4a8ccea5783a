import os

import pytest
from kebab_config import lighten_libraries


def test_libraries_start_lightly_unless_the_user_wants_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYDANTIC_DISABLE_PLUGINS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    lighten_libraries()
    assert os.environ["PYDANTIC_DISABLE_PLUGINS"] == "__all__"
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
