"""What the READMEs show is what happens; the demo needs no network for it and touches nothing, whatever is configured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_model_e5_small import files
from kebab_testing.tables import walk

from tests.connection_watch import make_watch, noted

ROOT = Path(__file__).parents[2]
READMES = {"README.md": "en", "README.ko.md": "ko"}


def demo_lines(readme: str) -> list[str]:
    match = re.search(
        r"<!-- demo -->\n```text\n(.*?)```", (ROOT / readme).read_text(encoding="utf-8"), re.DOTALL
    )
    assert match is not None
    return [line for line in match[1].splitlines() if line and line != "…"]


def seconds_masked(line: str) -> str:
    return re.sub(r"\d+\.\d( s|초)\)", r"_\1)", line)


def contains_in_order(shown: list[str], real: Iterator[str]) -> bool:
    def same(expected: str, line: str) -> bool:
        return line.startswith(expected[:-1]) if expected.endswith("…") else line == expected

    return all(any(same(seconds_masked(line), seconds_masked(r)) for r in real) for line in shown)


DEMOS = """\
import os, sys
from contextlib import redirect_stdout
from kebab_cli.main import run

config, *languages = sys.argv[1:]
for language in languages:
    os.environ["KEBAB_LANG"] = language
    with open(language, "w", encoding="utf-8") as out, redirect_stdout(out):
        assert run(["demo", "--config", config]) == 0
"""
"""Writes the demo in each language to a file named after it."""


@pytest.fixture(scope="module")
def real_demos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Lines of the demo by language."""
    import subprocess
    import sys

    home, watch = tmp_path_factory.mktemp("home"), make_watch(tmp_path_factory.mktemp("watch"))
    base, shown = tmp_path_factory.mktemp("base"), tmp_path_factory.mktemp("shown")
    (base / "kebab.toml").write_text(
        '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8"
    )
    languages = list(READMES.values())
    subprocess.run(
        [sys.executable, "-c", DEMOS, str(base / "kebab.toml"), *languages],
        env={"HOME": str(home), "PYTHONPATH": str(watch)},
        cwd=shown,
        check=True,
    )
    assert not list(home.iterdir())
    assert [path.name for path in base.iterdir()] == ["kebab.toml"]
    assert sorted(path.name for path in shown.iterdir()) == sorted(languages)
    assert noted(watch) == [], "a connection was tried"
    return {language: (shown / language).read_text(encoding="utf-8").splitlines() for language in languages}


@pytest.mark.skipif(files() is None, reason="the model comes without weights here")
@pytest.mark.parametrize("readme", READMES)
def test_the_demo_in_the_readme_is_the_real_one(readme: str, real_demos: dict[str, list[str]]) -> None:
    assert contains_in_order(demo_lines(readme), iter(real_demos[READMES[readme]]))


@walk("language", READMES.values())
def test_the_demo_ends_with_three_commands_for_the_users_own_folder(
    language: str, real_demos: dict[str, list[str]]
) -> None:
    last = [line.split()[:2] for line in real_demos[language][-3:]]
    assert last == [["kebab", c] for c in ("init", "ingest", "ask")]


@pytest.mark.parametrize("readme", READMES)
def test_every_command_named_in_the_table_exists(readme: str, kebab) -> None:  # type: ignore[no-untyped-def]
    text = (ROOT / readme).read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`kebab .*?) \|", text.replace(r"\|", "/"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`kebab ([a-z-]+)", row)}
    listed = re.findall(r"^  ([a-z-]+)  ", kebab("--help").stdout.partition("Commands:")[2], re.MULTILINE)
    assert named <= set(listed)
