"""Files that are given by name: where they really lie, and what is in them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from kebab_core import InvalidInputError, StorageError

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
_HINT = "check its permissions"
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def require_inside(path: Path, folders: Sequence[Path]) -> Path:
    """Return where a file lies once all links are resolved.

    Args:
        path: Its absolute path; nothing needs to be there.
        folders: Where it may lie; links in their paths are resolved too.

    Raises:
        InvalidInputError: It lies in none of them, whether it exists or not.
    """
    try:
        place = Path(os.path.realpath(path))
    except ValueError as error:  # a null character
        raise InvalidInputError(f"cannot read {str(path)!r}: {error}", hint="check its name") from error
    if not any(place.is_relative_to(os.path.realpath(folder)) for folder in folders):
        raise InvalidInputError(
            f"{str(path)!r} lies, links resolved, outside the folders that agents may ingest from: the sources and "
            "`mcp.ingest_roots`",
            hint="the user can add its folder to mcp.ingest_roots in the configuration",
            argument="path",
            setting="mcp.ingest_roots",
        )
    return place


def read_given(path: Path) -> bytes:
    """Return a given file's bytes.

    Raises:
        StorageError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(
            f"cannot read {str(path)!r}: {error.strerror}", hint=_HINT, path=str(path)
        ) from error


def read_resolved(path: Path) -> bytes:
    """Return the bytes of the file at a resolved path; no link is followed that has come there meanwhile.

    Raises:
        StorageError: It cannot be read, or a link or no regular file is there.
    """
    try:
        with ExitStack() as opened:
            folder = None
            for name in path.parts[:-1]:
                folder = os.open(name, _FOLDER, dir_fd=folder)
                opened.callback(os.close, folder)
            with os.fdopen(os.open(path.name, _FILE, dir_fd=folder), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise StorageError(f"{str(path)!r} is no regular file", hint=_HINT, path=str(path))
                return file.read()
    except OSError as error:
        raise StorageError(
            f"cannot read {str(path)!r}: {error.strerror}", hint=_HINT, path=str(path)
        ) from error
