from __future__ import annotations

import sqlite3

import pytest
from kebab_core import (
    DatabaseCorruptError,
    InternalError,
    LockedError,
    ReadonlyModeError,
    Remedy,
    StorageError,
)
from kebab_store_sqlite.connection import kebab_error_for, sqlite_errors_mapped
from kebab_testing.tables import walk

PUBLIC = [
    kind
    for kind in vars(sqlite3).values()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind.__module__ == "sqlite3"
]


OF_ONE_ROW = [sqlite3.IntegrityError, sqlite3.DataError]


@walk("kind", [kind for kind in PUBLIC if kind not in OF_ONE_ROW])
def test_every_exception_of_sqlite3_becomes_a_storage_error(kind: type[Exception]) -> None:
    with pytest.raises(StorageError) as caught, sqlite_errors_mapped():
        raise kind("boom")
    assert isinstance(caught.value.__cause__, kind)


@walk("kind", OF_ONE_ROW)
def test_a_row_that_is_refused_is_a_bug_and_no_fault_of_the_store(kind: type[Exception]) -> None:
    with pytest.raises(InternalError), sqlite_errors_mapped():
        raise kind("boom")


@walk("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE])
def test_a_full_disk_says_what_to_do(code: int) -> None:
    error = sqlite3.OperationalError("boom")
    error.sqlite_errorcode = code
    assert kebab_error_for(error).remedy == Remedy(kind="free_space", then=Remedy(kind="retry"))


def test_the_list_of_exceptions_is_not_empty() -> None:
    assert {sqlite3.Warning, sqlite3.Error, sqlite3.OperationalError, sqlite3.IntegrityError} <= set(PUBLIC)


@walk(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_CORRUPT, DatabaseCorruptError),
        (sqlite3.SQLITE_CORRUPT_VTAB, DatabaseCorruptError),
        (sqlite3.SQLITE_NOTADB, DatabaseCorruptError),
        (sqlite3.SQLITE_BUSY, LockedError),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, LockedError),
        (sqlite3.SQLITE_LOCKED, LockedError),
        (sqlite3.SQLITE_READONLY, ReadonlyModeError),
        (sqlite3.SQLITE_READONLY_DIRECTORY, ReadonlyModeError),
        (sqlite3.SQLITE_FULL, StorageError),
        (sqlite3.SQLITE_IOERR_READ, StorageError),
    ],
)
def test_the_result_code_chooses_the_error(code: int, expected: type[Exception]) -> None:
    error = sqlite3.OperationalError("boom")
    error.sqlite_errorcode = code
    assert type(kebab_error_for(error)) is expected
