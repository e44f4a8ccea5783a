"""An embedder whose files are looked at before it makes what is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from kebab_core import Embedder, EmbeddingIdentity, EmbeddingKind, VectorMatrix


@runtime_checkable
class Verifiable(Protocol):
    """An embedder that can look at every byte of its model."""

    def verify(self) -> None:
        """Do nothing where all is well."""
        ...


class CheckedEmbedder:
    """Implements `Embedder`; before the first text the model's files are compared with what they should hold.

    A model with a few bits turned gives vectors like any other. Kept under the name of the whole model they would be
    wrong for good.

    Args:
        embedder: What makes the vectors; one that cannot look at its files, such as a server's, is taken as it is.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._is_checked = not isinstance(embedder, Verifiable)

    @property
    def identity(self) -> EmbeddingIdentity:
        """The model's."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return one vector for each text, in order.

        Raises:
            ModelCorruptError: The files are damaged.
            ExternalError: The model cannot be used.
        """
        if not self._is_checked and isinstance(self._embedder, Verifiable):
            self._embedder.verify()
            self._is_checked = True
        return self._embedder.embed(texts, kind)
