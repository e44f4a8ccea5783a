"""The locks of an embedding pass: the writer lock, released while the model works, and the embedding lock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import Remedy

from kebab_store_sqlite.writer_lock import LockWait, WriterLock

if TYPE_CHECKING:
    from kebab_store_sqlite.database import SqliteDatabase

REMEDY = Remedy(kind="wait_for_writer", name="embed")
"""What to do where another process makes vectors."""


@dataclass(frozen=True, kw_only=True)
class PassLocks:
    """The locks of one pass. Implements `Locks`."""

    writer_lock: WriterLock
    """Held."""
    database: SqliteDatabase
    """The one that the pass writes."""
    wait: LockWait
    """How to wait for the writer lock."""
    pass_wait: LockWait | None = None
    """How to wait for the embedding lock; None where this process holds it already."""

    @contextmanager
    def unlocked(self) -> Iterator[None]:
        """Release the writer lock inside the block, and verify afterwards that the database is still the same.

        Yields:
            Nothing.

        Raises:
            LockedError: The lock could not be taken again.
            NotIndexedError: The database was deleted or replaced meanwhile.
        """
        with self.writer_lock.released(self.wait):
            yield
        self.database.require_current()

    def pass_lock(self) -> AbstractContextManager[None]:
        """Hold the embedding lock. Raises like `WriterLock.hold_embedding_lock`."""
        if self.pass_wait is None:
            return nullcontext()
        return self.writer_lock.hold_embedding_lock(wait=self.pass_wait, remedy=REMEDY)
