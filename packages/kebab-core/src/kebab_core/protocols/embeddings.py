"""The bookkeeping of vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from kebab_core.ids import ChunkId, DocumentId, EmbeddingId

if TYPE_CHECKING:
    from kebab_core.vector import EmbeddingCounts, EmbeddingIdentity, PendingEmbedding, Tombstone


class EmbeddingRepo(Protocol):
    """Which chunks have vectors of which model; the vectors themselves are a `VectorStore`'s.

    A row is pending, then committed once its vector is stored, and a tombstone once its chunk is gone, until the
    vector is gone too. Writing methods are one transaction each and idempotent.
    """

    def request(self, identity: EmbeddingIdentity) -> int:
        """Make every chunk that has no row of a model pending; return how many are pending now."""
        ...

    def withdraw(self, *, keep: EmbeddingIdentity | None = None) -> int:
        """Forget what is pending of other models than `keep`, of all without it; return how many rows went."""
        ...

    def forget(self) -> int:
        """Delete every row of every model: no vector is stored any more; return how many rows went.

        Raises `corpus_revision`.
        """
        ...

    def pending(
        self, identity: EmbeddingIdentity, *, limit: int, within: Collection[DocumentId] | None = None
    ) -> list[PendingEmbedding]:
        """Return chunks to be embedded, chunks of one document together and in order.

        Args:
            identity: The model.
            limit: At most so many, at least 1.
            within: Only those of these documents, which are few; None is all.
        """
        ...

    def count_pending(self, identity: EmbeddingIdentity, *, within: Collection[DocumentId]) -> int:
        """Return how many chunks of a few documents are to be embedded."""
        ...

    def pending_documents(self, identity: EmbeddingIdentity, *, lost: Collection[ChunkId] = ()) -> int:
        """Return how many documents have a chunk without a vector of a model, asked for or not.

        Args:
            identity: The model.
            lost: Chunks that have none, whatever their rows say.
        """
        ...

    def commit(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId], *, table: str) -> None:
        """Note that the vectors of these chunks are stored in a table; ids that are not pending are left alone.

        Raises `corpus_revision`.
        """
        ...

    def reopen(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId] | None = None) -> int:
        """Make committed rows pending again, all of them without ids: their vectors are lost; return how many."""
        ...

    def committed(self, identity: EmbeddingIdentity) -> Iterator[ChunkId]:
        """Yield the chunks whose vectors are stored, by id."""
        ...

    def find_committed(self, identity: EmbeddingIdentity, chunk_ids: Sequence[ChunkId]) -> frozenset[ChunkId]:
        """Return which of these chunks have their vectors stored."""
        ...

    def tombstones(self, *, limit: int) -> list[Tombstone]:
        """Return vectors to be removed, of every model; at most `limit`, at least 1."""
        ...

    def bury(self, embedding_ids: Sequence[EmbeddingId]) -> None:
        """Delete tombstones: their vectors are gone."""
        ...

    def counts(self, identity: EmbeddingIdentity) -> EmbeddingCounts:
        """Return how far the vectors of a model are; tombstones are counted of every model."""
        ...

    def seal(self, identity: EmbeddingIdentity, edition: str) -> None:
        """Note the edition of an index that has the vector of every committed row of a model."""
        ...

    def sealed_edition(self, identity: EmbeddingIdentity) -> str | None:
        """Return what was noted last; None where nothing was since all was forgotten."""
        ...

    def keep_anchors(self, identity: EmbeddingIdentity, content: bytes) -> None:
        """Keep what was measured of a model over this index, UTF-8, in place of what was kept of it."""
        ...

    def anchors(self, identity: EmbeddingIdentity) -> bytes | None:
        """Return what is kept of a model; None where nothing is."""
        ...
