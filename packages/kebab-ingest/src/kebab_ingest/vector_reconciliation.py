"""Reconciliation of a vector index with the rows that say which chunks have vectors, whatever happened to either."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from typing import NamedTuple, Protocol, runtime_checkable

from kebab_core import (
    ChunkId,
    DatabaseCorruptError,
    EmbeddingIdentity,
    EmbeddingRepo,
    IndexId,
    VectorStore,
    vector_index_of,
)

_LOG = logging.getLogger("kebab.embedding")
_IDS_AT_ONCE = 1000


def purge_deleted(repo: EmbeddingRepo, store: VectorStore) -> int:
    """Delete the vectors of removed or replaced chunks, of every model.

    Returns:
        Number of vectors.
    """
    count = 0
    while deleted := repo.list_deleted(limit=_IDS_AT_ONCE):
        for identity, group in groupby(deleted, key=attrgetter("identity")):
            index = VectorReconciliation(repo=repo, store=store, identity=identity)
            index.delete([row.chunk_id for row in group])
        repo.purge_deleted([row.embedding_id for row in deleted])
        count += len(deleted)
    return count


@dataclass(frozen=True, kw_only=True)
class VectorReconciliation:
    """Compares one model's rows with its index.

    Single vectors are compared only where the numbers differ, or where the content version of the index is not the one
    of the last checkpoint, when it had a vector for every committed row: an older copy may have taken its place.
    """

    repo: EmbeddingRepo
    store: VectorStore
    identity: EmbeddingIdentity

    def reopen_lost(self) -> int:
        """Make rows pending again whose vectors are lost.

        Returns:
            Number of rows.
        """
        if self._is_in_step():
            return 0
        lost = find_lost(self.identity, repo=self.repo, store=self.store)
        for some in _batches(lost):
            self.repo.reopen(self.identity, some)
        if lost:
            _LOG.warning("%d vectors were lost and are made again", len(lost))
        self.checkpoint()
        return len(lost)

    def checkpoint(self) -> None:
        """Record the content version of the index, which has the vector of every committed row."""
        version = self.store.content_version(self._index_id)
        if version is not None and version != self.repo.checkpoint_version(self.identity):
            self.repo.checkpoint(self.identity, version)

    def delete(self, chunk_ids: Sequence[ChunkId]) -> None:
        """Delete vectors that have no committed row."""
        was_at_checkpoint = self._is_at_checkpoint()
        self.store.delete(self._index_id, chunk_ids)
        if was_at_checkpoint:
            self.checkpoint()

    def delete_unknown(self) -> int:
        """Delete all vectors that have no committed row. Nothing must be pending.

        Returns:
            Number of vectors.
        """
        if self._is_in_step():
            return 0
        known = set(self.repo.committed(self.identity))
        unknown = [chunk_id for chunk_id in self.store.chunk_ids(self._index_id) if chunk_id not in known]
        for some in _batches(unknown):
            self.delete(some)
        return len(unknown)

    def drop_empty(self) -> None:
        """Drop empty indexes that other models left when they failed."""
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
        return stored == self.repo.counts(self.identity).committed and self._is_at_checkpoint()

    def _is_at_checkpoint(self) -> bool:
        version = self.store.content_version(self._index_id)
        return version is not None and version == self.repo.checkpoint_version(self.identity)

    @property
    def _index_id(self) -> IndexId:
        return vector_index_of(self.identity)


def _batches(chunk_ids: Iterable[ChunkId]) -> Iterator[list[ChunkId]]:
    rest = iter(chunk_ids)
    while some := list(islice(rest, _IDS_AT_ONCE)):
        yield some


class _State(NamedTuple):
    """Content version of an index, and that of its last checkpoint."""

    identity: EmbeddingIdentity
    version: str | None
    checkpoint: str | None


class LostVectors:
    """Chunks whose committed vectors the index does not have, for search; found once for each state of the index.

    They are compared one by one only where the index is not at its last checkpoint. Where there is no checkpoint, as
    older versions of kebab recorded none, the next embedding pass compares them.
    """

    def __init__(self) -> None:
        self._found: tuple[_State, frozenset[ChunkId]] | None = None

    def find(
        self, identity: EmbeddingIdentity, *, repo: EmbeddingRepo, store: VectorStore
    ) -> frozenset[ChunkId]:
        """Find the chunks whose vectors of a model are lost.

        Raises:
            StorageError: The index cannot be read.
        """
        state = _State(
            identity, store.content_version(vector_index_of(identity)), repo.checkpoint_version(identity)
        )
        if state.version is not None and state.checkpoint in {None, state.version}:
            return frozenset()
        found = self._found
        if found is None or found[0] != state:
            found = self._found = state, find_lost(identity, repo=repo, store=store)
        return found[1]


def find_lost(identity: EmbeddingIdentity, *, repo: EmbeddingRepo, store: VectorStore) -> frozenset[ChunkId]:
    """Find the chunks whose vectors of a model are lost, by comparing every one.

    Raises:
        StorageError: The index cannot be read.
    """
    there = set(store.chunk_ids(vector_index_of(identity)))
    return frozenset(chunk_id for chunk_id in repo.committed(identity) if chunk_id not in there)


@runtime_checkable
class InspectableVectorStore(Protocol):
    """A vector store that can read an index to its end."""

    def report(self, index_id: IndexId) -> object:
        """Read an index to its end; `DatabaseCorruptError` if it is damaged."""
        ...


def drop_unreadable(store: VectorStore, repo: EmbeddingRepo, identity: EmbeddingIdentity) -> None:
    """Read every index to its end and drop the damaged ones, which the next pass makes anew.

    An index may be counted and searched while one file of its table is cut off. A store that is not inspectable is left
    alone.

    Args:
        store: The vectors.
        repo: Their rows.
        identity: The model in force; the rows of its index are pending again if that is damaged.

    Raises:
        StorageError: An index cannot be read, or not be removed, for another reason than damage.
    """
    if not isinstance(store, InspectableVectorStore):
        return
    try:
        tables = store.tables()
    except DatabaseCorruptError:  # the pass finds that itself
        return
    reconciliation = VectorReconciliation(repo=repo, store=store, identity=identity)
    for table in tables:
        try:
            store.report(table.index_id)
        except DatabaseCorruptError as error:
            _LOG.warning("the vector index %s is made anew: %s", table.index_id, error.message)
            reconciliation.start_over(table.index_id)
