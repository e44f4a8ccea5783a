"""Documents, full text and bookkeeping of kebab in SQLite.

Implements the stores of `kebab_core` on one database file per data folder and keeps copies of small assets beside
it. Analyses no text and knows no vectors: terms come from an `Analyzer`, of vectors it keeps only which are due.

    with open_database(folder, clock=clock, copy_threshold_bytes=1_000_000) as database:
        store = SqliteDocumentStore(database)
        store.corpus_revision()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_loader

if TYPE_CHECKING:
    from kebab_store_sqlite.answers import SqliteAnswerRepo
    from kebab_store_sqlite.asset_files import AssetFiles
    from kebab_store_sqlite.barred_files import require_unprotected
    from kebab_store_sqlite.chat_sessions import SqliteChatSessionRepo
    from kebab_store_sqlite.database import SqliteDatabase, open_database
    from kebab_store_sqlite.derivation_cache import SqliteDerivationCache
    from kebab_store_sqlite.documents import SqliteDocumentStore
    from kebab_store_sqlite.embeddings import SqliteEmbeddingRepo
    from kebab_store_sqlite.erasure import erase_deleted
    from kebab_store_sqlite.eval_runs import SqliteEvalRunRepo
    from kebab_store_sqlite.fulltext import SqliteLexicalIndex
    from kebab_store_sqlite.integrity import check_integrity, check_tables
    from kebab_store_sqlite.jobs import SqliteJobRepo
    from kebab_store_sqlite.maintenance import rebuild_lexical_index, repair_lexical_index
    from kebab_store_sqlite.packed_rows import pack_document
    from kebab_store_sqlite.row_spools import RowSpools
    from kebab_store_sqlite.runs import SqliteIngestRunRepo
    from kebab_store_sqlite.schema import SCHEMA_VERSION

_MODULE_OF = {
    "SCHEMA_VERSION": "schema",
    "AssetFiles": "asset_files",
    "RowSpools": "row_spools",
    "SqliteAnswerRepo": "answers",
    "SqliteChatSessionRepo": "chat_sessions",
    "SqliteDatabase": "database",
    "SqliteDerivationCache": "derivation_cache",
    "SqliteDocumentStore": "documents",
    "SqliteEmbeddingRepo": "embeddings",
    "SqliteEvalRunRepo": "eval_runs",
    "SqliteIngestRunRepo": "runs",
    "SqliteJobRepo": "jobs",
    "SqliteLexicalIndex": "fulltext",
    "check_integrity": "integrity",
    "check_tables": "integrity",
    "erase_deleted": "erasure",
    "open_database": "database",
    "require_unprotected": "barred_files",
    "pack_document": "packed_rows",
    "rebuild_lexical_index": "maintenance",
    "repair_lexical_index": "maintenance",
}

__all__ = [
    "SCHEMA_VERSION",
    "AssetFiles",
    "RowSpools",
    "SqliteAnswerRepo",
    "SqliteChatSessionRepo",
    "SqliteDatabase",
    "SqliteDerivationCache",
    "SqliteDocumentStore",
    "SqliteEmbeddingRepo",
    "SqliteEvalRunRepo",
    "SqliteIngestRunRepo",
    "SqliteJobRepo",
    "SqliteLexicalIndex",
    "check_integrity",
    "check_tables",
    "erase_deleted",
    "open_database",
    "pack_document",
    "rebuild_lexical_index",
    "repair_lexical_index",
    "require_unprotected",
]

__getattr__ = lazy_loader(__name__, _MODULE_OF)
