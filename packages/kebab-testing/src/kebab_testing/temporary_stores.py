"""SQLite's stores over a database of their own, for tests of what reads and writes stores."""

from __future__ import annotations

import secrets
import shutil
import weakref
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from kebab_core import Clock, EmbeddingRepo
from kebab_store_sqlite import (
    SqliteAnswerRepo,
    SqliteDocumentStore,
    SqliteEmbeddingRepo,
    SqliteJobRepo,
    SqliteLexicalIndex,
    SqlitePublicationLog,
    SqliteSourceFileStore,
    open_database,
)

from kebab_testing.fakes.clock import FixedClock

if TYPE_CHECKING:
    from kebab_store_vector import MatrixVectorStore

_IN_MEMORY = Path("/dev/shm")  # noqa: S108  - a folder of their own is made in it

_FOLDERS = set[Path]()
_ID_AT = 68
"""Offset of the application id in a database file (SQLite, Database File Format, 1.3)."""


class TemporaryStores:
    """The stores of one new database, which is deleted with them.

    Args:
        clock: Of the database.
        copy_threshold_bytes: Maximum size of assets that are copied.
        folder: Of the stores of another process, which are opened in place of new ones, and stay.
    """

    def __init__(
        self,
        *,
        clock: Clock | None = None,
        copy_threshold_bytes: int = 1_000_000,
        folder: Path | None = None,
    ) -> None:
        in_memory = _IN_MEMORY if _IN_MEMORY.is_dir() else None
        self.folder = folder or Path(mkdtemp(prefix="kebab-stores-", dir=in_memory))
        if folder is None:
            _write_new_database(self.folder)
        self.database = open_database(
            self.folder, clock=clock or FixedClock(), copy_threshold_bytes=copy_threshold_bytes
        )
        if folder is None:  # no two databases have the same version of their content
            self.database.write(
                "UPDATE kv SET value = lower(hex(randomblob(16))) WHERE key = 'content_version'"
            )
        self.documents = SqliteDocumentStore(self.database)
        self.index = SqliteLexicalIndex(self.database)
        self.source_files = SqliteSourceFileStore(self.database)
        self.embeddings = SqliteEmbeddingRepo(self.database)
        self.answers = SqliteAnswerRepo(self.database)
        self.jobs = SqliteJobRepo(self.database)
        self.publications = SqlitePublicationLog(self.database)
        if folder is None:
            _FOLDERS.add(self.folder)
            weakref.finalize(self.database, _delete, self.folder)

    def open_vector_store(self, source: EmbeddingRepo | None = None) -> MatrixVectorStore:
        """Open a store over the vectors of a source, by default those of the database; its files lie beside it."""
        from kebab_store_vector import MatrixVectorStore  # with numpy; few tests compare vectors

        return MatrixVectorStore(self.folder / "vectors", source or self.embeddings)


def delete_temporary_stores() -> None:
    """Delete all that are left, at the end of a process that may end without its finalizers."""
    for folder in list(_FOLDERS):
        _delete(folder)


@cache
def _new_database() -> tuple[str, bytes]:
    """Name and content of a new database, made once: its 60 statements take four times as long as all else of opening one."""
    folder = Path(mkdtemp(prefix="kebab-stores-"))
    with open_database(folder, clock=FixedClock(), copy_threshold_bytes=0) as database:
        path = database.path
    content = path.read_bytes()
    shutil.rmtree(folder)
    return path.name, content


def _write_new_database(folder: Path) -> None:
    """Write a new database, which has an id like any other."""
    name, content = _new_database()
    path = folder / name
    path.write_bytes(content[:_ID_AT] + (secrets.randbits(31) | 1).to_bytes(4) + content[_ID_AT + 4 :])
    path.chmod(0o600)


def _delete(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _FOLDERS.discard(folder)
