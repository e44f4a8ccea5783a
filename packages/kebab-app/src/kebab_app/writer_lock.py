"""One writer at a time, held by the operating system and released when the process dies, however it dies.

The lock is `flock` on a file in the data folder; what is written in the file only names the holder for people.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from kebab_core import LockedError, ReadonlyModeError

LOCK_FILE_NAME = "writer.lock"
_MAX_COMMAND_CHARS = 200


@contextmanager
def hold_writer_lock(data_dir: Path, *, wait: bool) -> Iterator[None]:
    """Hold the writer lock of a data folder.

    Args:
        data_dir: The folder; it exists.
        wait: Whether to wait for another holder to finish.

    Yields:
        Nothing; the lock is held inside the block.

    Raises:
        LockedError: Another process holds it and `wait` is false; names pid, host and command.
        ReadonlyModeError: The folder cannot be written.
    """
    path = data_dir / LOCK_FILE_NAME
    with _lock(path, wait=wait) as file:
        file.seek(0)
        file.truncate()
        json.dump(_describe_self(), file)
        file.flush()
        yield


def _lock(path: Path, *, wait: bool) -> TextIO:
    """Return the locked file that is at `path` now: a reset may have replaced the one that was waited for.

    Raises:
        LockedError: Another process holds the lock and `wait` is false.
    """
    while True:
        file = _open(path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            with file:
                holder = _read_holder(file.read())
            raise LockedError(
                "another process is writing this knowledge base: `{command}` (pid {pid} on {host})".format(
                    **holder
                ),
                hint="wait for it to finish, or add `--wait`",
                **holder,
            ) from error
        if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
            return file
        file.close()


def _open(path: Path) -> TextIO:
    try:
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
    except OSError as error:
        raise ReadonlyModeError(
            f"the data folder cannot be written: {error.strerror}",
            hint="check its permissions, or use only search, fetch and list",
            path=str(path.parent),
        ) from error


def _describe_self() -> dict[str, str | int]:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:_MAX_COMMAND_CHARS]
    return {"pid": os.getpid(), "host": socket.gethostname(), "command": command}


def _read_holder(text: str) -> dict[str, str | int]:
    try:
        holder = json.loads(text)
    except ValueError:
        holder = {}
    return {key: holder.get(key, "unknown") for key in ("pid", "host", "command")}
