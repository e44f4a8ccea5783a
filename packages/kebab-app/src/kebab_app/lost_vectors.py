"""Vectors that rows speak of and the index does not have: it was put back from a backup, or came from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_app.vector_index import vector_index_of

if TYPE_CHECKING:
    from kebab_core import ChunkId, EmbeddingIdentity, EmbeddingRepo, VectorStore


class _State(NamedTuple):
    """Of an index, and what was noted of it."""

    identity: EmbeddingIdentity
    edition: str | None
    sealed: str | None


class LostVectors:
    """Finds them for search, and remembers what it found.

    Passages are looked at one by one only where the index is not in the state that its last writer noted. Where none
    ever was, as versions of kebab did that did not do so yet, the next run over vectors looks at them.
    """

    def __init__(self) -> None:
        self._found: tuple[_State, frozenset[ChunkId]] | None = None

    def find(
        self, identity: EmbeddingIdentity, *, repo: EmbeddingRepo, store: VectorStore
    ) -> frozenset[ChunkId]:
        """Return the passages of a model whose vectors are lost.

        Raises:
            StorageError: The index cannot be read.
        """
        state = _State(identity, store.edition(vector_index_of(identity)), repo.sealed_edition(identity))
        if state.edition is not None and state.sealed in {None, state.edition}:
            return frozenset()
        found = self._found
        if found is None or found[0] != state:
            found = self._found = state, find_lost(identity, repo=repo, store=store)
        return found[1]


def find_lost(identity: EmbeddingIdentity, *, repo: EmbeddingRepo, store: VectorStore) -> frozenset[ChunkId]:
    """Return the passages whose vectors are lost, after a look at every one.

    Raises:
        StorageError: The index cannot be read.
    """
    there = set(store.chunk_ids(vector_index_of(identity)))
    return frozenset(chunk_id for chunk_id in repo.committed(identity) if chunk_id not in there)
