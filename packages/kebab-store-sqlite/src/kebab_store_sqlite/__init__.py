"""Documents, full text and bookkeeping of kebab in SQLite.

Implements the stores of `kebab_core` on one database file per data folder and keeps copies of small assets beside
it; also backups of both. Analyses no text and knows no vectors: terms come from an `Analyzer`, of vectors it keeps
only which are due.

    with open_database(folder, clock=clock, copy_threshold_bytes=1_000_000) as database:
        store = SqliteDocumentStore(database)
        store.corpus_revision()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_store_sqlite.answers import SqliteAnswerRepo as SqliteAnswerRepo
    from kebab_store_sqlite.archive import (
        CONFIG_NAME as CONFIG_NAME,
        RUN_FILE as RUN_FILE,
        ArchiveWriter as ArchiveWriter,
        BackupArchive as BackupArchive,
        BackupManifest as BackupManifest,
        open_archive as open_archive,
    )
    from kebab_store_sqlite.assets import AssetFiles as AssetFiles
    from kebab_store_sqlite.backup import Backup as Backup, write_backup as write_backup
    from kebab_store_sqlite.database import SqliteDatabase as SqliteDatabase, open_database as open_database
    from kebab_store_sqlite.database_file import (
        ID_NAME as ID_NAME,
        require_unprotected as require_unprotected,
    )
    from kebab_store_sqlite.document_writer import pack_document as pack_document, pack_long as pack_long
    from kebab_store_sqlite.documents import SqliteDocumentStore as SqliteDocumentStore
    from kebab_store_sqlite.embeddings import SqliteEmbeddingRepo as SqliteEmbeddingRepo
    from kebab_store_sqlite.erasure import (
        begin_erasure as begin_erasure,
        compact as compact,
        end_erasure as end_erasure,
        erase_deleted as erase_deleted,
        erase_traces as erase_traces,
    )
    from kebab_store_sqlite.fulltext import SqliteLexicalIndex as SqliteLexicalIndex
    from kebab_store_sqlite.maintenance import (
        check_integrity as check_integrity,
        check_tables as check_tables,
        repair_lexical_index as repair_lexical_index,
        table_sizes as table_sizes,
    )
    from kebab_store_sqlite.pictures import SqlitePictureStore as SqlitePictureStore
    from kebab_store_sqlite.publication import SqlitePublicationLog as SqlitePublicationLog
    from kebab_store_sqlite.replaced_base import (
        REPLACED_FOLDER as REPLACED_FOLDER,
        find_replaced as find_replaced,
        set_base_aside as set_base_aside,
    )
    from kebab_store_sqlite.runs import SqliteJobRepo as SqliteJobRepo
    from kebab_store_sqlite.schema import SCHEMA_VERSION as SCHEMA_VERSION
    from kebab_store_sqlite.scratch import (
        SCRATCH_FOLDER as SCRATCH_FOLDER,
        claim_work as claim_work,
        list_scratch as list_scratch,
        sweep_scratch as sweep_scratch,
    )
    from kebab_store_sqlite.source_files import SqliteSourceFileStore as SqliteSourceFileStore
    from kebab_store_sqlite.staged_backup import (
        StagedBackup as StagedBackup,
        stage_backup as stage_backup,
    )
    from kebab_store_sqlite.writer_lock import (
        LOCK_FILE_NAME as LOCK_FILE_NAME,
        LOCK_FILE_NAMES as LOCK_FILE_NAMES,
        LockWait as LockWait,
        WriterLock as WriterLock,
        find_embedding_process as find_embedding_process,
        find_writer as find_writer,
        hold_embedding_lock as hold_embedding_lock,
        hold_switch_lock as hold_switch_lock,
        hold_watch_lock as hold_watch_lock,
        hold_writer_lock as hold_writer_lock,
    )

__getattr__, __dir__ = lazy_exports(__name__)
