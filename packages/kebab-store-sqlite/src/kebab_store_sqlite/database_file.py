"""The file of a database: its permissions, and the id of its knowledge base, in its header and in a file beside it.

A database that is moved or copied over that of another base would be served as if it were that one. The header can be read
from the file alone, before SQLite connects: that would play back a log which belongs to the database that was there.

Files that kebab makes may be opened by their owner alone: they hold private notes.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from kebab_core import DatabaseCorruptError, KebabError, Message, ReadonlyModeError, Remedy, StorageError

if TYPE_CHECKING:
    import sqlite3

_EFFECTIVE = os.access in os.supports_effective_ids
_FOLDER_MODE = 0o700
FILE_MODE = 0o600
ID_NAME = "base-id"
"""The file in the data folder."""
_HEADER_BYTES = 100
_MAGIC = b"SQLite format 3\0"
_PAGE_SIZE = slice(16, 18)
_PAGE_COUNT = slice(28, 32)
_LARGEST_PAGE = 65_536
_ID_BITS = 31
_SIDE_FILES = ("-shm", "-wal", "-journal")
"""In the order in which they are removed: without a log nobody reads the shared memory."""
_HELD: dict[tuple[int, int], int] = {}
"""Open files by device and inode: those of damaged databases, which are few."""
START_OVER = Remedy(kind="reset_data", then=Remedy(kind="ingest"))
_SET_ASIDE = Remedy(kind="repair", then=Remedy(kind="ingest"))
_OTHER_BASE = Message(
    "the database file is that of another knowledge base: it was put in the place of this one's"
)


def read_id(path: Path) -> int | None:
    """Return the id in the header of a database file, whatever its log says; None where it has none yet, or is no database.

    SQLite reads it: to close the file after reading it would drop the locks that SQLite has on it in this process.
    """
    import sqlite3

    if not path.exists():
        return None
    with suppress(sqlite3.Error), closing(_connect_to_file(path)) as connection:
        return _stored_id(connection) or None
    return None


def read_own_id(data_dir: Path) -> int | None:
    """Return the id that the data folder has; None where it has none yet."""
    with suppress(OSError, ValueError):
        return int((data_dir / ID_NAME).read_bytes(), 16) or None
    return None


def require_own_database(path: Path) -> None:
    """Verify that a database file is that of the base whose data folder it lies in; nothing is said where one has no id.

    Raises:
        DatabaseCorruptError: It is that of another base.
    """
    found, own = read_id(path), read_own_id(path.parent)
    if found is not None and own is not None and found != own:
        raise DatabaseCorruptError(_OTHER_BASE, remedy=_SET_ASIDE, path=str(path))


def keep_id(connection: sqlite3.Connection, path: Path, *, readonly: bool) -> int | None:
    """Give a database its id if it has none, that of its data folder if there is one, note it there, and return it.

    Args:
        connection: To the database, outside a transaction.
        path: The database file.
        readonly: Write nothing.

    Returns:
        The id; None where it has none, and `readonly`.

    Raises:
        DatabaseCorruptError: It is the database of another base.
    """
    own = read_own_id(path.parent)
    found = _stored_id(connection)
    if found and own is not None and found != own:
        raise DatabaseCorruptError(_OTHER_BASE, remedy=_SET_ASIDE, path=str(path))
    if readonly:
        return found or None
    if not found:
        connection.execute("BEGIN IMMEDIATE")
        found = _stored_id(connection) or own or secrets.randbits(_ID_BITS) | 1
        connection.execute(f"PRAGMA application_id = {found}")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    if own is None:
        with suppress(OSError, KebabError):  # a folder that cannot be written
            write_private_file(path.parent / ID_NAME, f"{found:08x}\n".encode())
    return found


def forget_id(data_dir: Path) -> None:
    """Remove the note of the id, before the database is replaced by one that is right in its place."""
    (data_dir / ID_NAME).unlink(missing_ok=True)


def create_database_file(path: Path, mode: int) -> None:
    """Create an empty database file unless it exists, and remove what is left of one that was deleted.

    Whoever creates the file removes it; until then the new file is taken for an emptied one.
    """
    left = [
        each
        for each in (*(path.with_name(path.name + end) for end in _SIDE_FILES), path.parent / ID_NAME)
        if each.exists()
    ]
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        for each in left:
            each.unlink(missing_ok=True)


def require_content(path: Path) -> None:
    """Verify that a database in use still has its content; SQLite would wait for the lock of an emptied one in vain.

    A database has its first page before it gets a write-ahead log.

    Raises:
        DatabaseCorruptError: The file is empty, and there is a log.
    """
    try:
        is_emptied = path.stat().st_size == 0 and path.with_name(path.name + "-wal").exists()
    except OSError:
        return
    if is_emptied:
        raise DatabaseCorruptError(
            "the database file is empty: another program has emptied it while it was in use",
            remedy=START_OVER,
            path=str(path),
        )


def require_whole(path: Path) -> None:
    """Say of a database that SQLite could not read what has become of its file, where it shows.

    Raises:
        DatabaseCorruptError: The file was emptied, cut or overwritten, or is that of another base.
    """
    require_content(path)
    require_own_database(path)
    header = _read_header(path)
    if not header:
        return
    if not header.startswith(_MAGIC):
        raise DatabaseCorruptError(
            "the database file is no database any more: another program has overwritten it",
            remedy=START_OVER,
            path=str(path),
        )
    page_size = int.from_bytes(header[_PAGE_SIZE])
    pages = int.from_bytes(header[_PAGE_COUNT])
    due = pages * (_LARGEST_PAGE if page_size == 1 else page_size)
    with suppress(OSError):
        if (left := path.stat().st_size) < due:
            raise DatabaseCorruptError(
                "the database file was cut: {left} of {due} bytes are there",
                remedy=START_OVER,
                path=str(path),
                _left=left,
                _due=due,
            )


def _read_header(path: Path) -> bytes:
    """Return the beginning of a damaged file; empty where it cannot be read. The file stays open, for the reason of `read_id`."""
    try:
        status = path.stat()
        place = status.st_dev, status.st_ino
        if place not in _HELD:
            _HELD[place] = os.open(path, os.O_RDONLY)
        return os.pread(_HELD[place], _HEADER_BYTES, 0)
    except OSError:
        return b""


def _connect_to_file(path: Path) -> sqlite3.Connection:
    import sqlite3

    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _stored_id(connection: sqlite3.Connection) -> int:
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    return int(found)


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
