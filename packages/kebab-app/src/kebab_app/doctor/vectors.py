"""Whether vectors are whole, and how they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import EmbeddingIdentity, IndexId, StorageError, VectorStore, VectorTable

from kebab_app.doctor.finding import NOT_CONFIGURED, Problem
from kebab_app.embedding.found_model import ReadyModel, find_model
from kebab_app.lost_vectors import find_lost
from kebab_app.vector_index import vector_index_of
from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from kebab_store_vector import VectorReport

    from kebab_app.knowledge_base import KnowledgeBase

_MB = 1_000_000
_BYTES_PER_MB = 1024 * 1024
_REMAKE = "kebab embed makes them again; what the model made before is not asked of it twice"


def check_lancedb_open(base: KnowledgeBase) -> str:
    """Return how the vectors lie on the disk.

    Raises:
        Problem: They cannot be read.
    """
    if not _has_vectors(base):
        return NOT_CONFIGURED
    try:
        model = find_model(lambda: base.embedder)
        in_force = vector_index_of(model.identity) if isinstance(model, ReadyModel) else None
        lines = [_describe(base.vectors, table, in_force=in_force) for table in base.vectors.tables()]
    except StorageError as error:
        raise Problem(error.message, hint=error.hint or _REMAKE) from error
    return "; ".join(lines) or "no vectors yet"


def check_vectors_complete(base: KnowledgeBase) -> str:
    """Return how many passages have a vector of the model in force.

    Raises:
        Problem: Some have none, or are said to have one that is not there.
    """
    model = find_model(lambda: base.embedder)
    if model is None:
        return NOT_CONFIGURED
    if not base.has_database:
        return "nothing ingested yet"
    if not isinstance(model, ReadyModel):
        return "not known: the model cannot be used (see embedding_model)"
    return _compare(base, model.identity)


def check_derivation_cache(base: KnowledgeBase) -> str:
    """Return how much of what models made is kept."""
    if not base.has_database:
        return "no database yet"
    size = base.derivation_cache.size_bytes()
    most = base.loaded.settings.storage.cache_mb * _BYTES_PER_MB
    return f"{size / _MB:.1f} MB of at most {most / _MB:.0f} MB (storage.cache_mb)"


def _has_vectors(base: KnowledgeBase) -> bool:
    return base.wants_vectors or base.has_vectors


def _compare(base: KnowledgeBase, identity: EmbeddingIdentity) -> str:
    counts = base.embeddings.counts(identity)
    have = f"{_passages(counts.committed)} {'has a vector' if counts.committed == 1 else 'have vectors'}"
    if (writer := find_writer(base.data_dir)) is not None:
        return f"{have}; a writer is at work (pid {writer})"
    try:
        lost = find_lost(identity, repo=base.embeddings, store=base.vectors)
    except StorageError as error:
        raise Problem("the vectors cannot be read (see lancedb_open)", hint=error.hint or _REMAKE) from error
    if lost:
        raise Problem(f"the vectors of {len(lost)} of {_passages(counts.committed)} are lost", hint=_REMAKE)
    if documents := base.embeddings.pending_documents(identity):
        without = "document has" if documents == 1 else "documents have"
        raise Problem(f"{documents} {without} passages without a vector; {have}", hint="kebab embed")
    waiting = f", {counts.tombstones} to be removed by the next ingest" if counts.tombstones else ""
    return f"{have}{waiting}"


def _passages(count: int) -> str:
    return f"{count} passage{'' if count == 1 else 's'}"


def _describe(store: VectorStore, table: VectorTable, *, in_force: IndexId | None) -> str:
    identity = table.identity
    named = f"{identity.model_id} {identity.model_version}: {table.rows} vectors"
    if table.index_id != in_force:
        named = f"{named} of a model that is not in force (kebab reset --vector-only removes all)"
    report = _report_on(store, table.index_id)
    if report is None:
        return named
    how = (
        "exact"
        if report.approximate is None
        else f"{report.approximate.kind}, recall {report.approximate.recall:.3f}"
        f"{'' if report.approximate.is_used else ', too low to be used: exact'}"
    )
    current = "" if report.matrix_is_current else ", read slowly until the next write"
    size = (report.table_bytes + report.matrix_bytes) / _MB
    return f"{named}, {how}, {report.fragments} pieces, {size:.1f} MB{current}"


def _report_on(store: VectorStore, index_id: IndexId) -> VectorReport | None:
    from kebab_store_vector import LanceVectorStore

    return store.report(index_id) if isinstance(store, LanceVectorStore) else None
