"""Time from `kebab init` to the first search by words and by meaning, against a process that reads the same files."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import KebabError, SearchMode, SearchQuery

KEBAB = (sys.executable, "-m", "kebab_cli")
READ = "import pathlib, sys; [p.read_bytes() for p in pathlib.Path(sys.argv[1]).rglob('*') if p.is_file()]"
POLL_S = 0.2
MIN_BYTES = 500
"""Shorter notes have too few words to be told from others."""


def copy_notes(folders: list[Path], target: Path, *, limit: int) -> list[Path]:
    """Copy so many Markdown files with their times; return the copies, newest first."""
    found = sorted(
        path for folder in folders for path in folder.rglob("*.md") if path.stat().st_size > MIN_BYTES
    )
    copies = []
    for number, path in enumerate(found[:limit]):
        copy = target / f"{number:05} {path.name}"
        shutil.copy2(path, copy)
        os.utime(copy, (1_700_000_000 + number, 1_700_000_000 + number))
        copies.append(copy)
    return copies[::-1]


def query_of(note: Path) -> str:
    """Return the words of a note's longest line, 12 at most."""
    lines = note.read_text(encoding="utf-8", errors="replace").splitlines()
    return " ".join(
        max((re.findall(r"\w+", line)[:12] for line in lines), key=lambda words: sum(map(len, words)))
    )


class Watch:
    """Searches from a process of its own while the knowledge base is made."""

    def __init__(self, config: Path, ingest: subprocess.Popen[bytes], started: float) -> None:
        self._config = config
        self._ingest = ingest
        self._started = started

    def wait_for(self, is_there: Callable[[App], bool]) -> float | None:
        """Return the seconds until a search succeeds; None if the run ends before."""
        while True:
            is_over = self._ingest.poll() is not None
            try:
                loaded = load_settings(config_path=self._config, environ=read_environment())
                with App(loaded, readonly=True) as app:
                    if is_there(app):
                        return time.perf_counter() - self._started
            except KebabError:
                pass  # nothing is indexed yet
            if is_over:
                return None
            time.sleep(POLL_S)  # noqa: TID251 - a search is a look


def finds(query: str, mode: SearchMode, name: str | None) -> Callable[[App], bool]:
    """Return a test of a knowledge base: a search finds the note of this name, or any note where it is None."""

    def look(app: App) -> bool:
        hits = app.search(SearchQuery(text=query, mode=mode)).hits
        return bool(hits) if name is None else any(hit.doc_path == name for hit in hits)

    return look


def show(name: str, seconds: float | None, *, unit: float) -> None:
    print(
        f"{name:44}",
        "not before the end" if seconds is None else f"{seconds:7.1f} s  {seconds / unit:8.1f} x",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="folders of Markdown files")
    parser.add_argument("--notes", type=int, default=366, help="how many files")
    parser.add_argument("--whole", action="store_true", help="go on until every passage has its vector")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        (home / "notes").mkdir()
        notes = copy_notes(options.folders, home / "notes", limit=options.notes)
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", READ, str(home / "notes")], check=True)
        unit = time.perf_counter() - begun
        print(f"{len(notes)} notes, {sum(note.stat().st_size for note in notes) / 1e6:.2f} MB")
        show("a process that reads them", unit, unit=unit)
        config = home / "kebab.toml"
        config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
        started = time.perf_counter()
        subprocess.run([*KEBAB, "init", "--config", str(config)], check=True, capture_output=True)
        show("kebab init", time.perf_counter() - started, unit=unit)
        flags = ["--config", str(config), "--quiet"]
        with subprocess.Popen([*KEBAB, "ingest", *flags], stdout=subprocess.DEVNULL) as ingest:
            try:
                watch_run(Watch(config, ingest, started), notes, unit=unit, is_whole=options.whole)
            finally:
                ingest.terminate()


def watch_run(watch: Watch, notes: list[Path], *, unit: float, is_whole: bool) -> None:
    newest, oldest = notes[0], notes[-1]
    steps = {
        "the newest note is found by words": finds(query_of(newest), SearchMode.LEXICAL, newest.name),
        "the oldest note is found by words": finds(query_of(oldest), SearchMode.LEXICAL, oldest.name),
        "a note is found by meaning": finds(query_of(newest), SearchMode.VECTOR, None),
        "the newest note is found by meaning": finds(query_of(newest), SearchMode.VECTOR, newest.name),
    }
    if is_whole:
        steps["every passage has its vector"] = lambda app: app.count_waiting_passages() == 0
    for name, is_there in steps.items():
        show(name, watch.wait_for(is_there), unit=unit)


if __name__ == "__main__":
    main()
