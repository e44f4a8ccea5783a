"""The vector leg of a search, made of what a knowledge base has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, NotIndexedError

from kebab_app.vector_index import vector_index_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_core import Embedder, EmbeddingIdentity, EmbeddingRepo, VectorStore
    from kebab_search import Anchors, VectorLeg


def build_vector_leg(
    embedder: Embedder | None,
    *,
    store: VectorStore,
    repo: EmbeddingRepo,
    advice: Callable[[], str] | None = None,
) -> VectorLeg:
    """Return what searches by meaning.

    Args:
        embedder: The model.
        store: Its vectors.
        repo: Its anchors.
        advice: Tells what to do where no passage has a vector of it; None: to embed.

    Raises:
        NotIndexedError: No model is configured.
        ModelMissingError: It is not on this machine.
        ModelUnreachableError: Its server does not answer.
    """
    from kebab_search import VectorLeg

    if embedder is None:
        raise NotIndexedError(
            "no embedding model is configured",
            hint="search with `--mode lexical`, or set one and run `kebab embed`",
        )
    identity = embedder.identity
    return VectorLeg(
        embedder=embedder,
        store=store,
        index_id=vector_index_of(identity),
        anchors=_read_anchors(repo, identity),
        advice=advice,
    )


def _read_anchors(repo: EmbeddingRepo, identity: EmbeddingIdentity) -> Anchors:
    from kebab_search import NO_ANCHORS, decode_anchors

    content = repo.anchors(identity)
    try:
        return NO_ANCHORS if content is None else decode_anchors(content)
    except InvalidInputError:  # written by another version; the next embedding measures again
        return NO_ANCHORS
