"""The document store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from kebab_core import CopyLook, InvalidInputError, StorageError

import kebab_store_sqlite.document_reader as reader
import kebab_store_sqlite.document_writer as writer
import kebab_store_sqlite.source_files as tracking
from kebab_store_sqlite.asset_damage import find_damaged
from kebab_store_sqlite.asset_files import AssetFiles
from kebab_store_sqlite.asset_rows import (
    checksums_of,
    copied_assets,
    delete_unused_assets,
    kept_copies,
    storage_of,
)
from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.packed_rows import DocumentRows, pack_document
from kebab_store_sqlite.row_spools import RowSpools, SpooledRows
from kebab_store_sqlite.store_report import read_corpus_revision, read_coverage, read_stats
from kebab_store_sqlite.timestamps import timestamp

if TYPE_CHECKING:
    from kebab_core import (
        AssetAudit,
        AssetId,
        CanonicalDocument,
        Chunk,
        ChunkId,
        CompletedScan,
        Coverage,
        DocFilter,
        DocSummary,
        DocumentId,
        DocumentRecord,
        DocumentSet,
        FileFailure,
        FileStamp,
        FileState,
        IndexedChunk,
        IndexedDocument,
        LongRecord,
        PackedDocument,
        RawAsset,
        RememberedSkip,
        SearchFilters,
        SourceId,
        StoreStats,
        TrackedFile,
        WorkspacePath,
    )


class SqliteDocumentStore:
    """Implements `DocumentStore` on SQLite; usable from several threads.

    `tracked_files` takes its rows at once, so that writing goes on while they are looked through.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database
        self._files = AssetFiles(database.data_dir, copy_threshold_bytes=database.copy_threshold_bytes)

    def put_asset(self, asset: RawAsset, content: bytes) -> RawAsset:
        """Keep a file's bytes; only `replace_document` makes the asset known to the database.

        Returns:
            The asset with `stored` saying where.
        """
        self._db.require_writable()
        return asset.model_copy(update={"stored": self._files.keep(asset, content)})

    def read_asset(self, asset_id: AssetId) -> bytes:
        """Return an asset's bytes, copies checked like references.

        Raises:
            StorageError: The asset is unknown, its file is gone or has other content.
        """
        with self._db.reading() as connection:
            row = connection.execute(
                "SELECT storage_kind, storage_path, checksum FROM assets WHERE asset_id = ?", (asset_id,)
            ).fetchone()
            if row is None:
                raise StorageError(f"no asset has the id {asset_id!r}", asset_id=asset_id)
            stored = storage_of(row)
        return self._files.read(stored, checksum=row["checksum"])

    def audit_assets(self, look: CopyLook = CopyLook.NAMES) -> AssetAudit:
        """Return which copies of assets are gone or damaged, and how many files there are that no asset needs."""
        from kebab_core import AssetAudit

        with self._db.reading() as connection:
            kept = copied_assets(connection)
            missing, strays = self._files.compare(kept)
            lost = checksums_of(connection, missing)
            copies = () if look is CopyLook.NAMES else kept_copies(connection)
        damaged = find_damaged(self._db.data_dir, copies, look)
        return AssetAudit(copies=len(kept), lost=lost, strays=strays, damaged=damaged)

    def collect_assets(self, *, sweep: bool = True) -> int:
        """Delete assets that no document refers to, with their files.

        Must not run while another thread or process puts assets: what they have not stored yet would go.

        Args:
            sweep: Also delete files that belong to no asset.

        Returns:
            How many files went.
        """
        with self._db.writing() as connection:
            gone = delete_unused_assets(connection)
            kept = copied_assets(connection) if sweep else set()
        return self._files.delete_others(kept) if sweep else self._files.delete(gone)

    def pack_document(self, record: DocumentRecord) -> PackedDocument:
        """Return a record as rows; nothing is written.

        Raises:
            InvalidInputError: There are not as many terms as chunks.
        """
        return pack_document(record)

    def pack_long(self, record: LongRecord) -> PackedDocument:
        """Return a long record as rows, most of them in a file that storing the document deletes.

        Raises:
            StorageError: The file cannot be written.
            ReadonlyModeError: The database is open for reading only.
        """
        self._db.require_writable()
        return RowSpools(self._db.data_dir).pack(record)

    def replace_document(self, document: DocumentRecord | PackedDocument) -> None:
        """Store a document in place of whatever its source and path had.

        Raises:
            InvalidInputError: There are not as many terms as chunks, or another kind of store packed it.
        """
        from kebab_core import DocumentRecord

        packed = pack_document(document) if isinstance(document, DocumentRecord) else document
        rows = packed.rows
        if not isinstance(rows, DocumentRows | SpooledRows):
            raise InvalidInputError(f"{packed.workspace_path!r} was packed for another kind of store")
        try:
            with self._db.writing() as connection:
                writer.replace_document(connection, rows)
        finally:
            rows.discard()

    def touch_file(
        self, doc_id: DocumentId, *, stamp: FileStamp, disk_path: str, asset: RawAsset | None = None
    ) -> None:
        """Record a new stamp; its content is what is indexed, so a failure noted for it is forgotten."""
        with self._db.writing() as connection:
            tracking.touch_file(connection, doc_id, stamp=stamp, disk_path=disk_path, asset=asset)

    def remove_documents(self, doc_ids: Sequence[DocumentId]) -> int:
        """Remove documents with everything made from them.

        Returns:
            How many of them there were.
        """
        with self._db.writing() as connection:
            return writer.remove_documents(connection, doc_ids, at=timestamp(self._db.clock.now()))

    def record_failure(self, *failures: FileFailure) -> None:
        """Note that files could not be processed."""
        with self._db.writing() as connection:
            tracking.record_failures(connection, failures)

    def clear_failure(self, source_id: SourceId, workspace_path: WorkspacePath) -> None:
        """Forget a failure."""
        with self._db.writing() as connection:
            writer.forget_failure(connection, source_id=source_id, workspace_path=workspace_path)

    def list_failures(self) -> list[FileFailure]:
        """Return all failures, by source and path."""
        with self._db.reading() as connection:
            return tracking.list_failures(connection)

    def remember_skip(self, skip: RememberedSkip) -> None:
        """Note why a file is left out; a failure noted for it is forgotten."""
        with self._db.writing() as connection:
            tracking.remember_skip(connection, skip)
            writer.forget_failure(connection, source_id=skip.source_id, workspace_path=skip.workspace_path)

    def forget_skips(self, source_id: SourceId, paths: Sequence[WorkspacePath]) -> None:
        """Forget why files are left out."""
        with self._db.writing() as connection:
            tracking.forget_skips(connection, source_id, paths)

    def remembered_skips(self, source_id: SourceId) -> list[RememberedSkip]:
        """Return what is noted of files of a source that are left out, by path."""
        with self._db.reading() as connection:
            return tracking.remembered_skips(connection, source_id)

    def record_scan(self, scan: CompletedScan) -> None:
        """Note that a source was scanned to its end."""
        with self._db.writing() as connection:
            tracking.record_scan(connection, scan)

    def list_scans(self) -> list[CompletedScan]:
        """Return the last complete scan of each source, by source."""
        with self._db.reading() as connection:
            return tracking.list_scans(connection)

    def tracked_file(self, source_id: SourceId, workspace_path: WorkspacePath) -> TrackedFile | None:
        """Return what is known of one file."""
        with self._db.reading() as connection:
            return tracking.tracked_file(connection, source_id, workspace_path)

    def tracked_files(self, source_id: SourceId) -> Iterator[TrackedFile]:
        """Return what is known of every file of a source, by path."""
        with self._db.reading() as connection:
            return tracking.tracked_files(connection, source_id)

    def file_states(self, source_id: SourceId) -> Mapping[str, FileState]:
        """Return the state of every file of a source by path; empty where the last reading failed."""
        with self._db.snapshot() as connection:
            return tracking.file_states(connection, source_id)

    def get_document(self, doc_id: DocumentId) -> CanonicalDocument | None:
        """Return a document with its blocks in order."""
        with self._db.snapshot() as connection:
            return reader.get_document(connection, doc_id)

    def get_asset(self, doc_id: DocumentId) -> RawAsset | None:
        """Return the asset of a document; `discovered_at` is that of the first file with its content."""
        with self._db.reading() as connection:
            return reader.get_asset(connection, doc_id)

    def get_indexed_document(self, doc_id: DocumentId) -> IndexedDocument | None:
        """Return a document without its blocks."""
        with self._db.reading() as connection:
            return reader.get_indexed_document(connection, doc_id)

    def get_chunks(self, chunk_ids: Sequence[ChunkId]) -> list[IndexedChunk]:
        """Return chunks with their documents in the order asked for."""
        with self._db.snapshot() as connection:
            return reader.get_chunks(connection, chunk_ids)

    def list_chunks(self, doc_id: DocumentId) -> list[Chunk]:
        """Return the chunks of a document, by ordinal."""
        with self._db.reading() as connection:
            return reader.list_chunks(connection, doc_id)

    def neighbours(self, chunk_id: ChunkId, distance: int) -> list[Chunk]:
        """Return the chunk and up to `distance` chunks on either side."""
        with self._db.reading() as connection:
            return reader.neighbours(connection, chunk_id, distance=distance)

    def list_documents(self, criteria: DocFilter) -> list[DocSummary]:
        """Return documents by source and path."""
        with self._db.reading() as connection:
            return reader.list_documents(connection, criteria)

    def resolve_filters(self, filters: SearchFilters) -> DocumentSet | None:
        """Return the documents that pass, or None where nothing filters."""
        if filters.is_empty:
            return None
        with self._db.reading() as connection:
            return reader.resolve_filters(connection, filters)

    def coverage(self, *, now: datetime, stale_threshold_days: int) -> Coverage:
        """Return how much is indexed."""
        with self._db.snapshot() as connection:
            return read_coverage(connection, now=now, stale_threshold_days=stale_threshold_days)

    def stats(self) -> StoreStats:
        """Return sizes and breakdowns."""
        with self._db.snapshot() as connection:
            return read_stats(connection, database=self._db.path)

    def corpus_revision(self) -> int:
        """Return the number that rises with every change of what can be found."""
        with self._db.reading() as connection:
            return read_corpus_revision(connection)
