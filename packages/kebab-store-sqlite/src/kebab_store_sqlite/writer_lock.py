"""The locks of a knowledge base: the writer lock, held by the one process that writes, the embedding lock and others.

Each is `flock` on a file in the data folder: the operating system holds it and releases it when the process dies, however
it dies. The text of the file only names the holder for people.

An embedding pass releases the writer lock while the model works and takes it again to store the vectors. `flock` has no
queue: a pass that takes the lock again at once would keep out a process that tries every tenth of a second. So whoever
waits holds another file, shared, and a pass leaves the lock alone for a while where that file is held.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import IO, Any, TextIO

from kebab_core import KebabError, LockedError, Message, ReadonlyModeError, Remedy, StorageError

LOCK_FILE_NAME = "writer.lock"
EMBEDDING_LOCK_FILE_NAME = "embed.lock"
WATCH_LOCK_FILE_NAME = "watch.lock"
SWITCH_LOCK_FILE_NAME = "switch.lock"
_WAITERS_FILE_NAME = "writer.waiters"
LOCK_FILE_NAMES = (
    EMBEDDING_LOCK_FILE_NAME,
    WATCH_LOCK_FILE_NAME,
    SWITCH_LOCK_FILE_NAME,
    _WAITERS_FILE_NAME,
    LOCK_FILE_NAME,
)
"""Files of locks in a data folder."""

_MAX_COMMAND_CHARS = 200
_WAIT_SECONDS = 2.0
"""Seconds that a process waits by default: more than the transaction of an embedding pass takes."""
_POLL_SECONDS = 0.1
"""Seconds between two attempts of a waiting process: one that blocks in the kernel could not hear Ctrl-C."""
_ATTEMPTS_PER_NOTICE = 10
"""A waiting process reports that at once and then every second."""
_ATTEMPTS_LEFT_TO_WAITERS = 10
"""Attempts for which the lock is left to those who wait; limited, since one of them may be a stopped process."""
_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}
_WAIT = Remedy(kind="wait_for_writer", then=Remedy(kind="retry"))


@dataclass(frozen=True, kw_only=True)
class LockWait:
    """How long to wait for another holder, and how."""

    timeout_s: float | None = _WAIT_SECONDS
    """Seconds; None waits as long as it takes."""
    pause: Callable[[float], bool] = field(default_factory=lambda: Event().wait)
    """Waits so many seconds; True gives up."""
    notify: Callable[[LockedError], None] | None = None
    """Gets the refusal, which names the other holder, at once and then every second."""


class WriterLock:
    """The writer lock of a data folder, held until it is released. See `hold_writer_lock`."""

    def __init__(self, data_dir: Path, *, wait: LockWait, remedy: Remedy) -> None:
        self._path = data_dir / LOCK_FILE_NAME
        self._waiters = data_dir / _WAITERS_FILE_NAME
        self._remedy = remedy
        self._file: TextIO | None = self._take(wait)

    @property
    def is_held(self) -> bool:
        """Whether this process has it; not after a wait that was given up in `released`."""
        return self._file is not None

    @contextmanager
    def released(self, wait: LockWait) -> Iterator[None]:
        """Release the lock inside the block, so that other processes can write, and take it again after them.

        Args:
            wait: How to wait for it.

        Yields:
            Nothing.

        Raises:
            LockedError: It could not be taken again; it is not held any more.
        """
        self.release()
        try:
            yield
        finally:
            self._leave_to_waiters(wait)
            self._file = self._take(wait)

    @contextmanager
    def hold_embedding_lock(self, *, wait: LockWait, remedy: Remedy) -> Iterator[None]:
        """Hold the embedding lock, too; a wait for it releases the writer lock, which its holder needs.

        Raises like `hold_embedding_lock` and `released`.
        """
        may_wait = wait.timeout_s != 0
        with ExitStack() as held:
            with self.released(wait) if may_wait else nullcontext():
                held.enter_context(hold_embedding_lock(self._path.parent, wait=wait, remedy=remedy))
            yield

    def release(self) -> None:
        """Release the lock. Releasing it twice is fine."""
        if self._file is not None:
            _release(self._file)
            self._file = None

    def _take(self, wait: LockWait) -> TextIO:
        file = _lock(self._path, wait, self._remedy, waiters=self._waiters)
        _name_holder(file)
        return file

    def _leave_to_waiters(self, wait: LockWait) -> None:
        for _ in range(_ATTEMPTS_LEFT_TO_WAITERS):
            if not _is_shared(self._waiters) or wait.pause(_POLL_SECONDS):
                return


@contextmanager
def hold_writer_lock(
    data_dir: Path, *, wait: LockWait | None = None, remedy: Remedy = _WAIT
) -> Iterator[WriterLock]:
    """Hold the writer lock of a data folder.

    Args:
        data_dir: The folder; made where it is missing.
        wait: How to wait for another holder; None waits for two seconds.
        remedy: What to do about another holder.

    Yields:
        The lock, held.

    Raises:
        LockedError: Another process holds it and kept it; names pid, host and command.
        ReadonlyModeError: The folder may not be written.
        StorageError: The folder cannot be made, or its file system has no locks.
    """
    lock = WriterLock(data_dir, wait=wait or LockWait(), remedy=remedy)
    try:
        yield lock
    finally:
        lock.release()


@contextmanager
def hold_embedding_lock(
    data_dir: Path, *, wait: LockWait | None = None, remedy: Remedy = _WAIT
) -> Iterator[None]:
    """Hold the embedding lock of a data folder: one process at a time makes the vectors of all documents.

    A process that waits for it must not hold the writer lock, which the holder needs. Raises like `hold_writer_lock`.

    Args:
        data_dir: The folder; made where it is missing.
        wait: How to wait for another holder; None waits for two seconds.
        remedy: What to do about another holder.

    Yields:
        Nothing; the lock is held inside the block.
    """
    with _hold(data_dir / EMBEDDING_LOCK_FILE_NAME, wait or LockWait(), remedy):
        yield


@contextmanager
def hold_switch_lock(data_dir: Path, *, wait: LockWait) -> Iterator[None]:
    """Hold the switch lock of a data folder: one process at a time switches its embedding model.

    It is taken before the other two. Raises like `hold_writer_lock`.

    Args:
        data_dir: The folder; made where it is missing.
        wait: How to wait for another holder.

    Yields:
        Nothing; the lock is held inside the block.
    """
    with _hold(data_dir / SWITCH_LOCK_FILE_NAME, wait, _WAIT):
        yield


@contextmanager
def hold_watch_lock(data_dir: Path) -> Iterator[None]:
    """Hold the watch lock of a data folder: one process at a time follows its sources. Others may write meanwhile.

    Args:
        data_dir: The folder; made where it is missing.

    Yields:
        Nothing; the lock is held inside the block.

    Raises:
        LockedError: Another process holds it; names pid, host and command.
    """
    with ExitStack() as held:
        try:
            held.enter_context(_hold(data_dir / WATCH_LOCK_FILE_NAME, LockWait(timeout_s=0), None))
        except LockedError as error:
            pid = error.details["pid"]
            error.remedy = Remedy(advice=Message("leave it running, or end it first (pid {pid})", pid=pid))
            raise
        yield


def find_writer(data_dir: Path) -> int | None:
    """Find the process id of the holder of a data folder's writer lock; None where no holder is known.

    Nothing is made or written. The lock itself is tried only where its last holder seems to live: a reader that
    tries it at the wrong moment would keep a writer out.
    """
    return _find_holder(data_dir / LOCK_FILE_NAME)


def describe_writer(data_dir: Path) -> dict[str, str | int]:
    """Pid, host and command of the process that holds the writer lock of a data folder; empty where none is known."""
    path = data_dir / LOCK_FILE_NAME
    if _find_holder(path) is None:
        return {}
    try:
        return _read_holder(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return {}


def find_embedding_process(data_dir: Path) -> int | None:
    """Find the process id of the holder of a data folder's embedding lock, or else of the writer lock.

    A process that writes may make vectors of what it writes. See `find_writer`.
    """
    embedding = _find_holder(data_dir / EMBEDDING_LOCK_FILE_NAME)
    return find_writer(data_dir) if embedding is None else embedding


def _find_holder(path: Path) -> int | None:
    try:
        with path.open(encoding="utf-8") as file:
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


def _is_held(file: IO[Any], how: int = fcntl.LOCK_SH) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _is_shared(path: Path) -> bool:
    """Whether any process holds the file, shared or alone."""
    try:
        with path.open("rb") as file:
            return _is_held(file, fcntl.LOCK_EX)
    except OSError:
        return False


@contextmanager
def _hold(path: Path, wait: LockWait, remedy: Remedy | None) -> Iterator[None]:
    """Hold a lock that is kept until the end of the block. Raises like `_lock`."""
    file = _lock(path, wait, remedy)
    _name_holder(file)
    try:
        yield
    finally:
        _release(file)


def _lock(path: Path, wait: LockWait, remedy: Remedy | None, *, waiters: Path | None = None) -> TextIO:
    """Lock the file that is at `path` now: a reset may have replaced the one that was waited for.

    Args:
        path: The file.
        wait: How to wait for another holder.
        remedy: What to do about another holder.
        waiters: File that is held, shared, while this process waits.

    Raises:
        LockedError: Another process holds the lock.
        StorageError: There are no locks.
    """
    attempt, is_waiter = 0, waiters is None
    with ExitStack() as waiting:
        while True:
            file = _open(path)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                with file:
                    refusal = _refusal(error, path, file, remedy)
                is_over = wait.timeout_s is not None and attempt * _POLL_SECONDS >= wait.timeout_s
                if not isinstance(refusal, LockedError) or is_over:
                    raise refusal from error
                if waiters is not None and not is_waiter:
                    is_waiter = not _is_held(waiting.enter_context(_open(waiters)))
                if wait.notify is not None and attempt % _ATTEMPTS_PER_NOTICE == 0:
                    wait.notify(refusal)
                if wait.pause(_POLL_SECONDS):
                    raise refusal from error
                attempt += 1
                continue
            if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                return file
            file.close()


def _refusal(error: OSError, path: Path, file: TextIO, remedy: Remedy | None) -> KebabError:
    if not isinstance(error, BlockingIOError):
        return StorageError(
            "the data folder cannot be locked: {reason}",
            remedy=Remedy(advice=Message("set {setting} to a local disk", setting="storage.data_dir")),
            _reason=error.strerror,
        )
    holder = _read_holder(file.read())
    name = Message(
        ": `{command}` (pid {pid} on {host})",
        command=str(holder["command"]),
        pid=str(holder["pid"]),
        host=str(holder["host"]),
    )
    refusal = _refuse(path.name, "" if holder["pid"] == "unknown" else name, remedy)
    refusal.details.update(holder)
    return refusal


def _refuse(lock: str, name: str, remedy: Remedy | None) -> LockedError:
    """Return the error about another holder of a lock, from the end of a sentence that names it."""
    if lock == EMBEDDING_LOCK_FILE_NAME:
        return LockedError("another process is computing embeddings{name}", remedy=remedy, _name=name)
    if lock == SWITCH_LOCK_FILE_NAME:
        return LockedError(
            "another process is switching the embedding model{name}", remedy=remedy, _name=name
        )
    if lock == WATCH_LOCK_FILE_NAME:
        return LockedError("another process watches these sources already{name}", remedy=remedy, _name=name)
    return LockedError("another process is writing this knowledge base{name}", remedy=remedy, _name=name)


def _open(path: Path) -> TextIO:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="utf-8")
    except (FileExistsError, NotADirectoryError) as error:
        raise StorageError(
            "the data folder {path!r} is a file, or lies below one",
            remedy=Remedy(kind="set", setting="storage.data_dir"),
            path=str(path.parent),
        ) from error
    except OSError as error:
        refused = error.errno in _NOT_ALLOWED
        raise (ReadonlyModeError if refused else StorageError)(
            "the data folder {path!r} cannot be written: {reason}",
            remedy=Remedy(
                kind="check_permissions",
                path=str(path.parent),
                otherwise=Remedy(kind="set", setting="storage.data_dir"),
            ),
            path=str(path.parent),
            _reason=error.strerror,
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


def _release(file: TextIO) -> None:
    """Close a locked file, which names nobody any more."""
    with file, suppress(OSError):
        os.ftruncate(file.fileno(), 0)


def _read_holder(text: str) -> dict[str, str | int]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    holder = found if isinstance(found, dict) else {}
    return {key: holder.get(key, "unknown") for key in ("pid", "host", "command")}
