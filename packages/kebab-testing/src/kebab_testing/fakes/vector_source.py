"""Vectors of passages in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import count

from kebab_core import ChunkId, EmbeddingIdentity, TextHash, VectorRow, VectorRows

from kebab_testing.vectors import halves_of, pack_rows


class InMemoryVectorSource:
    """Implements `EmbeddingRepo`; tests change it by `put` and `remove`.

    Attributes:
        stored: The vectors, by model and text.
    """

    def __init__(self) -> None:
        self.stored: dict[tuple[EmbeddingIdentity, TextHash], bytes] = {}
        self._rows: dict[EmbeddingIdentity, dict[ChunkId, VectorRow]] = {}
        self._changes = count(1)
        self._version = "0"

    def copy(self) -> InMemoryVectorSource:
        """Return one of the same content and version; neither notices what becomes of the other."""
        made = InMemoryVectorSource()
        made.stored = dict(self.stored)
        made._rows = {identity: dict(rows) for identity, rows in self._rows.items()}
        made._version = self._version
        made._changes = count(int(self._version) + 1)
        return made

    def put(self, identity: EmbeddingIdentity, rows: Mapping[VectorRow, Sequence[float]]) -> None:
        """Give passages their vectors; one that is there with another text, document or language is replaced."""
        for row, vector in rows.items():
            self._rows.setdefault(identity, {})[row.chunk_id] = row
            self.stored[identity, row.text_hash] = halves_of(vector)
        self._version = str(next(self._changes))

    def remove(self, chunk_ids: Iterable[ChunkId]) -> None:
        """Remove passages; their vectors stay."""
        for rows in self._rows.values():
            for chunk_id in chunk_ids:
                rows.pop(chunk_id, None)
        self._version = str(next(self._changes))

    def one_state(self) -> nullcontext[None]:
        """Return a context; nothing changes by itself."""
        return nullcontext()

    def content_version(self) -> str:
        """Return the version of the passages and vectors."""
        return self._version

    def rows(self, identity: EmbeddingIdentity) -> Iterator[VectorRows]:
        """Yield the passages of a model."""
        yield from pack_rows(self._rows.get(identity, {}).values())

    def vectors(self, identity: EmbeddingIdentity, text_hashes: Iterable[TextHash]) -> Iterator[bytes]:
        """Yield the vectors of texts."""
        for text_hash in text_hashes:
            yield self.stored.get((identity, text_hash), b"")

    def embedded_models(self) -> list[EmbeddingIdentity]:
        """Return the models with a vector of a passage."""
        return [identity for identity, rows in self._rows.items() if rows]
