"""Which vector index belongs to a model."""

from __future__ import annotations

from kebab_core import EmbeddingIdentity, IndexId, index_id_for

_COLLECTION = "chunks"
_VERSION = "v1"
"""Of what the rows of an index are; raise it with a change that old rows do not survive."""


def vector_index_of(identity: EmbeddingIdentity) -> IndexId:
    """Return the id of the index with the vectors of exactly this model."""
    return index_id_for(
        collection=_COLLECTION,
        embedding_model=identity.model_id,
        embedding_version=identity.model_version,
        dimensions=identity.dimensions,
        index_version=_VERSION,
        index_kind="cosine",
        index_params_hash="",
    )
