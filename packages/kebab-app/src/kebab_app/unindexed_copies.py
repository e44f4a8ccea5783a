"""Copies of files in the data folder that no document refers to: they are left where the database was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def count_unindexed_copies(base: KnowledgeBase) -> int:
    """Count the copies of files where there is no database, or one without documents; 0 while an ingest fills it."""
    if find_writer(base.data_dir) is not None:
        return 0
    if not base.has_database:
        from kebab_store_sqlite import AssetFiles

        return AssetFiles(base.data_dir, copy_threshold_bytes=0).compare(frozenset())[1]
    if base.documents.stats().doc_count:
        return 0
    return base.documents.audit_assets().strays
