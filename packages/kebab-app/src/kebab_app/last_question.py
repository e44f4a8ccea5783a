"""An embedder that is asked twice for one question and works once: search and the answer both want its vector."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_core import Embedder, EmbeddingIdentity, EmbeddingKind, VectorMatrix


class LastQuestion:
    """Implements `Embedder`; the vector of the last single query is kept. Thread-safe where the other is.

    Args:
        embedder: The model.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._last: tuple[str, VectorMatrix] | None = None

    @property
    def identity(self) -> EmbeddingIdentity:
        """The exact model."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return one unit vector for each text, in order. See `kebab_core.Embedder`."""
        if len(texts) != 1 or kind is not EmbeddingKind.QUERY:
            return self._embedder.embed(texts, kind)
        last = self._last  # text and vector are read and replaced together
        if last is None or last[0] != texts[0]:
            last = (texts[0], self._embedder.embed(texts, kind))
            self._last = last
        return last[1]
