"""Bringing the vectors that are stored and the rows that say so in step, whatever has happened to either."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter

from kebab_core import ChunkId, EmbeddingIdentity, EmbeddingRepo, IndexId, VectorStore

from kebab_app.vector_index import vector_index_of

_LOG = logging.getLogger("kebab.embedding")
_IDS_AT_ONCE = 1000


def bury_tombstones(repo: EmbeddingRepo, store: VectorStore) -> int:
    """Delete the vectors of chunks that are gone, of every model.

    Returns:
        How many.
    """
    count = 0
    while dead := repo.tombstones(limit=_IDS_AT_ONCE):
        for identity, group in groupby(dead, key=attrgetter("identity")):
            store.delete(vector_index_of(identity), [tombstone.chunk_id for tombstone in group])
        repo.bury([tombstone.embedding_id for tombstone in dead])
        count += len(dead)
    return count


@dataclass(frozen=True, kw_only=True)
class Reconciliation:
    """Compares one model's rows with its index. Single vectors are looked at only where the numbers differ."""

    repo: EmbeddingRepo
    store: VectorStore
    identity: EmbeddingIdentity

    def reopen_lost(self) -> int:
        """Make rows pending again whose vectors are not there.

        Returns:
            How many.
        """
        if self._is_in_step():
            return 0
        there = set(self.store.chunk_ids(self._index_id))
        lost = [chunk_id for chunk_id in self.repo.committed(self.identity) if chunk_id not in there]
        for some in _pieces(lost):
            self.repo.reopen(self.identity, some)
        if lost:
            _LOG.warning("%d vectors were lost and are made again", len(lost))
        return len(lost)

    def delete_unknown(self) -> int:
        """Delete vectors that no committed row knows of. Nothing must be pending.

        Returns:
            How many.
        """
        if self._is_in_step():
            return 0
        known = set(self.repo.committed(self.identity))
        unknown = [chunk_id for chunk_id in self.store.chunk_ids(self._index_id) if chunk_id not in known]
        for some in _pieces(unknown):
            self.store.delete(self._index_id, some)
        return len(unknown)

    def start_over(self, damaged: IndexId) -> None:
        """Drop an index that is damaged; the model's own is made anew, with every row pending again.

        Another model's is made when that model is used again.
        """
        self.store.drop(damaged)
        if damaged == self._index_id:
            self.store.ensure_table(self._index_id, self.identity)
            self.repo.reopen(self.identity)

    def _is_in_step(self) -> bool:
        stored = next((t.rows for t in self.store.tables() if t.index_id == self._index_id), 0)
        return stored == self.repo.counts(self.identity).committed

    @property
    def _index_id(self) -> IndexId:
        return vector_index_of(self.identity)


def _pieces(chunk_ids: Iterable[ChunkId]) -> Iterator[list[ChunkId]]:
    rest = iter(chunk_ids)
    while some := list(islice(rest, _IDS_AT_ONCE)):
        yield some
