"""Query vectors made in one batch and handed out one by one, for bulk search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from kebab_core import (
    ContextOverflowError,
    EmbeddingIdentity,
    EmbeddingKind,
    InvalidInputError,
    KebabError,
    SearchMode,
    SearchQuery,
    VectorMatrix,
)

from kebab_search.query import parse_query

if TYPE_CHECKING:
    from kebab_core import Embedder


class BatchedQueryEmbedder:
    """Embeds a known set of queries in one batch; same vectors as the embedder it wraps.

    Implements `Embedder`; thread-safe where the other is. The batch is made at the first of its queries. If it fails,
    each of them gets the same error; but if a text is too long, each is embedded by itself.

    Args:
        embedder: The model.
        queries: Texts to embed together; see `embedding_texts`.
    """

    def __init__(self, embedder: Embedder, queries: Iterable[str]) -> None:
        self._embedder = embedder
        self._queries = tuple(dict.fromkeys(queries))
        self._waiting = Lock()
        self._vectors: dict[str, VectorMatrix] | None = None
        self._failure: KebabError | None = None

    @property
    def identity(self) -> EmbeddingIdentity:
        """The exact model."""
        return self._embedder.identity

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return one unit vector for each text, in order. See `kebab_core.Embedder`."""
        if len(texts) == 1 and kind is EmbeddingKind.QUERY and texts[0] in self._queries:
            found = self._batch().get(texts[0])
            if found is not None:
                return found
        return self._embedder.embed(texts, kind)

    def _batch(self) -> dict[str, VectorMatrix]:
        with self._waiting:
            if self._failure is not None:
                raise self._failure
            if self._vectors is None:
                self._vectors = self._make()
            return self._vectors

    def _make(self) -> dict[str, VectorMatrix]:
        try:
            rows = _rows(self._embedder.embed(self._queries, EmbeddingKind.QUERY), len(self._queries))
        except ContextOverflowError:
            return {}
        except KebabError as error:
            self._failure = error
            raise
        return dict(zip(self._queries, rows, strict=True))


def embedding_texts(queries: Iterable[SearchQuery]) -> list[str]:
    """List the texts that these searches embed, each once, in order; lexical and unreadable queries have none."""
    texts: dict[str, None] = {}
    for query in queries:
        if query.mode is not SearchMode.LEXICAL:
            with suppress(InvalidInputError):  # which the search itself will say
                texts[parse_query(query.text).embedding_text] = None
    return list(texts)


def _rows(matrix: VectorMatrix, count: int) -> list[VectorMatrix]:
    """Split a matrix into matrices of one row."""
    flat = matrix.cast("B")
    size = len(flat) // count
    return [flat[at * size : (at + 1) * size].cast("f", (1, size // matrix.itemsize)) for at in range(count)]
