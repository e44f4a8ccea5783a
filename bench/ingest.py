"""Ingest of folders into a knowledge base: rate, peak memory, a run over unchanged files, one changed file.

Every figure is a ratio or stands beside the bound that it is held against. Times are CPU seconds, which other
programs on the machine disturb less than the clock on the wall.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from process_tree import Watched, run_watched

REPEATS = 7
FEW = 1000
"""Files of the run whose memory is compared with that of the whole."""
MIN_FILES_PER_SECOND = 120
MAX_PEAK_MB = 800
MAX_GROWTH = 1.25
"""Peak memory over all files against that over `FEW`."""
MAX_NO_OP = 5
"""A run over unchanged files against `os.walk` and `os.stat` over them."""
MAX_ONE_CHANGE = 1.2
"""A run over one changed file against one over none."""


@dataclass(frozen=True)
class Base:
    """A knowledge base to measure in."""

    folder: Path

    @property
    def root(self) -> Path:
        """The folder of its files."""
        return self.folder / "root"

    @property
    def config(self) -> Path:
        """Its configuration; there once it was filled."""
        return self.folder / "kebab.toml"

    def fill(self, files: Sequence[tuple[Path, Path]], *, provider: str = "none") -> None:
        """Copy files to their paths below the root.

        Args:
            files: Files with their paths below the root.
            provider: Of the embedding model.
        """
        for source, path in files:
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        text = '[workspace]\nroot = "root"\n[storage]\ndata_dir = "data"\n'
        text += f'[models.embedding]\nprovider = "{provider}"\n'
        self.config.write_text(text, encoding="utf-8")


def find_files(folders: Sequence[Path], *, pattern: str, limit: int | None) -> list[tuple[Path, Path]]:
    """Return files with their paths below the root."""
    return [
        (path, Path(folder.name, path.relative_to(folder)))
        for folder in folders
        for path in sorted(path for path in folder.glob(pattern) if path.is_file())[:limit]
    ]


def ingest(base: Base) -> tuple[Watched, dict[str, int]]:
    """Run the command.

    Returns:
        What it cost, and its report.
    """
    options = ["--config", str(base.config), "--json", "--summary-only"]
    done = run_watched([sys.executable, "-m", "kebab_cli", "ingest", *options])
    return done, json.loads(done.output.splitlines()[-1])


def say(name: str, text: str, *, kept: bool | None = None) -> None:
    """Print one line, with whether the bound was kept."""
    verdict = "" if kept is None else "  ok" if kept else "  MISSED"
    print(f"{name:9} {text}{verdict}", flush=True)


def measure_first(base: Base, files: Sequence[tuple[Path, Path]]) -> None:
    """Print what ingest of everything costs, and whether its memory grows with the number of files."""
    with tempfile.TemporaryDirectory() as scratch:
        few = Base(Path(scratch))
        few.fill(files[:: max(1, len(files) // FEW)][:FEW])
        small, _ = ingest(few)
    done, report = ingest(base)
    rate = report["new"] * 1000 / report["duration_ms"]
    bound = f"at least {MIN_FILES_PER_SECOND} on two cores that do nothing else"
    say("full", f"{rate:.0f} files/s, {bound}", kept=rate >= MIN_FILES_PER_SECOND)
    say("", f"{done.cpu_s * 1000 / len(files):.1f} CPU ms a file, {report['errors']} failed")
    bound = f"at most {MAX_PEAK_MB}"
    say("memory", f"{done.peak_mb:.0f} MB of all processes, {bound}", kept=done.peak_mb <= MAX_PEAK_MB)
    growth = done.peak_mb / small.peak_mb
    text = f"{small.peak_mb:.0f} MB for {min(FEW, len(files))} files: {growth:.2f} x, at most {MAX_GROWTH}"
    say("", text, kept=growth <= MAX_GROWTH)


def measure_again(base: Base, count: int) -> None:
    """Print what runs over (nearly) unchanged files cost in an open application."""
    from kebab_app import App
    from kebab_config import load_settings, read_environment

    changing = next(path for path in sorted(base.root.rglob("*.md")))
    walks, no_ops, changes = [], [], []
    with App(load_settings(config_path=base.config, environ=read_environment())) as app:
        app.ingest()
        for _ in range(REPEATS):
            walks.append(cpu_s(lambda: walk_and_stat(base.root)))
            no_ops.append(cpu_s(app.ingest))
            with changing.open("a", encoding="utf-8") as file:
                file.write("\n\nchanged\n")
            changes.append(cpu_s(app.ingest))
    per_file = 1e6 / count
    say("walk", f"{statistics.median(walks) * per_file:.1f} µs a file for os.walk and os.stat")
    say_ratio("no-op", no_ops, walks, name="the walk", bound=MAX_NO_OP)
    say("", f"{statistics.median(no_ops) * per_file:.1f} µs a file")
    say_ratio("1 change", changes, no_ops, name="the no-op run", bound=MAX_ONE_CHANGE)


def say_ratio(label: str, costs: list[float], bases: list[float], *, name: str, bound: float) -> None:
    """Print the median of ratios of neighbouring measurements, with the least and the greatest."""
    ratios = sorted(cost / base for cost, base in zip(costs, bases, strict=True))
    median = statistics.median(ratios)
    text = f"{median:.2f} x {name} ({ratios[0]:.2f} to {ratios[-1]:.2f}), at most {bound}"
    say(label, text, kept=median <= bound)


def walk_and_stat(folder: Path) -> None:
    """Take the barest look at every file."""
    for parent, _, names in os.walk(folder):
        for name in names:
            os.stat(os.path.join(parent, name))  # noqa: PTH116, PTH118 - the bare call is what is measured


def cpu_s(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started


@contextmanager
def folder_for(keep: Path | None) -> Iterator[Base]:
    """Give the folder to measure in; one that is kept is not built again.

    Yields:
        The knowledge base, empty or as it was left.
    """
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield Base(keep)
        return
    with tempfile.TemporaryDirectory() as scratch:
        yield Base(Path(scratch))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--include", default="**/*", help="glob below each folder")
    parser.add_argument("--limit", type=int, help="the first N files by path of each folder")
    parser.add_argument("--keep", type=Path, help="build the knowledge base here, or measure the one that is")
    options = parser.parse_args()
    files = find_files(options.folders, pattern=options.include, limit=options.limit)
    with folder_for(options.keep) as base:
        is_new = not base.config.exists()
        if is_new:
            base.fill(files)
        megabytes = sum(path.stat().st_size for path in base.root.rglob("*") if path.is_file()) / 1e6
        machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        say("files", f"{len(files)}, {megabytes:.1f} MB, {machine}")
        if is_new:
            measure_first(base, files)
        again, _ = ingest(base)
        say("command", f"{again.cpu_s:.2f} CPU s for a run over unchanged files, peak {again.peak_mb:.0f} MB")
        measure_again(base, len(files))
        database = (base.folder / "data" / "kebab.sqlite").stat().st_size / 1e6
        say("database", f"{database:.0f} MB")


if __name__ == "__main__":
    main()
