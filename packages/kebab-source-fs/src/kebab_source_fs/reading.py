"""Reading one file whole, with a stamp that belongs to exactly the bytes read."""

from __future__ import annotations

import os
import stat
from io import FileIO

from kebab_core import FileStamp, Remedy, StorageError


def open_at_once(path: str) -> FileIO:
    """Open for reading, without waiting for a writer should the path be a pipe.

    Args:
        path: As spelled on disk; links are followed.

    Returns:
        The open file, to be closed by the caller.

    Raises:
        OSError: It cannot be opened, or is a folder.
    """
    return FileIO(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))


def read_file(path: str) -> tuple[bytes, FileStamp]:
    """Read a regular file.

    Args:
        path: As spelled on disk.

    Returns:
        The content and the stamp of the open file.

    Raises:
        StorageError: The file is gone, cannot be read, is not regular, or changed while it was being read.
    """
    try:
        with open_at_once(path) as handle:
            return read_unchanged(handle, path)
    except OSError as error:
        raise StorageError("cannot read {path!r}: {reason}", path=path, _reason=error.strerror) from error


def read_unchanged(handle: FileIO, path: str) -> tuple[bytes, FileStamp]:
    """Read an open file from its start to its end.

    Args:
        handle: Open for reading.
        path: For the message.

    Returns:
        The content and the stamp of the open file.

    Raises:
        StorageError: It is not a regular file, or its stamp after reading is another than before.
        OSError: Reading fails.
    """
    before = os.fstat(handle.fileno())
    if not stat.S_ISREG(before.st_mode):
        raise StorageError("{path!r} is not a regular file", path=path)
    content = handle.read()
    stamp = stamp_of(os.fstat(handle.fileno()))
    if stamp != stamp_of(before) or len(content) != stamp.byte_len:
        raise StorageError(
            "{path!r} changed while it was being read", remedy=Remedy(kind="ingest"), path=path
        )
    return content, stamp


def stamp_of(status: os.stat_result) -> FileStamp:
    """Return the stamp of a file with this status."""
    # As a tuple: names and the generated `__new__` cost a tenth of the whole look at a file.
    return tuple.__new__(FileStamp, (status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns))
