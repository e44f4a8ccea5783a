"""Commands in fresh processes: light ones as a ratio to `import click`, searches by meaning to `import lancedb`."""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kebab_config import read_environment

CLICK = (sys.executable, "-c", "import click")
LANCEDB = (sys.executable, "-c", "import lancedb")
KEBAB = (sys.executable, "-m", "kebab_cli")
QUERY = "색인은 언제 만들어지나요?"
NOTES = {
    "색인": "색인은 파일이 바뀌면 다시 만들어진다.",
    "백업": "매일 새벽 세 시에 데이터베이스를 복사한다.",
    "배포": "금요일에는 배포하지 않는다.",
    "회의": "주간 회의는 월요일 열 시에 연다.",
    "indexing": "The index is rebuilt when a file changes.",
    "backups": "The database is copied every night at three.",
    "releases": "There are no releases on Fridays.",
    "meetings": "The weekly meeting is on Monday at ten.",
}


class Spent(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float
    """User and system time."""


def spend(command: Sequence[str]) -> Spent:
    """Return what a command takes."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=False, capture_output=True, env=_environment())
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _environment() -> dict[str, str]:
    """Return the variables, less the one that has Python compile everything anew, which would be most of the time."""
    return {name: value for name, value in read_environment().items() if name != "PYTHONDONTWRITEBYTECODE"}


def compare(commands: Mapping[str, Sequence[str]], *, against: Sequence[str], runs: int) -> None:
    """Print what commands take, and the medians of their ratios to another that is run in turn with them."""
    for command in (*commands.values(), against):
        spend(command)
    rounds = [
        ({name: spend(command) for name, command in commands.items()}, spend(against)) for _ in range(runs)
    ]
    for name in commands:
        wall, cpu = (statistics.median(ours[name][at] for ours, _ in rounds) * 1000 for at in (0, 1))
        by_wall, by_cpu = (
            statistics.median(ours[name][at] / theirs[at] for ours, theirs in rounds) for at in (0, 1)
        )
        print(f"{name:24} {wall:6.0f} ms, {cpu:5.0f} ms CPU   {by_wall:5.2f} x, {by_cpu:5.2f} x CPU")


def make_base(folder: Path) -> Path:
    """Return the `kebab.toml` of a small knowledge base, made with the command line."""
    notes = folder / "notes"
    notes.mkdir()
    for title, text in NOTES.items():
        (notes / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    config = folder / "kebab.toml"
    config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
    subprocess.run([*KEBAB, "ingest", "--config", str(config)], check=True, capture_output=True)
    return config


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "configs", type=Path, nargs="*", help="`kebab.toml` of other knowledge bases with vectors"
    )
    parser.add_argument("--query", default=QUERY, help="what is searched for")
    parser.add_argument("--runs", type=int, default=9, help="how often each command is measured")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        config = make_base(Path(scratch))
        flags = ["--config", str(config)]
        print("against `import click`")
        light = {
            "--help": [*KEBAB, "--help"],
            "search --mode lexical": [*KEBAB, "search", options.query, "--mode", "lexical", *flags],
            "list docs": [*KEBAB, "list", "docs", *flags],
        }
        compare(light, against=CLICK, runs=options.runs)
        print("against `import lancedb`")
        searches = {
            f"search, {name}": [*KEBAB, "search", options.query, "--config", str(path)]
            for name, path in {
                f"{len(NOTES)} notes": config,
                **{str(path.parent.name): path for path in options.configs},
            }.items()
        }
        compare(searches, against=LANCEDB, runs=options.runs)


if __name__ == "__main__":
    main()
