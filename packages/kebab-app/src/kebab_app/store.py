"""The database of a knowledge base by its roles: index, writer and history.

No other module names the package of the database. Each part is loaded when it is first used.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

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
        check_integrity as check_integrity,
        check_tables as check_tables,
        claim_work as claim_work,
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


class Writer(_Role):
    """Maintenance of the database: erasure, compaction, repair. Whoever uses it holds the writer lock."""

    def begin_erasure(self, *, at: datetime) -> None:
        """Record that a command erases something. See `kebab_store_sqlite.begin_erasure`."""
        from kebab_store_sqlite import begin_erasure

        begin_erasure(self._database, at=at)

    def is_erasure_begun(self) -> bool:
        """Return True where an erasure has not ended, be it under way or killed."""
        from kebab_store_sqlite import is_erasure_begun

        return is_erasure_begun(self._database)

    def end_erasure(self) -> None:
        """Record that nothing is left of what a command erases."""
        from kebab_store_sqlite import end_erasure

        end_erasure(self._database)

    def erase_deleted(self, *, before: datetime | None = None, compact: bool = False) -> bool:
        """Erase deleted text. See `kebab_store_sqlite.erase_deleted`."""
        from kebab_store_sqlite import erase_deleted

        return erase_deleted(self._database, before=before, compact=compact)

    def erase_traces(self, names: Sequence[str]) -> None:
        """Delete finished runs that name something, and results of models. See `kebab_store_sqlite.erase_traces`."""
        from kebab_store_sqlite import erase_traces

        erase_traces(self._database, names)

    def compact(self, *, written: int = 0) -> None:
        """Return unused space to the disk. See `kebab_store_sqlite.compact`."""
        from kebab_store_sqlite import compact

        compact(self._database, written=written)

    def repair_terms(self) -> bool:
        """Make damaged full-text indexes again. See `kebab_store_sqlite.repair_lexical_index`."""
        from kebab_store_sqlite import repair_lexical_index

        return repair_lexical_index(self._database)


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
        self.writer = Writer(database)
        self.history = History(database)

    def is_outdated(self) -> bool:
        """True if the index has a newer state than the one that is open; never, since a database always reads its newest."""
        return False
