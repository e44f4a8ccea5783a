"""Making what LanceDB wrote survive a power failure: it does not flush its files to the disk itself."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDERS = ("data", "_deletions", "_indices", "_transactions", "_versions")


def files_of(table: Path) -> frozenset[Path]:
    """Return the files of a table."""
    return frozenset(
        path for name in _FOLDERS for path in (table / name).glob("**/*" if name == "_indices" else "*")
    )


def flush_new_files(table: Path, before: frozenset[Path]) -> None:
    """Flush the files that came, and their folders.

    Args:
        table: Its folder.
        before: The files it had.
    """
    added = files_of(table) - before
    for path in sorted(added | {path.parent for path in added}):
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except (FileNotFoundError, PermissionError):
            continue
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
