"""The lease of a lake: its committer's notice to others, so that two seldom write at once.

It spares work and no more: what keeps a revision whole is that its head is made once (`head`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from kebab_core import LockedError, Model, Remedy, StorageError, UtcDatetime

from kebab_store_lake.head import FOLDER
from kebab_store_lake.objects import has_conditional_put, objects_of

if TYPE_CHECKING:
    from kebab_core import Clock

NAME = "lease"
DURATION = timedelta(minutes=30)
"""A committer that wrote nothing for so long may be taken for dead; the indexes of a table are one write."""


class _Notice(Model):
    writer: str
    expires_at: UtcDatetime


class Lease:
    """The lease of a lake, for one committer.

    Args:
        lake: Its folder, or the URL of its bucket.
        clock: For the end of the lease.
        writer: Names the base that is published: a lease that an earlier process of it left is taken over at once.
    """

    def __init__(self, lake: str, *, clock: Clock, writer: str) -> None:
        self._lake = lake
        self._objects = objects_of(lake, FOLDER)
        self._clock = clock
        self._writer = writer
        self._renewed_at = clock.now()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lease inside the block.

        Raises:
            LockedError: Another base holds it.
            StorageError: It cannot be read or written, or the store makes nothing once.
        """
        if not has_conditional_put(self._objects):
            raise StorageError(
                "the store of the lake {path!r} writes over objects that are to be made once: two processes could publish at once",
                remedy=Remedy(kind="change_setting", setting="storage.lake"),
                path=self._lake,
            )
        if not self._objects.create(NAME, self._notice()):
            self._require_mine()
            self._objects.replace(NAME, self._notice())
        try:
            yield
        finally:
            if self._other() is None:
                self._objects.remove(NAME)

    def renew(self) -> None:
        """Put its end off, where a third of it has passed. Raises like `held`."""
        if self._clock.now() - self._renewed_at >= DURATION / 3:
            self._require_mine()
            self._objects.replace(NAME, self._notice())

    def _notice(self) -> bytes:
        self._renewed_at = self._clock.now()
        notice = _Notice(writer=self._writer, expires_at=self._renewed_at + DURATION)
        return notice.model_dump_json().encode()

    def _other(self) -> _Notice | None:
        """Return the lease of another base that has not ended."""
        try:
            notice = _Notice.model_validate_json(self._objects.read(NAME) or b"")
        except ValueError:
            return None
        is_other = notice.writer != self._writer and notice.expires_at > self._clock.now()
        return notice if is_other else None

    def _require_mine(self) -> None:
        if (other := self._other()) is not None:
            raise LockedError(
                "the lake is being published by {writer}",
                remedy=Remedy(kind="wait_for_writer", otherwise=Remedy(kind="unset", setting="storage.lake")),
                writer=other.writer,
            )
