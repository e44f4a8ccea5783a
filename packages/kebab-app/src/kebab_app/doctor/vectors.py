"""Whether vectors are whole, and how they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import EmbeddingIdentity, IndexId, StorageError, VectorStore, VectorTable, vector_index_of
from kebab_ingest import FoundModel, ReadyModel, find_lost, find_model

from kebab_app.doctor.finding import NOT_CONFIGURED, Problem
from kebab_app.wiring import VECTORS_FOLDER
from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from kebab_store_vector import VectorReport

    from kebab_app.knowledge_base import KnowledgeBase

_MB = 1_000_000
_BYTES_PER_MB = 1024 * 1024
_REMAKE = "kebab embed makes them again; what the model made before is not asked of it twice"


def check_lancedb_open(base: KnowledgeBase) -> str:
    """Return how the vectors lie on the disk, a line for each model that has any.

    Raises:
        Problem: They cannot be read.
    """
    if not _has_vectors(base):
        return NOT_CONFIGURED
    folder = base.data_dir / VECTORS_FOLDER
    if folder.exists() and not folder.is_dir():
        raise Problem(f"{folder} is no folder", hint="move it away, then run kebab embed")
    try:
        model = find_model(lambda: base.embedder)
        lines = [_describe(base.vectors, table, model) for table in base.vectors.tables() if table.rows]
    except StorageError as error:
        raise Problem(error.message, hint=error.hint or _REMAKE) from error
    return "\n".join(lines) or "no vectors yet"


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
    most = base.loaded.settings.storage.cache_mb
    return f"{size / _BYTES_PER_MB:.1f} MB of at most {most} MB (storage.cache_mb)"


def _has_vectors(base: KnowledgeBase) -> bool:
    return base.wants_vectors or base.has_vectors


def _compare(base: KnowledgeBase, identity: EmbeddingIdentity) -> str:
    counts = base.embeddings.counts(identity)
    have = (
        f"{_count(counts.committed, 'passage')} {'has a vector' if counts.committed == 1 else 'have vectors'}"
    )
    if (writer := find_writer(base.data_dir)) is not None:
        return f"{have}; a writer is at work (pid {writer})"
    try:
        lost = find_lost(identity, repo=base.embeddings, store=base.vectors)
    except StorageError as error:
        raise Problem("the vectors cannot be read (see lancedb_open)", hint=error.hint or _REMAKE) from error
    if lost:
        raise Problem(
            f"the vectors of {len(lost)} of {_count(counts.committed, 'passage')} are lost", hint=_REMAKE
        )
    if documents := base.embeddings.pending_documents(identity):
        without = "document has" if documents == 1 else "documents have"
        raise Problem(f"{documents} {without} passages without a vector; {have}", hint="kebab embed")
    if counts.committed and base.embeddings.anchors(identity) is None:
        raise Problem(f"what was measured of the model over the index is lost; {have}", hint="kebab embed")
    waiting = f", {counts.tombstones} to be removed by the next ingest" if counts.tombstones else ""
    return f"{have}{waiting}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _describe(store: VectorStore, table: VectorTable, model: FoundModel | None) -> str:
    identity = table.identity
    named = f"{identity.model_id} {identity.model_version}: {_count(table.rows, 'vector')}"
    if _is_left_behind(table, model):
        named = f"{named} of a model that is not in force (kebab reset --vector-only, then kebab embed, lets them go)"
    report = _report_on(store, table.index_id)
    if report is None:
        return named
    how = (
        "exact"
        if report.approximate is None
        else f"{report.approximate.kind}, recall {report.approximate.recall:.3f}"
        f"{'' if report.approximate.is_used else ', too low to be used: exact'}"
    )
    current = "" if report.matrix_is_current else ", read slowly until the next run (kebab doctor --repair)"
    size = (report.table_bytes + report.matrix_bytes) / _MB
    return f"{named}, {how}, {_count(report.fragments, 'piece')}, {size:.1f} MB{current}"


def _is_left_behind(table: VectorTable, model: FoundModel | None) -> bool:
    """Return whether no model that is configured made an index; one that cannot be asked may have made any."""
    if isinstance(model, ReadyModel):
        return table.index_id != vector_index_of(model.identity)
    return model is None


def _report_on(store: VectorStore, index_id: IndexId) -> VectorReport | None:
    from kebab_store_vector import LanceVectorStore

    return store.report(index_id) if isinstance(store, LanceVectorStore) else None
