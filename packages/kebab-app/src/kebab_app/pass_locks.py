"""The locks of one pass over a knowledge base: the writer lock, claimed pages and the embedding lock."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import Remedy, writing_mapped

from kebab_app.store import claim_work

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from contextlib import AbstractContextManager

    from kebab_app.store import LockWait, SqliteDatabase, WriterLock

_PASS_REMEDY = Remedy(kind="wait_for_writer", name="embed")
"""Remedy where another process computes embeddings."""


@dataclass(frozen=True, kw_only=True)
class PassLocks:
    """The locks of one pass. Implements `Locks`."""

    writer_lock: WriterLock
    """Held."""
    database: SqliteDatabase
    """The one that the pass writes."""
    wait: LockWait
    """The wait for the writer lock."""
    pass_wait: LockWait | None = None
    """The wait for the embedding lock; None where this process holds it already."""

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

    @contextmanager
    def claim(self, keys: Collection[str]) -> Iterator[frozenset[str]]:
        """Claim pages to read. See `claim_work`.

        Yields:
            Those that no other process has claimed.

        Raises:
            StorageError: The claim cannot be written.
        """
        with ExitStack() as held:
            with writing_mapped(self.database.data_dir):
                own = held.enter_context(claim_work(self.database.data_dir, "reading", keys))
            yield own

    def pass_lock(self) -> AbstractContextManager[None]:
        """Hold the embedding lock. Raises like `WriterLock.hold_embedding_lock`."""
        if self.pass_wait is None:
            return nullcontext()
        return self.writer_lock.hold_embedding_lock(wait=self.pass_wait, remedy=_PASS_REMEDY)
