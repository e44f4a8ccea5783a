"""What a pass over the vectors of a knowledge base works with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kebab_core import DocFilter, KebabError

from kebab_app.embedding.found_model import FoundModel
from kebab_app.embedding.second_pass import EmbeddingParts
from kebab_app.pending_vectors import count_passages_that_may_wait

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_BYTES_PER_MB = 1024 * 1024


def build_embedding_parts(
    base: KnowledgeBase, model: FoundModel, *, on_failure: Callable[[KebabError], None] = lambda _: None
) -> EmbeddingParts:
    """Return the parts.

    Args:
        base: The knowledge base, open for writing.
        model: The one that is configured, or why it cannot be used.
        on_failure: Gets what keeps passages from getting their vectors.
    """
    return EmbeddingParts(
        model=model,
        repo=base.embeddings,
        store=base.vectors,
        cache=base.derivation_cache,
        clock=base.clock,
        max_cache_bytes=base.loaded.settings.storage.cache_mb * _BYTES_PER_MB,
        count_waiting=lambda: count_passages_that_may_wait(base),
        on_failure=on_failure,
        titles=lambda: (document.title for document in base.documents.list_documents(DocFilter())),
    )
