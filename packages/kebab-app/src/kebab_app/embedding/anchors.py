"""Where queries lie in the space of a model, measured after embedding for every search to read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kebab_core import EmbeddingRepo

if TYPE_CHECKING:
    from kebab_app.embedding.cached_embedder import CachedEmbedder


def keep_anchors(repo: EmbeddingRepo, queries: CachedEmbedder, *, titles: Iterable[str]) -> None:
    """Measure a model and keep what was found.

    Args:
        repo: Where it is kept.
        queries: Gives queries their vectors; what it was asked before costs nothing.
        titles: Of all documents.

    Raises:
        ExternalError: The model fails.
        StorageError: It cannot be kept.
    """
    from kebab_search import make_anchors

    content = make_anchors(lambda texts: queries.embed(texts).vectors, titles).encode()
    if repo.anchors(queries.identity) != content:
        repo.keep_anchors(queries.identity, content)
