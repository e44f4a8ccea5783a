"""Copies of files without a database that knows of them: what is left where the database was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app.writer_lock import find_writer

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def count_stranded_copies(base: KnowledgeBase) -> int:
    """Return how many copies of files lie beside a database without documents, or none; 0 while an ingest fills it."""
    if find_writer(base.data_dir) is not None:
        return 0
    if not base.has_database:
        from kebab_store_sqlite import AssetFiles

        return AssetFiles(base.data_dir, copy_threshold_bytes=0).compare(frozenset())[1]
    if base.documents.stats().doc_count:
        return 0
    return base.documents.audit_assets().strays
