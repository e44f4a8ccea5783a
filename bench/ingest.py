"""Ingest of a folder into a throw-away knowledge base: rate, peak memory, no-op run, one changed file."""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def copy_sample(folder: Path, target: Path, *, pattern: str, limit: int | None) -> int:
    files = sorted(path for path in folder.glob(pattern) if path.is_file())[:limit]
    for path in files:
        destination = target / path.relative_to(folder)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, destination)
    return len(files)


def run_ingest(config: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "kebab_cli", "ingest", "--config", str(config), "--json", "--summary-only"]
    started = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(output.splitlines()[-1])
    return {
        "wall_s": wall,
        "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak_mb": after.ru_maxrss / 1024,
        "new": report["new"],
        "updated": report["updated"],
        "unchanged": report["unchanged"],
        "errors": report["errors"],
        "duration_s": report["duration_ms"] / 1000,
    }


def walk_and_stat(folder: Path) -> float:
    started = time.perf_counter()
    for parent, _, names in os.walk(folder):
        for name in names:
            (Path(parent) / name).stat()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--include", default="**/*", help="glob below the folder")
    parser.add_argument("--limit", type=int, help="the first N files by path")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root, config = Path(scratch, "root"), Path(scratch, "kebab.toml")
        count = copy_sample(options.folder, root, pattern=options.include, limit=options.limit)
        megabytes = sum(path.stat().st_size for path in root.rglob("*") if path.is_file()) / 1e6
        config.write_text('[workspace]\nroot = "root"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
        print(f"{count} files, {megabytes:.1f} MB")
        first = run_ingest(config)
        print(f"full     {first['new'] / first['duration_s']:.0f} files/s", describe(first))
        print("no-op   ", describe(run_ingest(config)), f"bare walk and stat {walk_and_stat(root):.3f} s")
        changed = next(path for path in sorted(root.rglob("*.md")))
        changed.write_text(changed.read_text(encoding="utf-8") + "\n\nchanged\n", encoding="utf-8")
        print("1 change", describe(run_ingest(config)))
        database = (Path(scratch) / "data" / "kebab.sqlite").stat().st_size / 1e6
        print(f"database {database:.0f} MB")


def describe(figures: dict[str, float]) -> str:
    counts = {name: int(figures[name]) for name in ("new", "updated", "unchanged", "errors") if figures[name]}
    return (
        f"{counts}  in process {figures['duration_s']:.2f} s, wall {figures['wall_s']:.2f} s, "
        f"CPU {figures['cpu_s']:.2f} s, peak {figures['peak_mb']:.0f} MB (largest single process so far)"
    )


if __name__ == "__main__":
    main()
