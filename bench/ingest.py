"""Ingest of folders into a throw-away knowledge base: rate, peak memory, no-op run, one changed file."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from process_tree import Watched, run_watched

REPEATS = 5


def copy_sample(folder: Path, target: Path, *, pattern: str, limit: int | None) -> int:
    files = sorted(path for path in folder.glob(pattern) if path.is_file())[:limit]
    for path in files:
        destination = target / path.relative_to(folder)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, destination)
    return len(files)


def ingest(config: Path) -> tuple[Watched, dict[str, int]]:
    command = [
        sys.executable,
        "-m",
        "kebab_cli",
        "ingest",
        "--config",
        str(config),
        "--json",
        "--summary-only",
    ]
    done = run_watched(command)
    return done, json.loads(done.output.splitlines()[-1])


def walk_and_stat(folder: Path) -> float:
    """Return how long the barest look at every file takes."""
    started = time.perf_counter()
    for parent, _, names in os.walk(folder):
        for name in names:
            os.stat(os.path.join(parent, name))  # noqa: PTH116, PTH118 - the bare call is what is measured
    return time.perf_counter() - started


def measure_in_process(config: Path, root: Path) -> None:
    """Print what runs cost in an open application, as ratios to walks of the same moment."""
    from kebab_app import App
    from kebab_config import load_settings, read_environment

    changing = next(path for path in sorted(root.rglob("*.md")))
    walks, no_ops, changes = [], [], []
    with App(load_settings(config_path=config, environ=read_environment())) as app:
        for _ in range(REPEATS):
            walks.append(walk_and_stat(root))
            no_ops.append(_timed(app.ingest))
            with changing.open("a", encoding="utf-8") as file:
                file.write("\n\nchanged\n")
            changes.append(_timed(app.ingest))
    to_walk = statistics.median(run / walk for run, walk in zip(no_ops, walks, strict=True))
    to_no_op = statistics.median(run / no_op for run, no_op in zip(changes, no_ops, strict=True))
    print(f"walk     {statistics.median(walks):.3f} s for os.walk and stat")
    print(f"no-op    {statistics.median(no_ops):.3f} s, {to_walk:.2f} x the walk")
    print(f"1 change {statistics.median(changes):.3f} s, {to_no_op:.2f} x the no-op run")


def _timed(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--include", default="**/*", help="glob below each folder")
    parser.add_argument("--limit", type=int, help="the first N files by path of each folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root, config = Path(scratch, "root"), Path(scratch, "kebab.toml")
        count = sum(
            copy_sample(folder, root / folder.name, pattern=options.include, limit=options.limit)
            for folder in options.folders
        )
        megabytes = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) / 1e6
        config.write_text('[workspace]\nroot = "root"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
        print(f"{count} files, {megabytes:.1f} MB, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        first, report = ingest(config)
        rate = report["new"] * 1000 / report["duration_ms"]
        print(f"full     {rate:.0f} files/s, {first.cpu_s * 1000 / count:.1f} CPU ms a file, ", end="")
        print(f"peak {first.peak_mb:.0f} MB of all processes, {report['errors']} failed")
        again, _ = ingest(config)
        print(f"again    {again.wall_s:.2f} s as a command, peak {again.peak_mb:.0f} MB")
        measure_in_process(config, root)
        print(f"database {(Path(scratch) / 'data' / 'kebab.sqlite').stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
