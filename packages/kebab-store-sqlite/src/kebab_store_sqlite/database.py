"""The database of one data folder: a connection for each thread, transactions, opening and closing."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from kebab_core import (
    DatabaseCorruptError,
    LockedError,
    NotIndexedError,
    ReadonlyModeError,
    Remedy,
    StorageError,
)

from kebab_store_sqlite.change_notes import note_changes
from kebab_store_sqlite.connection import (
    REPAIR,
    WRITING_CACHE_KIB,
    Access,
    connect,
    readable_access,
    row_errors_mapped,
    sqlite_errors_mapped,
)
from kebab_store_sqlite.database_file import (
    FILE_MODE,
    create_database_file,
    is_write_protected,
    keep_id,
    make_private_folder,
    read_id,
    require_content,
    require_own_database,
    require_readable,
    require_unprotected,
    require_whole,
)
from kebab_store_sqlite.schema import (
    SCHEMA_VERSION,
    apply_migrations,
    load_migrations,
    read_schema_version,
)

if TYPE_CHECKING:
    from kebab_core import Clock

DATABASE_NAME = "kebab.sqlite"
Parameters = Sequence[Any] | Mapping[str, Any]
_Record = TypeVar("_Record")
_DELETED = "the index was deleted meanwhile"
ERASURE_BEGUN = "erasure_begun"
"""Key of the record of an erasure that has not ended."""


class SqliteDatabase:
    """A data folder's database; made by `open_database`.

    Every thread has its own connection. Writes of this process are serialized; reads see the commits of other
    processes. Any thread may close it when it is no longer used.

    Attributes:
        data_dir: The folder; asset paths are relative to it.
        readonly: True if every write raises `ReadonlyModeError`.
        clock: For time stamps that no caller gives.
        copy_threshold_bytes: Maximum size of assets that are copied.
    """

    def __init__(
        self,
        data_dir: Path,
        access: Access,
        *,
        clock: Clock,
        copy_threshold_bytes: int,
        is_protected: bool = False,
    ) -> None:
        self.data_dir = data_dir
        self.readonly = access is not Access.READ_WRITE
        self.clock = clock
        self.copy_threshold_bytes = copy_threshold_bytes
        self._access = access
        self._is_protected = is_protected
        self._connections: dict[threading.Thread, sqlite3.Connection] = {}
        self._guard = threading.Lock()
        self._write_lock = threading.RLock()
        self._closed = False
        self._retired = False
        self._file, _ = _look_at(self.path)
        self._id: int | None = None
        self._seen: tuple[int, int] | None = None
        """Size and time of the file as its id was read last."""
        self._is_own = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of all threads; idempotent.

        The connection of a thread that is using it closes when that use ends: closing it earlier would crash SQLite.
        """
        with self._guard:
            self._closed = True
            self._drop_finished_threads()
            own = self._connections.pop(threading.current_thread(), None)
            if own is not None:
                own.close()
            self._connections.clear()  # closes connections without another reference

    def retire(self) -> None:
        """Refuse new connections and writes: the file was deleted or replaced.

        Threads keep the connection they have, so that running operations see one state to their end.
        """
        with self._guard:
            self._retired = True

    @property
    def is_current(self) -> bool:
        """True if the file is still the one that was opened, and that of the same base."""
        identity, state = _look_at(self.path)
        if identity != self._file:
            return False
        if state != self._seen:  # a checkpoint, or another database written over it
            self._is_own = (found := read_id(self.path)) is None or self._id in {None, found}
            self._seen = state
        return self._is_own

    def require_current(self) -> None:
        """Verify that the file is still the one that was opened, with its content.

        Raises:
            NotIndexedError: It was deleted or replaced.
            DatabaseCorruptError: It was emptied.
        """
        require_content(self.path)
        if not self.is_current:
            raise NotIndexedError(_DELETED, remedy=Remedy(kind="ingest"))

    def keep_id(self) -> None:
        """Give the database an id if it has none, and note it in the data folder.

        Raises:
            DatabaseCorruptError: It is the database of another base.
        """
        with self.reading() as connection:
            self._id = keep_id(connection, self.path, readonly=self.readonly)

    @property
    def path(self) -> Path:
        """The database file."""
        return self.data_dir / DATABASE_NAME

    @property
    def schema_version(self) -> int:
        """The schema version of the database."""
        with self.reading() as connection:
            return read_schema_version(connection)

    @property
    def is_erasure_begun(self) -> bool:
        """True where an erasure has not ended, be it under way or killed."""
        with self.reading() as connection:
            return bool(connection.execute("SELECT 1 FROM kv WHERE key = ?", (ERASURE_BEGUN,)).fetchall())

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Use this thread's connection for one statement, or for several that may see different states.

        Yields:
            The connection, in autocommit mode unless this thread has a transaction open.

        Raises:
            StorageError: SQLite failed; `LockedError` for contention, `DatabaseCorruptError` for damaged pages or rows.
        """
        with row_errors_mapped(), self._borrow_connection() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Use this thread's connection so that all statements see one state.

        Yields:
            The connection inside a read transaction, or inside the one this thread has open.
        """
        with row_errors_mapped(), self.one_state() as connection:
            yield connection

    @contextmanager
    def one_state(self) -> Iterator[sqlite3.Connection]:
        """Like `snapshot`, but only exceptions of SQLite are mapped; all others pass through.

        Yields:
            The connection inside a read transaction, or inside the one this thread has open.
        """
        with self._borrow_connection() as connection:
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.rollback()

    @property
    def is_pinned(self) -> bool:
        """True if this thread reads one state at the moment."""
        connection = self._connections.get(threading.current_thread())
        return connection is not None and connection.in_transaction

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Use this thread's connection for one transaction: committed at the end, rolled back on any error.

        Yields:
            The connection inside an immediate transaction. It must not be nested.

        Raises:
            ReadonlyModeError: The database is open for reading only.
            LockedError: Another process kept writing for longer than the busy timeout.
            DatabaseCorruptError: A row was refused because of damage.
            IntegrityError: Never; a wrong row raises `InternalError`.
        """
        self.require_writable()
        with self._write_lock, self._borrow_connection() as connection:
            connection.execute(f"PRAGMA cache_size = -{WRITING_CACHE_KIB}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                note_changes(connection)
                yield connection
                connection.commit()
            except sqlite3.IntegrityError as error:
                from kebab_store_sqlite.integrity import find_damage

                connection.rollback()
                # a damaged index or table may refuse a row that is right
                if damage := find_damage(connection, writable=True):
                    raise DatabaseCorruptError(
                        "the database is damaged: {damage}", remedy=REPAIR, _damage=damage[0]
                    ) from error
                raise
            finally:
                if connection.in_transaction:
                    connection.rollback()

    def read_all(
        self, query: str, parameters: Parameters, make: Callable[[sqlite3.Row], _Record]
    ) -> list[_Record]:
        """Return a record for each row of one query, built by `make`."""
        with self.reading() as connection:
            return [make(row) for row in connection.execute(query, parameters)]

    def read_first(
        self, query: str, parameters: Parameters, make: Callable[[sqlite3.Row], _Record]
    ) -> _Record | None:
        """Return the record of the first row of one query, built by `make`; None without rows."""
        with self.reading() as connection:
            row = connection.execute(query, parameters).fetchone()
            return None if row is None else make(row)

    def write(self, statement: str, parameters: Parameters = ()) -> int:
        """Execute one statement in a transaction; return the number of rows changed."""
        with self.writing() as connection:
            return connection.execute(statement, parameters).rowcount

    def write_many(self, statement: str, rows: Iterable[Parameters]) -> int:
        """Execute one statement for each row in one transaction; return the number of rows changed."""
        with self.writing() as connection:
            return max(0, connection.executemany(statement, rows).rowcount)

    def require_writable(self) -> None:
        """Verify that the database may be written.

        Raises:
            ReadonlyModeError: The database is open for reading only.
            NotIndexedError: Its file has been deleted.
        """
        if self._retired:
            raise NotIndexedError(_DELETED, remedy=Remedy(kind="ingest"))
        if self._is_protected:
            require_unprotected(self.path)
        if self.readonly:
            raise ReadonlyModeError("the index is open for reading only", remedy=Remedy(kind="allow_writing"))

    @contextmanager
    def _borrow_connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with sqlite_errors_mapped(self.data_dir):
                yield self._connection()
        except LockedError:
            require_content(self.path)
            raise
        except DatabaseCorruptError:
            require_whole(self.path)
            raise

    def _connection(self) -> sqlite3.Connection:
        thread = threading.current_thread()
        if (connection := self._connections.get(thread)) is not None:
            return connection
        with self._guard:
            if self._closed:
                raise StorageError("the database is closed")
            self._drop_finished_threads()
            connection = self._connect()
            self._connections[thread] = connection
            return connection

    def _connect(self) -> sqlite3.Connection:
        """Open a connection, and verify that the file is still the one that was opened.

        Raises:
            NotIndexedError: It was deleted or replaced.
            OperationalError: SQLite cannot open it.
        """
        if self._retired:
            raise NotIndexedError(_DELETED, remedy=Remedy(kind="ingest"))
        try:
            connection = connect(self.path, self._access)
        except sqlite3.OperationalError as error:
            if self.is_current:
                raise
            raise NotIndexedError(_DELETED, remedy=Remedy(kind="ingest")) from error
        if not self.is_current:
            connection.close()
        self.require_current()
        return connection

    def _drop_finished_threads(self) -> None:
        for thread in [thread for thread in self._connections if not thread.is_alive()]:
            self._connections.pop(thread).close()


def open_database(
    data_dir: Path, *, clock: Clock, copy_threshold_bytes: int, readonly: bool = False
) -> SqliteDatabase:
    """Open the database of a data folder; create and migrate it if needed.

    A database without write permission is opened as if `readonly` were true.

    Args:
        data_dir: The folder; created with mode 0700 unless `readonly`.
        clock: For the stamps of migrations.
        copy_threshold_bytes: Maximum size of assets that are copied below the folder.
        readonly: True to write nothing.

    Returns:
        The open database, for use as a context manager.

    Raises:
        NotIndexedError: There is no database, and `readonly` is true.
        ReadonlyModeError: The database has to be migrated, and may not be written.
        SchemaTooOldError: Its schema is older than the initial migration.
        SchemaTooNewError: A newer kebab has written it.
        DatabaseCorruptError: The file is damaged, not a database of kebab, or that of another base.
        StorageError: The folder or file cannot be created, opened or, by its permissions, read.
    """
    path = data_dir / DATABASE_NAME
    with sqlite_errors_mapped():
        require_readable(path)
        require_own_database(path)
        is_protected = not readonly and is_write_protected(path)
        if readonly or is_protected:
            access = _access_for_reading(path)
        else:
            access = Access.READ_WRITE
            _create(path)
        database = SqliteDatabase(
            data_dir,
            access,
            clock=clock,
            copy_threshold_bytes=copy_threshold_bytes,
            is_protected=is_protected,
        )
        try:
            _ensure_schema(database)
            database.keep_id()
        except BaseException as error:
            database.close()
            if isinstance(error, StorageError) and not database.readonly:
                require_unprotected(path)
            raise
        return database


def _ensure_schema(database: SqliteDatabase) -> None:
    with database.reading() as connection:
        version = read_schema_version(connection)
        if version == SCHEMA_VERSION:
            return
        if not database.readonly:
            apply_migrations(connection, load_migrations(), clock=database.clock)
        elif version == 0:
            raise _no_index(database.path)
        else:
            raise ReadonlyModeError(
                "the database has schema {version} and is brought to {known} by the next command that may write",
                remedy=Remedy(kind="allow_writing"),
                _version=version,
                _known=SCHEMA_VERSION,
            )


def _access_for_reading(path: Path) -> Access:
    if not path.exists():
        raise _no_index(path)
    return readable_access(path)


def _create(path: Path) -> None:
    try:
        make_private_folder(path.parent)
        create_database_file(path, FILE_MODE)
    except OSError as error:
        raise StorageError(
            "cannot create {path!r}: {reason}",
            remedy=Remedy(
                kind="free_space", otherwise=Remedy(kind="check_permissions", path=str(path.parent))
            ),
            path=str(path),
            _reason=error.strerror,
        ) from error


def _look_at(path: Path) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Return device and inode of a file, which tell it from another, and size and time, which tell its states."""
    try:
        status = path.stat()
    except OSError:
        return None, None
    return (status.st_dev, status.st_ino), (status.st_size, status.st_mtime_ns)


def _no_index(path: Path) -> NotIndexedError:
    return NotIndexedError("there is no index yet", remedy=Remedy(kind="ingest"), path=str(path))
