"""`kebab ingest` with vectors over many pages: memory of all its processes while it embeds, and passages a second.

python bench/embed_pages.py FOLDER... [--pages 1000] [--threads N]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ingest import Base, find_files, say
from process_tree import Watched, run_watched

MAX_PEAK_MB = 1500
MAX_GROWTH = 1.25
"""Largest memory of the last third of the time against that of the first third."""
SAMPLE_S = 0.5
LINES = 12
"""Of the course of memory that are shown."""


def measure(base: Base, *, threads: int) -> None:
    """Print what reading costs, and what it costs with vectors."""
    text = base.config.read_text(encoding="utf-8")
    base.config.write_text(f"{text}threads = {threads}\n", encoding="utf-8")
    options = ["--config", str(base.config), "--json", "--summary-only"]
    command = [sys.executable, "-m", "kebab_cli", "ingest", *options]
    read = run_watched([*command, "--no-embed"], every_s=SAMPLE_S)
    say("read", f"{read.cpu_s:.0f} CPU s, peak {read.peak_mb:.0f} MB, without vectors")
    shutil.rmtree(base.folder / "data")
    done = run_watched(command, every_s=SAMPLE_S)
    made = json.loads(done.output.splitlines()[-1])["embedding"]["computed"]
    cpu_s, wall_s = done.cpu_s - read.cpu_s, done.wall_s - read.wall_s
    rates = f"{made / cpu_s:.1f} a CPU second, {made / wall_s:.1f} a second by the clock"
    say("embed", f"{made} passages, {cpu_s:.0f} CPU s more, on {threads} threads: {rates}")
    say_memory(done)


def say_memory(done: Watched) -> None:
    """Print the course of memory and hold it against its bounds."""
    for start in range(LINES):
        part = slice_of(done.course, start, LINES)
        say("", f"{part[0][0]:5.0f} to {part[-1][0]:5.0f} s: {peak_of(part):.0f} MB at most")
    first, last = (peak_of(slice_of(done.course, part, 3)) for part in (0, 2))
    text = f"{done.peak_mb:.0f} MB of all processes, at most {MAX_PEAK_MB}"
    say("memory", text, kept=done.peak_mb <= MAX_PEAK_MB)
    text = f"last third {last / first:.2f} x the first, at most {MAX_GROWTH}"
    say("", text, kept=last <= MAX_GROWTH * first)


def slice_of(course: Sequence[tuple[float, float]], part: int, of: int) -> Sequence[tuple[float, float]]:
    """Return the samples of one of so many equal parts."""
    return course[part * len(course) // of : (part + 1) * len(course) // of] or course[:1]


def peak_of(course: Sequence[tuple[float, float]]) -> float:
    return max(used for _, used in course)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=1000, help="of each folder, spread over all of it")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    found = find_files(options.folders, pattern="**/*.md", limit=None)
    wanted = options.pages * len(options.folders)
    files = found[:: max(1, len(found) // wanted)][:wanted]
    with tempfile.TemporaryDirectory() as scratch:
        base = Base(Path(scratch))
        base.fill(files, provider="bundled")
        megabytes = sum(path.stat().st_size for path in base.root.rglob("*.md")) / 1e6
        say("pages", f"{len(files)}, {megabytes:.1f} MB, load {os.getloadavg()[0]:.1f}")
        measure(base, threads=options.threads)


if __name__ == "__main__":
    main()
