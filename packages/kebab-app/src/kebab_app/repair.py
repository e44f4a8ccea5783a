"""Mending a damaged index as far as that loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DatabaseCorruptError, StorageError
from kebab_ingest import VectorReconciliation

from kebab_app.writer_lock import hold_writer_lock

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def repair(base: KnowledgeBase) -> tuple[str, ...]:
    """Make anew what is damaged and can be made from what is whole beside it.

    That is the full-text indexes, of a database that is whole but for them, and what searches read of vectors.

    Args:
        base: The knowledge base.

    Returns:
        What was mended, one sentence each; nothing where all is well or where only starting over helps, which the
        doctor then says.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process is writing.
        StorageError: The disk is full.
    """
    base.require_writable()
    if not base.has_database:
        return ()
    with hold_writer_lock(base.data_dir):
        return tuple(sentence for mend in (_mend_full_text, _mend_vectors) if (sentence := mend(base)))


def _mend_full_text(base: KnowledgeBase) -> str | None:
    from kebab_store_sqlite import repair_lexical_index

    try:
        if not repair_lexical_index(base.open_for_writing()):
            return None
    except DatabaseCorruptError:
        return None
    return f"the full-text indexes were made anew from {base.lexical_index.corpus_size()} chunks"


def _mend_vectors(base: KnowledgeBase) -> str | None:
    """Make anew what searches read of vectors that are whole; the doctor tells of others what to do.

    Returns:
        What was mended.
    """
    from kebab_store_vector import LanceVectorStore

    store = base.vectors
    if not isinstance(store, LanceVectorStore):
        return None
    rows = 0
    try:
        for table in store.tables():
            if not store.report(table.index_id).matrix_is_current:
                store.maintain(table.index_id)
                VectorReconciliation(repo=base.embeddings, store=store, identity=table.identity).reopen_lost()
                rows += table.rows
    except StorageError:
        return None
    return f"what searches read of {rows} vector{'' if rows == 1 else 's'} was made anew" if rows else None
