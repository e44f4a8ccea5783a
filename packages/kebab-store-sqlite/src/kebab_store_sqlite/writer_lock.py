"""The writer lock, which lets one process at a time write to a knowledge base.

It is `flock` on a file in the data folder: the operating system holds it and releases it when the process dies, however
it dies. The text of the file only names the holder for people.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from kebab_core import KebabError, LockedError, ReadonlyModeError, Remedy, StorageError

LOCK_FILE_NAME = "writer.lock"
_MAX_COMMAND_CHARS = 200
_POLL_SECONDS = 0.2
"""Seconds between two attempts of a waiting process: one that blocks in the kernel could not hear Ctrl-C."""
_ATTEMPTS_PER_NOTICE = 5
"""A waiting process reports that at once and then every second."""
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}
_WAIT = Remedy(kind="wait_for_writer", then=Remedy(kind="retry"))


@contextmanager
def hold_writer_lock(
    data_dir: Path,
    *,
    wait: Callable[[float], bool] | None = None,
    while_waiting: Callable[[LockedError], None] | None = None,
    remedy: Remedy = _WAIT,
) -> Iterator[None]:
    """Hold the writer lock of a data folder.

    Args:
        data_dir: The folder; made where it is missing.
        wait: Waits so many seconds for another holder to finish, and returns True to give up; None does not wait.
        while_waiting: Gets the refusal, which names the other holder, at once and then every second.
        remedy: What to do about another holder.

    Yields:
        Nothing; the lock is held inside the block.

    Raises:
        LockedError: Another process holds it and there was no wait or it was given up; names pid, host and command.
        ReadonlyModeError: The folder may not be written.
        StorageError: The folder cannot be made, or its file system has no locks.
    """
    path = data_dir / LOCK_FILE_NAME
    with _lock(path, wait, while_waiting, remedy) as file:
        _name_holder(file)
        try:
            yield
        finally:
            _forget_holder(file)


def find_writer(data_dir: Path) -> int | None:
    """Find the process id of the holder of a data folder's writer lock; None where no holder is known.

    Nothing is made or written. The lock itself is tried only where its last holder seems to live: a reader that
    tries it at the wrong moment would keep a writer out.
    """
    try:
        with (data_dir / LOCK_FILE_NAME).open(encoding="utf-8") as file:
            holder = _read_holder(file.read())
            pid = holder["pid"]
            if isinstance(pid, int) and _may_live(pid, host=holder["host"]) and _is_held(file):
                return pid
    except (OSError, UnicodeDecodeError):
        pass
    return None


def _may_live(pid: int, *, host: object) -> bool:
    if host != platform.node():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _is_held(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _lock(
    path: Path,
    wait: Callable[[float], bool] | None,
    while_waiting: Callable[[LockedError], None] | None,
    remedy: Remedy,
) -> TextIO:
    """Lock the file that is at `path` now: a reset may have replaced the one that was waited for.

    Raises:
        LockedError: Another process holds the lock.
        StorageError: There are no locks.
    """
    attempts = 0
    while True:
        file = _open(path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            with file:
                refusal = _refusal(error, file, remedy)
            if not isinstance(refusal, LockedError) or wait is None:
                raise refusal from error
            if while_waiting is not None and attempts % _ATTEMPTS_PER_NOTICE == 0:
                while_waiting(refusal)
            if wait(_POLL_SECONDS):
                raise refusal from error
            attempts += 1
            continue
        if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
            return file
        file.close()


def _refusal(error: OSError, file: TextIO, remedy: Remedy) -> KebabError:
    if not isinstance(error, BlockingIOError):
        return StorageError(
            "the data folder cannot be locked: {reason}",
            remedy=Remedy(kind="use_local_disk", setting="storage.data_dir"),
            _reason=error.strerror,
        )
    holder = _read_holder(file.read())
    name = "" if holder["pid"] == "unknown" else ": `{command}` (pid {pid} on {host})".format(**holder)
    refusal = LockedError("another process is writing this knowledge base{name}", remedy=remedy, _name=name)
    refusal.details.update(holder)
    return refusal


def _open(path: Path) -> TextIO:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
    except OSError as error:
        refused = error.errno in _NOT_ALLOWED
        raise (ReadonlyModeError if refused else StorageError)(
            f"the data folder {str(path.parent)!r} cannot be written: {error.strerror}",
            remedy=Remedy(
                kind="check_permissions",
                path=str(path.parent),
                otherwise=Remedy(kind="set", setting="storage.data_dir"),
            ),
            path=str(path.parent),
        ) from error


def _name_holder(file: TextIO) -> None:
    """Write who holds the lock. On a full disk it is held without a name."""
    program = Path(sys.argv[0])
    name = program.parent.name.replace("_", "-") if program.name == "__main__.py" else program.name
    command = " ".join([name, *sys.argv[1:]])[:_MAX_COMMAND_CHARS]
    holder = json.dumps({"pid": os.getpid(), "host": platform.node(), "command": command})
    with suppress(OSError):
        os.ftruncate(file.fileno(), 0)
        os.pwrite(file.fileno(), holder.encode(), 0)


def _forget_holder(file: TextIO) -> None:
    with suppress(OSError):
        os.ftruncate(file.fileno(), 0)


def _read_holder(text: str) -> dict[str, str | int]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    holder = found if isinstance(found, dict) else {}
    return {key: holder.get(key, "unknown") for key in ("pid", "host", "command")}
