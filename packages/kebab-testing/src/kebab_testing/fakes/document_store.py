"""A document store in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from kebab_core import (
    AnalyzedChunk,
    AnalyzerVersion,
    AssetAudit,
    AssetId,
    CanonicalDocument,
    Chunk,
    ChunkId,
    CompletedScan,
    CopiedStorage,
    CopyLook,
    Coverage,
    DocFilter,
    DocSummary,
    DocumentId,
    DocumentRecord,
    DocumentSet,
    FileFailure,
    FileStamp,
    FileState,
    FileUri,
    IndexedChunk,
    IndexedDocument,
    InvalidInputError,
    LongRecord,
    PackedDocument,
    RawAsset,
    ReferenceStorage,
    RememberedSkip,
    SearchFilters,
    SourceId,
    StorageError,
    StoreStats,
    TrackedFile,
    WorkspacePath,
    file_state,
    hash_bytes,
    is_stale,
    spelling_of,
)

from kebab_testing.fakes.document_filters import passes_filters
from kebab_testing.fakes.document_views import indexed_document_of, summary_of, tracked_file_of

_Key = tuple[str, str]


class InMemoryDocumentStore:
    """Implements `DocumentStore` without a file; assets above the threshold are read from where they are.

    Attributes:
        records: The stored documents by source and path, for `InMemoryLexicalIndex`.
        ingest_running: What `coverage` says of it: there are no runs here.
    """

    def __init__(self, *, copy_threshold_bytes: int = 1_000_000) -> None:
        self.records: dict[_Key, DocumentRecord] = {}
        self.ingest_running = False
        self._copy_threshold_bytes = copy_threshold_bytes
        self._copies: dict[str, bytes] = {}
        self._assets: dict[str, RawAsset] = {}
        self._failures: dict[_Key, FileFailure] = {}
        self._skips: dict[_Key, RememberedSkip] = {}
        self._scans: dict[str, CompletedScan] = {}
        self._revision = 0

    def put_asset(self, asset: RawAsset, content: bytes) -> RawAsset:
        """Return the asset with `stored` saying where its bytes are kept."""
        if len(content) > self._copy_threshold_bytes and isinstance(asset.source_uri, FileUri):
            stored = ReferenceStorage(path=asset.source_uri.path, sha=asset.checksum)
            return asset.model_copy(update={"stored": stored})
        path = f"assets/{asset.asset_id[:2]}/{asset.asset_id}"
        self._copies[path] = content
        return asset.model_copy(update={"stored": CopiedStorage(path=path)})

    def read_asset(self, asset_id: AssetId) -> bytes:
        """Return an asset's bytes.

        Raises:
            StorageError: The asset is unknown, its file is gone or has other content.
        """
        asset = self._assets.get(asset_id)
        if asset is None:
            raise StorageError(f"no asset has the id {asset_id!r}")
        try:
            copied = asset.stored.kind == "copied"
            content = self._copies[asset.stored.path] if copied else Path(asset.stored.path).read_bytes()
        except (KeyError, OSError) as error:
            raise StorageError(f"the file of {asset_id!r} is gone") from error
        if hash_bytes(content) != asset.checksum:
            raise StorageError(f"the file of {asset_id!r} has another checksum")
        return content

    def audit_assets(self, look: CopyLook = CopyLook.NAMES) -> AssetAudit:  # noqa: ARG002 - nothing decays here
        """Return that nothing is lost or damaged, and how many copies no asset needs."""
        kept = self._kept_copies()
        return AssetAudit(copies=len(kept), lost=frozenset(), strays=len(self._copies.keys() - kept))

    def collect_assets(self, *, sweep: bool = True) -> int:
        """Delete assets that no document refers to.

        Returns:
            How many copies went.
        """
        used = {record.asset.asset_id for record in self.records.values()}
        before = self._kept_copies()
        self._assets = {key: asset for key, asset in self._assets.items() if key in used}
        gone = (self._copies.keys() if sweep else before) - self._kept_copies()
        for path in gone:
            del self._copies[path]
        return len(gone)

    def _kept_copies(self) -> set[str]:
        return {asset.stored.path for asset in self._assets.values() if asset.stored.kind == "copied"}

    def pack_document(self, record: DocumentRecord) -> PackedDocument:
        """Return the record itself, wrapped."""
        document = record.document
        return PackedDocument(
            doc_id=document.doc_id,
            source_id=document.source_id,
            workspace_path=document.workspace_path,
            asset_id=record.asset.asset_id,
            byte_len=record.asset.byte_len,
            block_count=len(document.blocks),
            chunk_count=len(record.chunks),
            parser_version=document.parser_version,
            chunker_version=record.chunker_version,
            warnings=document.provenance.warnings,
            rows=record,
        )

    def pack_long(self, record: LongRecord) -> PackedDocument:
        """Return the record put together and wrapped."""
        parts = list(record.parts)
        analyzed = [part for part in parts if isinstance(part, AnalyzedChunk)]
        described = record.describe(len(analyzed))
        blocks = tuple(part for part in parts if not isinstance(part, AnalyzedChunk))
        return self.pack_document(
            described.model_copy(
                update={
                    "document": described.document.model_copy(update={"blocks": blocks}),
                    "chunks": tuple(part.chunk for part in analyzed),
                    "terms": tuple(part.terms for part in analyzed),
                }
            )
        )

    def replace_document(self, document: DocumentRecord | PackedDocument) -> None:
        """Store a document in place of whatever its source and path had.

        Raises:
            InvalidInputError: Another kind of store packed it.
        """
        record = document.rows if isinstance(document, PackedDocument) else document
        if not isinstance(record, DocumentRecord):
            raise InvalidInputError("the document was packed for another kind of store")
        key = (record.document.source_id, record.document.workspace_path)
        previous = self.records.pop(key, None)
        version = record.document.doc_version if previous is None else previous.document.doc_version + 1
        stored = {"doc_version": version, "indexed_at": record.indexed_at}
        self.records[key] = record.model_copy(update={"document": record.document.model_copy(update=stored)})
        known = self._assets.get(record.asset.asset_id)
        if known is None or known.stored.kind == "reference":
            self._assets[record.asset.asset_id] = record.asset
        self._repoint()
        self._failures.pop(key, None)
        self._skips.pop(key, None)
        self._revision += 1

    def touch_file(
        self, doc_id: DocumentId, *, stamp: FileStamp, disk_path: str, asset: RawAsset | None = None
    ) -> None:
        """Record a new stamp."""
        for key, record in self.records.items():
            if record.document.doc_id == doc_id:
                self.records[key] = record.model_copy(update={"stamp": stamp, "disk_path": disk_path})
                self._failures.pop(key, None)
        if asset is not None and self._assets[asset.asset_id].stored.kind == "reference":
            self._assets[asset.asset_id] = asset

    def remove_documents(self, doc_ids: Sequence[DocumentId]) -> int:
        """Remove documents.

        Returns:
            How many of them there were.
        """
        gone = [key for key, record in self.records.items() if record.document.doc_id in doc_ids]
        for key in gone:
            del self.records[key]
        self._repoint()
        self._revision += bool(gone)
        return len(gone)

    def record_failure(self, *failures: FileFailure) -> None:
        """Note that files could not be processed."""
        for failure in failures:
            self._failures[failure.source_id, failure.workspace_path] = failure

    def clear_failure(self, source_id: SourceId, workspace_path: WorkspacePath) -> None:
        """Forget a failure."""
        self._failures.pop((source_id, workspace_path), None)

    def list_failures(self) -> list[FileFailure]:
        """Return all failures, by source and path."""
        return [self._failures[key] for key in sorted(self._failures)]

    def remember_skip(self, skip: RememberedSkip) -> None:
        """Note why a file is left out."""
        key = (skip.source_id, skip.workspace_path)
        self._skips[key] = skip
        self._failures.pop(key, None)

    def forget_skips(self, source_id: SourceId, paths: Sequence[WorkspacePath]) -> None:
        """Forget why files are left out."""
        for path in paths:
            self._skips.pop((source_id, path), None)

    def remembered_skips(self, source_id: SourceId) -> list[RememberedSkip]:
        """Return what is noted of files of a source that are left out, by path."""
        return [self._skips[key] for key in sorted(self._skips) if key[0] == source_id]

    def record_scan(self, scan: CompletedScan) -> None:
        """Note that a source was scanned to its end."""
        self._scans[scan.source_id] = scan

    def list_scans(self) -> list[CompletedScan]:
        """Return the last complete scan of each source."""
        return [self._scans[source] for source in sorted(self._scans)]

    def tracked_file(self, source_id: SourceId, workspace_path: WorkspacePath) -> TrackedFile | None:
        """Return what is known of one file."""
        record = self.records.get((source_id, workspace_path))
        return None if record is None else self._tracked(record)

    def tracked_files(self, source_id: SourceId) -> Iterator[TrackedFile]:
        """Yield what is known of every file of a source, by path."""
        yield from [self._tracked(self.records[key]) for key in sorted(self.records) if key[0] == source_id]

    def file_states(self, source_id: SourceId) -> Mapping[str, FileState]:
        """Return the state of every file of a source by path; empty where the last reading failed."""
        return {
            str(file.workspace_path): FileState("")
            if file.failed
            else file_state(file.stamp, file.fingerprint, spelling_of(file.disk_path, file.workspace_path))
            for file in self.tracked_files(source_id)
        }

    def get_document(self, doc_id: DocumentId) -> CanonicalDocument | None:
        """Return a document."""
        record = self._record(doc_id)
        return None if record is None else record.document

    def get_asset(self, doc_id: DocumentId) -> RawAsset | None:
        """Return the asset of a document."""
        record = self._record(doc_id)
        if record is None:
            return None
        return record.asset.model_copy(update={"stored": self._assets[record.asset.asset_id].stored})

    def get_indexed_document(self, doc_id: DocumentId) -> IndexedDocument | None:
        """Return a document without its blocks."""
        record = self._record(doc_id)
        return None if record is None else self._indexed(record)

    def get_chunks(self, chunk_ids: Sequence[ChunkId]) -> list[IndexedChunk]:
        """Return chunks with their documents in the order asked for."""
        found = {
            chunk.chunk_id: IndexedChunk(chunk=chunk, document=self._indexed(record))
            for record in self.records.values()
            for chunk in record.chunks
        }
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def list_chunks(self, doc_id: DocumentId) -> list[Chunk]:
        """Return the chunks of a document, by ordinal."""
        record = self._record(doc_id)
        return [] if record is None else list(record.chunks)

    def neighbours(self, chunk_id: ChunkId, distance: int) -> list[Chunk]:
        """Return the chunk and up to `distance` chunks on either side."""
        for record in self.records.values():
            for chunk in record.chunks:
                if chunk.chunk_id == chunk_id:
                    return [
                        other for other in record.chunks if abs(other.ordinal - chunk.ordinal) <= distance
                    ]
        return []

    def list_documents(self, criteria: DocFilter) -> list[DocSummary]:
        """Return documents by source and path."""
        found = [self.records[key] for key in sorted(self.records)]
        found = [record for record in found if passes_filters(record, criteria)][criteria.offset :]
        return [summary_of(record, self._indexed(record)) for record in found[: criteria.limit]]

    def resolve_filters(self, filters: SearchFilters) -> DocumentSet | None:
        """Return the documents that pass, or None where nothing filters."""
        if filters.is_empty:
            return None
        return frozenset(
            record.document.doc_id for record in self.records.values() if passes_filters(record, filters)
        )

    def _count_failed(self) -> int:
        """Return how many failures are of files: a folder with documents beneath it is none."""
        return sum(
            not any(key[0] == source and key[1].startswith(f"{path}/") for key in self.records)
            for source, path in self._failures
        )

    def coverage(self, *, now: datetime, stale_threshold_days: int) -> Coverage:
        """Return how much is indexed."""
        documents = [self._indexed(record) for record in self.records.values()]
        return Coverage(
            documents_indexed=len(documents),
            documents_pending=self._pending(),
            documents_failed=self._count_failed(),
            documents_stale=sum(
                is_stale(
                    last_complete_scan_at=document.last_complete_scan_at,
                    indexed_at=document.indexed_at,
                    changed_on_disk=document.changed_on_disk,
                    now=now,
                    threshold_days=stale_threshold_days,
                )
                for document in documents
            ),
            documents_held=sum(scan.documents_held for scan in self._scans.values()),
            ingest_running=self.ingest_running,
        )

    def stats(self) -> StoreStats:
        """Return sizes and breakdowns."""
        documents = [self._indexed(record) for record in self.records.values()]
        return StoreStats(
            doc_count=len(documents),
            chunk_count=sum(len(record.chunks) for record in self.records.values()),
            asset_count=len({record.asset.asset_id for record in self.records.values()}),
            failed_file_count=self._count_failed(),
            pending_document_count=self._pending(),
            held_document_count=sum(scan.documents_held for scan in self._scans.values()),
            docs_by_media=_counted([document.media for document in documents]),
            docs_by_lang=_counted([document.lang for document in documents]),
            docs_by_code_lang=_counted([document.code_lang for document in documents]),
            chunks_by_code_lang=_counted([
                record.document.metadata.code_lang for record in self.records.values() for _ in record.chunks
            ]),
            docs_by_repo=_counted([document.repo for document in documents]),
            sqlite_bytes=0,
            asset_bytes=sum(len(content) for content in self._copies.values()),
            schema_version=0,
            corpus_revision=self._revision,
            active_parsers=tuple(sorted({r.document.parser_version for r in self.records.values()})),
            active_chunkers=tuple(sorted({r.chunker_version for r in self.records.values()})),
            analyzer_version=self.analyzer_version(),
        )

    def corpus_revision(self) -> int:
        """Return the number that rises with every change of what can be found."""
        return self._revision

    def raise_revision(self) -> None:
        """Say that what can be found has changed beside the documents."""
        self._revision += 1

    def analyzer_version(self) -> AnalyzerVersion | None:
        """Return which analyser made the terms of most documents."""
        counts = _counted([record.analyzer_version for record in self.records.values()])
        return AnalyzerVersion(max(counts, key=counts.__getitem__)) if counts else None

    def _record(self, doc_id: DocumentId) -> DocumentRecord | None:
        return next((r for r in self.records.values() if r.document.doc_id == doc_id), None)

    def _pending(self) -> int:
        return sum(record.embedding is not None and bool(record.chunks) for record in self.records.values())

    def _repoint(self) -> None:
        paths: dict[str, list[str]] = {}
        for record in self.records.values():
            paths.setdefault(record.asset.asset_id, []).append(record.disk_path)
        for asset_id, asset in self._assets.items():
            owners = paths.get(asset_id)
            if asset.stored.kind == "reference" and owners and asset.stored.path not in owners:
                stored = asset.stored.model_copy(update={"path": min(owners)})
                self._assets[asset_id] = asset.model_copy(update={"stored": stored})

    def _failed(self, record: DocumentRecord) -> bool:
        return (record.document.source_id, record.document.workspace_path) in self._failures

    def _tracked(self, record: DocumentRecord) -> TrackedFile:
        return tracked_file_of(record, failed=self._failed(record))

    def _indexed(self, record: DocumentRecord) -> IndexedDocument:
        scan = self._scans.get(record.document.source_id)
        return indexed_document_of(record, scan=scan, failed=self._failed(record))


def _counted(values: Sequence[str | None]) -> dict[str, int]:
    present = sorted(value for value in values if value is not None)
    return {value: present.count(value) for value in present}
