"""What a pass over the vectors of a knowledge base works with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocFilter

from kebab_app.embedding.found_model import find_model
from kebab_app.embedding.second_pass import EmbeddingParts

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_BYTES_PER_MB = 1024 * 1024


def find_embedding_parts(base: KnowledgeBase) -> EmbeddingParts | None:
    """Return the parts over the configured model, None where none is configured.

    Args:
        base: The knowledge base, open for writing.
    """
    from kebab_store_sqlite import SqliteDerivationCache

    model = find_model(lambda: base.embedder)
    if model is None:
        return None
    return EmbeddingParts(
        model=model,
        repo=base.embeddings,
        store=base.vectors,
        cache=SqliteDerivationCache(base.open_for_writing()),
        clock=base.clock,
        max_cache_bytes=base.loaded.settings.storage.cache_mb * _BYTES_PER_MB,
        titles=lambda: (document.title for document in base.documents.list_documents(DocFilter())),
    )
