"""How many documents wait for vectors of the model in force, for the coverage of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import SearchMode

if TYPE_CHECKING:
    from kebab_core import Coverage

    from kebab_app.knowledge_base import KnowledgeBase


def with_pending_vectors(base: KnowledgeBase, coverage: Coverage) -> Coverage:
    """Return the coverage with the documents that have a passage without a vector of the model in force.

    Where vectors took no part, the model is not asked who it is: that may take seconds, and what earlier ingests have
    noted as pending tells enough.
    """
    if not base.wants_vectors:
        return coverage.model_copy(update={"documents_pending": 0})
    if SearchMode.VECTOR not in coverage.legs or base.embedder is None:
        return coverage
    pending = base.embeddings.pending_documents(base.embedder.identity)
    return coverage.model_copy(update={"documents_pending": pending})
