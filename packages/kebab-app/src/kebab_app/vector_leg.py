"""The vector leg of a search, made of what a knowledge base has, and what to do where there are no vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import EmbeddingKind, InvalidInputError, Message, NotIndexedError, Remedy

from kebab_app.store import find_embedding_process

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kebab_core import (
        Embedder,
        EmbeddingIdentity,
        EmbeddingRepo,
        JobRepo,
        LexicalIndex,
        VectorMatrix,
        VectorStore,
    )
    from kebab_search import QueryCentroids, VectorSearch


def build_vector_leg(
    embedder: Embedder | None,
    *,
    store: VectorStore,
    repo: EmbeddingRepo,
    advice: Callable[[], Remedy] | None = None,
) -> VectorSearch:
    """Return the vector search of a model.

    Args:
        embedder: The model.
        store: Its vectors.
        repo: Its query centroids.
        advice: Gives the remedy where no passage has a vector of it; None: to embed.

    Raises:
        NotIndexedError: No model is configured.
        ModelMissingError: It is not on this machine.
        ModelUnreachableError: Its server does not answer.
    """
    from kebab_search import VectorSearch

    if embedder is None:
        raise NotIndexedError(
            "no embedding model is configured",
            remedy=Remedy(
                kind="use_argument",
                name="mode",
                value="lexical",
                otherwise=Remedy(kind="set", setting="models.embedding.provider", then=Remedy(kind="embed")),
            ),
        )
    identity = embedder.identity
    return VectorSearch(
        embedder=embedder,
        store=store,
        centroids=read_centroids(repo, identity),
        advice=advice,
    )


def advise_on_vectors(data_dir: Path, *, jobs: JobRepo, index: LexicalIndex) -> Remedy:
    """Remedy for passages without vectors: to make them, or to wait for whoever does."""
    process = find_embedding_process(data_dir)
    if process is not None:
        return Remedy(
            advice=Message("search again later: kebab is updating the index (pid {pid})", pid=process)
        )
    if not index.corpus_size() or jobs.unfinished_runs():
        return Remedy(kind="ingest")
    return Remedy(kind="embed")


def read_centroids(repo: EmbeddingRepo, identity: EmbeddingIdentity) -> QueryCentroids:
    """Return the query centroids of a model, none where none are kept."""
    from kebab_search import NO_CENTROIDS, decode_centroids

    content = repo.query_centroids(identity)
    try:
        return NO_CENTROIDS if content is None else decode_centroids(content)
    except InvalidInputError:  # written by another version; the next embedding measures again
        return NO_CENTROIDS


class LastQueryEmbedder:
    """Implements `Embedder`; keeps the vector of the last single query, which search and answer both ask for.

    Thread-safe where the model is.

    Args:
        embedder: The model.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._last: tuple[str, VectorMatrix] | None = None

    @property
    def identity(self) -> EmbeddingIdentity:
        """The exact model."""
        return self.embedder.identity

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return one unit vector for each text, in order. See `kebab_core.Embedder`."""
        if len(texts) != 1 or kind is not EmbeddingKind.QUERY:
            return self.embedder.embed(texts, kind)
        last = self._last  # text and vector are read and replaced together
        if last is None or last[0] != texts[0]:
            last = (texts[0], self.embedder.embed(texts, kind))
            self._last = last
        return last[1]
