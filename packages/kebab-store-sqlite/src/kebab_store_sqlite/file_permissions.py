"""Permissions of the database's files, and files that only their owner may open: they hold private notes."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from kebab_core import ReadonlyModeError, Remedy, StorageError

_EFFECTIVE = os.access in os.supports_effective_ids


def require_readable(path: Path) -> None:
    """Verify that a database may be read, if there is one.

    Raises:
        StorageError: It may not be read, or its folder may not be entered.
    """
    for place, mode in ((path.parent, os.X_OK), (path, os.R_OK)):
        if os.path.lexists(place) and not _allows(place, mode):
            raise StorageError(
                "{path!r} may not be read",
                remedy=Remedy(kind="make_accessible", path=str(place)),
                path=str(place),
            )


def is_write_protected(path: Path) -> bool:
    """True if there is a database, and it or its folder may not be written."""
    return path.exists() and not (_allows(path, os.W_OK) and _allows(path.parent, os.W_OK))


def require_unprotected(path: Path) -> None:
    """Verify that a database, its log, its shared memory and its folder may be written.

    SQLite gives the files that it creates for reading the permissions of the database.

    Raises:
        ReadonlyModeError: One of them may not.
    """
    beside = (path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))
    needed = (*(place for place in (path, *beside) if place.exists()), path.parent)
    places = [place for place in needed if not _allows(place, os.R_OK | os.W_OK)]
    if places:
        raise ReadonlyModeError(
            "{path!r} may not be written, so the index is open for reading only",
            remedy=_make_writable(places),
            path=str(places[0]),
        )


def _allows(place: Path, mode: int) -> bool:
    return os.access(place, mode, effective_ids=_EFFECTIVE)


def _make_writable(places: Sequence[Path]) -> Remedy:
    rest = _make_writable(places[1:]) if places[1:] else None
    return Remedy(kind="make_accessible", path=str(places[0]), then=rest)


_FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents with mode 0700; existing ones keep their mode."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=_FOLDER_MODE, exist_ok=True)


def open_private_file(path: Path) -> BinaryIO:
    """Create or truncate a file with mode 0600, and open it for writing; its folder is created."""
    make_private_folder(path.parent)
    return os.fdopen(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, FILE_MODE), "wb")


def write_private_file(path: Path, content: bytes) -> None:
    """Write a file atomically; its folder is created.

    Not flushed to the disk: a file cut short by a power failure is detected by its size.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with open_private_file(draft) as file:
            file.write(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def flush_folder(folder: Path) -> None:
    """Flush a folder's names to the disk, so that a rename in it survives a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
