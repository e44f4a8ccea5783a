"""The database of a knowledge base by its roles, index and history, and what its package does with all of it.

No other module names that package. Each part is loaded when it is first used.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_store_sqlite import (
        CONFIG_NAME as CONFIG_NAME,
        ID_NAME as ID_NAME,
        LOCK_FILE_NAME as LOCK_FILE_NAME,
        LOCK_FILE_NAMES as LOCK_FILE_NAMES,
        REPLACED_FOLDER as REPLACED_FOLDER,
        RUN_FILE as RUN_FILE,
        SCHEMA_VERSION as SCHEMA_VERSION,
        SCRATCH_FOLDER as SCRATCH_FOLDER,
        AssetFiles as AssetFiles,
        Backup as Backup,
        BackupManifest as BackupManifest,
        LockWait as LockWait,
        SqliteAnswerRepo,
        SqliteDatabase as SqliteDatabase,
        SqliteDocumentStore,
        SqliteEmbeddingRepo,
        SqliteJobRepo,
        SqliteLexicalIndex,
        SqlitePictureStore,
        SqlitePublicationLog as SqlitePublicationLog,
        SqliteSourceFileStore,
        WriterLock as WriterLock,
        begin_erasure as begin_erasure,
        check_integrity as check_integrity,
        check_tables as check_tables,
        claim_work as claim_work,
        compact as compact,
        end_erasure as end_erasure,
        erase_deleted as erase_deleted,
        erase_traces as erase_traces,
        find_embedding_process as find_embedding_process,
        find_replaced as find_replaced,
        find_writer as find_writer,
        hold_embedding_lock as hold_embedding_lock,
        hold_switch_lock as hold_switch_lock,
        hold_watch_lock as hold_watch_lock,
        hold_writer_lock as hold_writer_lock,
        list_scratch as list_scratch,
        open_archive as open_archive,
        open_database as open_database,
        pack_document as pack_document,
        pack_long as pack_long,
        repair_lexical_index as repair_lexical_index,
        require_unprotected as require_unprotected,
        set_base_aside as set_base_aside,
        stage_backup as stage_backup,
        sweep_scratch as sweep_scratch,
        table_sizes as table_sizes,
        write_backup as write_backup,
    )

__getattr__, __dir__ = lazy_exports(__name__)


class _Role:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database


class Index(_Role):
    """Tables that searches read: documents with their files, terms, symbols and vectors."""

    @cached_property
    def documents(self) -> SqliteDocumentStore:
        """The documents, and the bytes of their files."""
        from kebab_store_sqlite import SqliteDocumentStore

        return SqliteDocumentStore(self._database)

    @cached_property
    def source_files(self) -> SqliteSourceFileStore:
        """The files of sources: stamps, failures, skips and scans."""
        from kebab_store_sqlite import SqliteSourceFileStore

        return SqliteSourceFileStore(self._database)

    @cached_property
    def terms(self) -> SqliteLexicalIndex:
        """The index of terms and of symbols of source code."""
        from kebab_store_sqlite import SqliteLexicalIndex

        return SqliteLexicalIndex(self._database)

    @cached_property
    def embeddings(self) -> SqliteEmbeddingRepo:
        """The vectors, by text."""
        from kebab_store_sqlite import SqliteEmbeddingRepo

        return SqliteEmbeddingRepo(self._database)

    @cached_property
    def pictures(self) -> SqlitePictureStore:
        """Pages of documents that are pictures, and what models made of them."""
        from kebab_store_sqlite import SqlitePictureStore

        return SqlitePictureStore(self._database)


class History(_Role):
    """Records of what was done: runs and jobs, answers and conversations, evaluations."""

    @cached_property
    def jobs(self) -> SqliteJobRepo:
        """Jobs, runs of ingest, and evaluations."""
        from kebab_store_sqlite import SqliteJobRepo

        return SqliteJobRepo(self._database)

    @cached_property
    def answers(self) -> SqliteAnswerRepo:
        """Stored answers and conversations."""
        from kebab_store_sqlite import SqliteAnswerRepo

        return SqliteAnswerRepo(self._database)


class Store:
    """An open database, by its roles."""

    def __init__(self, database: SqliteDatabase) -> None:
        self.database = database
        self.index = Index(database)
        self.history = History(database)

    def is_outdated(self) -> bool:
        """True if the index has a newer state than the one that is open; never, since a database always reads its newest."""
        return False
