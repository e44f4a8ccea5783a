"""Vector coverage of the index: how many documents and passages have no vector of the model in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import (
    DatabaseCorruptError,
    IndexModelMismatchError,
    NotIndexedError,
    SearchMode,
)

if TYPE_CHECKING:
    from kebab_core import Coverage, EmbeddingIdentity

    from kebab_app.knowledge_base import KnowledgeBase


_NO_VECTORS = {NotIndexedError.code, IndexModelMismatchError.code, DatabaseCorruptError.code}
"""Failures of the vector leg which say that no passage has a vector of the model in force that can be used."""


def with_pending_vectors(base: KnowledgeBase, coverage: Coverage) -> Coverage:
    """Add to a coverage the number of documents that have a passage without a vector of the model in force.

    Without vectors in the search the model of the last ingest counts: asking a model for its identity may take seconds.
    """
    return coverage.model_copy(update={"documents_pending": _count_pending(base, coverage)})


def count_waiting_passages(base: KnowledgeBase) -> int:
    """Count the passages without a vector of the model of the last embedding pass; 0 where none is configured."""
    if not (base.wants_vectors and base.has_database):
        return 0
    passages, latest = base.index.terms.corpus_size(), base.index.embeddings.latest_model()
    return passages if latest is None else base.index.embeddings.counts(latest).pending


def count_passages_that_may_wait(base: KnowledgeBase) -> int | None:
    """Count the passages without a vector of a model that cannot be asked for its identity.

    The model of the last embedding pass stands for it if it has the name and version of the settings; else None.
    """
    latest, settings = base.index.embeddings.latest_model(), base.loaded.settings.models.embedding
    if latest is not None and not base.has_embedder_of_its_own:
        version = str(latest.model_version).partition("+")[0]
        if (latest.model_id, version, latest.dimensions) != (
            settings.model,
            settings.version,
            settings.dimensions,
        ):
            return None
    return count_waiting_passages(base)


def _count_pending(base: KnowledgeBase, coverage: Coverage) -> int:
    if not base.wants_vectors:
        return 0
    identity = _model_in_force(base, coverage)
    is_without = coverage.leg_failure is not None and coverage.leg_failure.code in _NO_VECTORS
    if identity is None or is_without:
        return base.index.embeddings.embeddable_documents()
    return base.index.embeddings.pending_documents(identity)


def _model_in_force(base: KnowledgeBase, coverage: Coverage) -> EmbeddingIdentity | None:
    if SearchMode.VECTOR in coverage.legs and base.search_embedder is not None:
        return base.search_embedder.identity
    return base.index.embeddings.latest_model()
