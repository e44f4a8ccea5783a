"""Bringing the vectors that are stored and the rows that say so in step, whatever has happened to either."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
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
            index = Reconciliation(repo=repo, store=store, identity=identity)
            index.delete([tombstone.chunk_id for tombstone in group])
        repo.bury([tombstone.embedding_id for tombstone in dead])
        count += len(dead)
    return count


@dataclass(frozen=True, kw_only=True)
class Reconciliation:
    """Compares one model's rows with its index.

    Single vectors are looked at only where the numbers differ, or where the index is not in the state that was noted
    when it last had a vector for every committed row: a copy of an older one may have taken its place.
    """

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
        self.seal()
        return len(lost)

    def seal(self) -> None:
        """Note the state of the index, which has the vector of every committed row."""
        edition = self.store.edition(self._index_id)
        if edition is not None and edition != self.repo.sealed_edition(self.identity):
            self.repo.seal(self.identity, edition)

    def delete(self, chunk_ids: Sequence[ChunkId]) -> None:
        """Delete vectors that no committed row knows of."""
        was_sealed = self._is_sealed()
        self.store.delete(self._index_id, chunk_ids)
        if was_sealed:
            self.seal()

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
            self.delete(some)
        return len(unknown)

    def drop_empty(self) -> None:
        """Drop indexes without a vector that other models left when they failed."""
        for table in self.store.tables():
            if not table.rows and table.index_id != self._index_id:
                self.store.drop(table.index_id)

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
        return stored == self.repo.counts(self.identity).committed and self._is_sealed()

    def _is_sealed(self) -> bool:
        edition = self.store.edition(self._index_id)
        return edition is not None and edition == self.repo.sealed_edition(self.identity)

    @property
    def _index_id(self) -> IndexId:
        return vector_index_of(self.identity)


def _pieces(chunk_ids: Iterable[ChunkId]) -> Iterator[list[ChunkId]]:
    rest = iter(chunk_ids)
    while some := list(islice(rest, _IDS_AT_ONCE)):
        yield some
