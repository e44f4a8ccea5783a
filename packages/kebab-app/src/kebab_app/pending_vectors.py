"""How much waits for vectors of the model in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import IndexModelMismatchError, NotIndexedError, SearchMode

if TYPE_CHECKING:
    from kebab_core import Coverage

    from kebab_app.knowledge_base import KnowledgeBase

_NO_VECTORS = {NotIndexedError.code, IndexModelMismatchError.code}
"""Failures of the vector leg which say that no passage has a vector of the model in force."""


def with_pending_vectors(base: KnowledgeBase, coverage: Coverage) -> Coverage:
    """Return the coverage with the documents that have a passage without a vector of the model in force.

    Vectors that are gone count as missing, whatever was noted when they were made. Where vectors took no part, the
    model is not asked who it is: that may take seconds, and the model of the last ingest stands for it.
    """
    return coverage.model_copy(update={"documents_pending": _count_pending(base, coverage)})


def count_waiting_passages(base: KnowledgeBase) -> int:
    """Return how many passages have no vector of the model that was last asked for any; 0 where none is configured."""
    if not (base.wants_vectors and base.has_database):
        return 0
    passages, latest = base.lexical_index.corpus_size(), base.embeddings.latest_model()
    if latest is None or not base.has_vectors:
        return passages
    return passages - base.embeddings.counts(latest).committed


def _count_pending(base: KnowledgeBase, coverage: Coverage) -> int:
    if not base.wants_vectors:
        return 0
    if SearchMode.VECTOR in coverage.legs and base.embedder is not None:
        return base.embeddings.pending_documents(base.embedder.identity)
    latest = base.embeddings.latest_model()
    is_without = coverage.leg_failure is not None and coverage.leg_failure.code in _NO_VECTORS
    if latest is None or is_without or not base.has_vectors:
        return base.embeddings.embeddable_documents()
    return base.embeddings.pending_documents(latest)
