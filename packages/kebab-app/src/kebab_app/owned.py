"""What in a data folder is kebab's own: told by names that nobody else gives, never by the folder alone.

A user may well keep an `assets` or `logs` folder of their own where they let kebab keep its data. They may also have put
the data folder, or something in it, on another disk by a link or a mount: then what kebab keeps there is kebab's, and the
link and the folder that it leads to stay.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_DATABASE_NAME = "kebab.sqlite"
_SIDE_FILES = r"(-wal|-shm|-journal)?"
_ENDS = ("-journal", "-shm", "-wal", "")
OWNED_FOLDERS: dict[str, re.Pattern[str]] = {
    "assets": re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{30}|\.\1[0-9a-f]{30}\.\d+\.\d+)"),
    "logs": re.compile(r"kebab\.log(\.\d{4}-\d{2}-\d{2})?|ingest-[0-9TZ-]+(-\d+)?\.ndjson"),
    "lancedb": re.compile(r"[0-9a-f]{32}\.(lance|matrix)/.+"),
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
    database = data_dir / _DATABASE_NAME
    places = dict.fromkeys((database.resolve(), database)) if database.is_symlink() else (database,)
    sides = (place.with_name(place.name + end) for place in places for end in _ENDS)
    return [*found, *(path for path in sides if os.path.lexists(path))]


def find_owned_below(folder: Path, ours: re.Pattern[str]) -> list[Path]:
    """Return the folder itself if everything in it is kebab's, else the files that are, by path.

    Of one that a link leads to or that is mounted it is what lies in it, where that really is.
    """
    if not folder.is_dir():
        return []
    is_linked = folder.is_symlink()
    folder = folder.resolve() if is_linked else folder
    files = list(_files_below(folder))
    kept = [path for path in files if not ours.fullmatch(path.relative_to(folder).as_posix())]
    if kept:
        return sorted(set(files) - set(kept))
    return sorted(folder.iterdir()) if is_linked or folder.is_mount() else [folder]


def remove_empty_folders(folder: Path) -> None:
    """Remove the folders below `folder`, and itself, that hold nothing; the others stay."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for child in list(folder.iterdir()):
        remove_empty_folders(child)
    remove_empty_folder(folder)


def remove_empty_folder(folder: Path) -> None:
    """Remove a folder that holds nothing; one that may not be removed, such as a mount or a link, stays."""
    with suppress(OSError):
        folder.rmdir()


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield everything below that is not a folder; links are not followed."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            yield from _files_below(path)
        else:
            yield path
