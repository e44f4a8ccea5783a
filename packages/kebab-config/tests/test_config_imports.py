"""What using the package costs, and whether its README tells the truth."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kebab_config import read_environment

README = Path(__file__).parents[1] / "README.md"
LOAD = "from kebab_config import load_settings; load_settings(config_path=None, environ={'HOME': '/nowhere'})"


def imported_by(code: str) -> set[str]:
    listing = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print('\\n'.join(sys.modules))"],
        check=True,
        capture_output=True,
        text=True,
    )
    return set(listing.stdout.split())


def test_importing_the_package_loads_no_model_library() -> None:
    assert not imported_by("import kebab_config") & {"pydantic", "tomlkit", "tomllib"}


def test_loading_settings_does_not_load_the_toml_writer() -> None:
    assert "tomlkit" not in imported_by(LOAD)


def test_environment_is_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEBAB_SEARCH_DEFAULT_K", "3")
    environ = read_environment()
    monkeypatch.delenv("KEBAB_SEARCH_DEFAULT_K")
    assert environ["KEBAB_SEARCH_DEFAULT_K"] == "3"
    assert "KEBAB_SEARCH_DEFAULT_K" not in os.environ


def test_readme_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(example, {})  # noqa: S102  # the point of the test
    assert capsys.readouterr().out == "5 env KEBAB_SEARCH_DEFAULT_K /home/kim/.local/share/kebab\n"
