"""Mending a damaged index as far as that loses nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DatabaseCorruptError

from kebab_app.writer_lock import hold_writer_lock

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def repair(base: KnowledgeBase) -> tuple[str, ...]:
    """Make the full-text indexes anew where they are damaged and nothing else is.

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
    from kebab_store_sqlite import repair_lexical_index

    base.require_writable()
    if not base.has_database:
        return ()
    with hold_writer_lock(base.data_dir):
        try:
            if not repair_lexical_index(base.open_for_writing()):
                return ()
        except DatabaseCorruptError:
            return ()
        return (f"the full-text indexes were made anew from {base.lexical_index.corpus_size()} chunks",)
