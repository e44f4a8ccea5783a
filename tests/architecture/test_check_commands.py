import os
import re
import subprocess

from kebab_testing.tables import walk

from tests.architecture.members import ROOT, read_toml

RUN = (ROOT / ".ci" / "run").read_text("utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
UV_LINE = "python3 -m venv .uv && .uv/bin/pip install -q --require-hashes -r requirements/uv.txt"
TEST_LINE = f"{UV_LINE} && .uv/bin/uv run --group dev pytest -n auto"
HASHED_LINE = "uv venv -q --allow-existing && uv pip install -q --require-hashes -r requirements/dev.txt"


_STOP = " || exit"
"""End of a line of several commands: `set -e` does not stop where any but the last one fails."""


def _commands_run() -> list[str]:
    _, _, below = RUN.partition("# ------")
    lines = below.strip().splitlines()[1:]
    beside = [line.removeprefix(".ci/").removesuffix(" &") for line in lines if line.endswith(" &")]
    book_keeping = [line for name in beside for line in (f"{name}=$!", f"wait ${name}")]
    assert all(lines.count(line) == 1 for line in book_keeping)
    return [line.removesuffix(" &").removesuffix(_STOP) for line in lines if line not in book_keeping]


def _commands_quoted() -> list[str]:
    block = re.search(r"^## Checks\n.*?^```sh\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    assert block
    return block[1].strip().splitlines()


def test_the_guide_quotes_exactly_what_is_run() -> None:
    assert _commands_quoted() == _commands_run()


def test_the_tests_come_last_and_as_the_readme_says() -> None:
    assert _commands_run()[-1] == TEST_LINE
    assert TEST_LINE in (ROOT / "README.md").read_text("utf-8")


def test_whatever_is_installed_is_compared_with_its_hash_first() -> None:
    assert _commands_run()[:2] == [UV_LINE, HASHED_LINE]
    wheels = (ROOT / ".ci" / "wheels").read_text("utf-8")
    assert "--build-constraints requirements/build.txt --require-build-hashes" in wheels


@walk("name", ["README.md", "README.ko.md"])
def test_the_readmes_show_two_commands_that_install_by_hash(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    begun = [line for line in text.splitlines() if line.startswith("python3 -m venv")]
    assert begun == [f"{UV_LINE} && .uv/bin/uv run kebab demo", TEST_LINE]


def test_running_kebab_installs_no_group_so_that_checks_and_tests_name_theirs() -> None:
    assert read_toml(ROOT / "pyproject.toml")["tool"]["uv"]["default-groups"] == []
    assert "uv sync --all-packages --all-groups" in _commands_run()


def test_every_command_of_a_line_stops_the_checks() -> None:
    chained = [line for line in RUN.splitlines() if " && " in line and not line.startswith("#")]
    assert chained
    assert [line for line in chained if not line.endswith(_STOP) and not line.startswith("cd ")] == []


def test_the_scripts_can_be_started_and_stop_at_the_first_failure() -> None:
    for script in (ROOT / ".ci").iterdir():
        assert os.access(script, os.X_OK), script.name
        assert "\nset -euo pipefail\n" in script.read_text("utf-8")
        subprocess.run(["bash", "-n", script], check=True)
