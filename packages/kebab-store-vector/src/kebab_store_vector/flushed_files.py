"""Making what LanceDB wrote survive a power failure: it does not flush its files to the disk itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_FOLDERS = ("data", "_deletions", "_indices", "_transactions", "_versions")


def files_of(table: Path) -> frozenset[str]:
    """Return the paths of a table's files and folders; by name only, since there can be thousands."""
    return frozenset(path for name in _FOLDERS for path in _below(str(table / name)))


def _below(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.path
                if entry.is_dir():
                    yield from _below(entry.path)
    except FileNotFoundError:
        return


def flush_new_files(table: Path, before: frozenset[str]) -> None:
    """Flush the files that came, and their folders.

    Args:
        table: Its folder.
        before: The files it had.
    """
    added = files_of(table) - before
    for path in sorted(added | {os.path.dirname(path) for path in added}):  # noqa: PTH120
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except (FileNotFoundError, PermissionError):
            continue
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
