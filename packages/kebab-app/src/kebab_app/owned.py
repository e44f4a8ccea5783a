"""What in a data folder is kebab's own: told by names that nobody else gives, never by the folder alone.

A user may well keep an `assets` or `logs` folder of their own where they let kebab keep its data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_SIDE_FILES = r"(-wal|-shm|-journal)?"
OWNED_FILES = re.compile(rf"kebab\.sqlite{_SIDE_FILES}")
OWNED_FOLDERS: dict[str, re.Pattern[str]] = {
    "assets": re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{30}|\.\1[0-9a-f]{30}\.\d+\.\d+)"),
    "logs": re.compile(r"kebab\.log(\.\d{4}-\d{2}-\d{2})?|ingest-[0-9TZ-]+(-\d+)?\.ndjson"),
    "lancedb": re.compile(r"[^/]+\.(lance|matrix)/.+"),
    "cache": re.compile(rf"eval/kebab\.sqlite{_SIDE_FILES}|model-files\.json|\.hashes-[^/]+"),
    "runs": re.compile(r"\d{8}T\d{6}Z-[^/]+-[0-9a-f]{4}/(per_query\.jsonl|per_answer\.jsonl|report\.md)"),
    "artifacts": re.compile(r"[0-9a-f]{32}/.+"),
}
"""Folder to the relative paths, POSIX, of what kebab puts into it."""


def find_owned(data_dir: Path) -> list[Path]:
    """Return what kebab put into a data folder: whole folders where all of it is kebab's, else single files.

    The database comes last, so that an interrupted clean-up leaves the mark that the rest is kebab's.
    """
    found: list[Path] = []
    for name, ours in OWNED_FOLDERS.items():
        found += find_owned_below(data_dir / name, ours)
    files = (
        sorted(p for p in data_dir.iterdir() if OWNED_FILES.fullmatch(p.name)) if data_dir.is_dir() else []
    )
    return [*found, *reversed(files)]


def find_owned_below(folder: Path, ours: re.Pattern[str]) -> list[Path]:
    """Return the folder itself if everything in it is kebab's, else the files that are, by path."""
    if folder.is_symlink():
        return [folder]  # the link goes, what it leads to stays
    if not folder.is_dir():
        return []
    files = list(_files_below(folder))
    kept = [path for path in files if not ours.fullmatch(path.relative_to(folder).as_posix())]
    if not kept:
        return [folder]
    return sorted(set(files) - set(kept))


def remove_empty_folders(folder: Path) -> None:
    """Remove the folders below `folder`, and itself, that hold nothing; the others stay."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for child in list(folder.iterdir()):
        remove_empty_folders(child)
    if not any(folder.iterdir()):
        folder.rmdir()


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield everything below that is not a folder; links are not followed."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from _files_below(path)
        else:
            yield path
