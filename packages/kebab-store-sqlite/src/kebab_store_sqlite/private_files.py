"""Files and folders that only their owner may open: they hold private notes."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import BinaryIO

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600


def make_private_folder(folder: Path) -> None:
    """Create a folder and whatever is missing above it; folders that exist keep their mode."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=_FOLDER_MODE, exist_ok=True)


def create_private_file(path: Path) -> None:
    """Create an empty file unless there is one."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, _FILE_MODE))


def open_private_file(path: Path) -> BinaryIO:
    """Return a new or emptied file, open for writing; its folder is created."""
    make_private_folder(path.parent)
    return os.fdopen(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, _FILE_MODE), "wb")


def write_private_file(path: Path, content: bytes) -> None:
    """Write a file so that readers see all of it or none; its folder is created.

    Not flushed to the disk: a file cut short by a power failure is known by its size.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with open_private_file(draft) as file:
            file.write(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
