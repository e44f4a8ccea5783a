"""What using the package costs, and whether its README tells the truth."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_importing_the_package_loads_no_model_library() -> None:
    code = "import sys, kebab_wire; print('pydantic' in sys.modules)"
    listing = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert listing.stdout == "False\n"


def test_readme_example_prints_one_wire_object(capsys: pytest.CaptureFixture[str]) -> None:
    from kebab_wire import parse_wire, wire_json

    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(example, {})  # noqa: S102  # the point of the test
    (line,) = capsys.readouterr().out.splitlines()
    assert wire_json(parse_wire(line)) == line
