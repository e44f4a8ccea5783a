"""A document store in memory."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase

from kebab_core import (
    MAX_LOGGED_IDS,
    AnalyzedChunk,
    AnalyzerVersion,
    CanonicalDocument,
    Chunk,
    ChunkId,
    CompletedScan,
    Coverage,
    DocFilter,
    DocSummary,
    DocumentEntry,
    DocumentId,
    DocumentRecord,
    ExtractedText,
    FileFailure,
    IndexedChunk,
    IndexedDocument,
    InvalidInputError,
    LongRecord,
    PackedDocument,
    RawAsset,
    RememberedSkip,
    Repository,
    SearchFilters,
    Selection,
    SourceId,
    StoreStats,
    ends_of_symbol,
    fold_name,
    is_stale,
    list_links,
    split_name,
)

from kebab_testing.fakes.asset_store import InMemoryAssets
from kebab_testing.fakes.shown_titles import find_title_in_place

FileKey = tuple[str, str]
"""Source id and workspace path."""


class InMemoryDocumentStore(InMemoryAssets):
    """Implements `DocumentStore` in memory, and holds the data of all fakes that are made over it.

    Attributes:
        ingest_running: The value that `coverage` reports: there are no runs here.
        failures: Failed files by source and path.
        skips: Skipped files by source and path.
        scans: The last complete scan by source.
    """

    def __init__(self, *, copy_threshold_bytes: int = 1_000_000) -> None:
        super().__init__(copy_threshold_bytes=copy_threshold_bytes)
        self.lacks_vectors: Callable[[DocumentRecord], bool] = lambda _: False
        """Whether a document waits for vectors; an `InMemoryEmbeddingRepo` sets it."""
        self.ingest_running = False
        self.failures: dict[FileKey, FileFailure] = {}
        self.skips: dict[FileKey, RememberedSkip] = {}
        self.scans: dict[str, CompletedScan] = {}
        self.repositories: dict[tuple[SourceId, str], Repository] = {}
        self._revision = 0

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
            first_chunk_ids=tuple(chunk.chunk_id for chunk in record.chunks[:MAX_LOGGED_IDS]),
        )

    def pack_long(self, record: LongRecord) -> PackedDocument:
        """Return the record with its parts, wrapped."""
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
        """Store a document in place of the one that its source and path had.

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
        known = self.assets.get(record.asset.asset_id)
        if known is None or known.stored.kind == "reference":
            self.assets[record.asset.asset_id] = record.asset
        self._repoint()
        self.failures.pop(key, None)
        self.skips.pop(key, None)
        self._revision += 1

    def remove_documents(self, doc_ids: Sequence[DocumentId]) -> int:
        """Remove documents.

        Returns:
            The number of documents removed.
        """
        gone = [key for key, record in self.records.items() if record.document.doc_id in doc_ids]
        for key in gone:
            del self.records[key]
        self._repoint()
        self._revision += bool(gone)
        return len(gone)

    def get_document(self, doc_id: DocumentId) -> CanonicalDocument | None:
        """Return a document."""
        record = self._record(doc_id)
        return None if record is None else record.document

    def get_text(self, doc_id: DocumentId) -> ExtractedText | None:
        """Return the extracted text of a document."""
        record = self._record(doc_id)
        return None if record is None else record.document.text

    def get_asset(self, doc_id: DocumentId) -> RawAsset | None:
        """Return the asset of a document."""
        record = self._record(doc_id)
        if record is None:
            return None
        return record.asset.model_copy(update={"stored": self.assets[record.asset.asset_id].stored})

    def get_indexed_document(self, doc_id: DocumentId) -> IndexedDocument | None:
        """Return a document without its blocks."""
        record = self._record(doc_id)
        return None if record is None else self._indexed(record)

    def get_chunks(self, chunk_ids: Sequence[ChunkId]) -> list[IndexedChunk]:
        """Return chunks with their documents in the order of `chunk_ids`."""
        found = {
            chunk.chunk_id: IndexedChunk(chunk=chunk, document=self._indexed(record))
            for record in self.records.values()
            for chunk in record.chunks
        }
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def find_documents(self, places: Collection[tuple[str, str]]) -> list[IndexedDocument]:
        """Return the documents at these sources and paths."""
        return [self._indexed(record) for place, record in self.records.items() if place in places]

    def find_copies(self, doc_ids: Collection[DocumentId]) -> dict[DocumentId, list[IndexedDocument]]:
        """Return the other documents with the same content as each of some, by source and path."""
        records = sorted(
            self.records.values(), key=lambda one: (one.document.source_id, one.document.workspace_path)
        )
        found = {
            record.document.doc_id: [
                self._indexed(other)
                for other in records
                if other is not record and other.asset.asset_id == record.asset.asset_id
            ]
            for record in records
            if record.document.doc_id in doc_ids
        }
        return {doc_id: copies for doc_id, copies in found.items() if copies}

    def find_ids(self, prefix: str, *, limit: int) -> list[DocumentId | ChunkId]:
        """Return ids that begin with a prefix, of documents first."""
        doc_ids = sorted(record.document.doc_id for record in self.records.values())
        chunk_ids = sorted(chunk.chunk_id for record in self.records.values() for chunk in record.chunks)
        known: list[DocumentId | ChunkId] = [*doc_ids, *chunk_ids]
        return [each for each in known if each.startswith(prefix)][:limit]

    def languages(self) -> frozenset[str]:
        """Return the languages of all documents."""
        return frozenset(record.document.lang for record in self.records.values())

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
        """Return documents in the order of the criteria."""
        found = [self.records[key] for key in sorted(self.records)]
        if criteria.order == "recent":
            found.sort(key=lambda record: record.document.metadata.updated_at, reverse=True)
        found = [record for record in found if passes_filters(self._placed(record), criteria)][
            criteria.offset :
        ]
        return [summary_of(record, self._indexed(record)) for record in found[: criteria.limit]]

    def count_passing(self, filters: SearchFilters) -> int:
        """Return the number of documents that pass filters."""
        return sum(passes_filters(self._placed(record), filters) for record in self.records.values())

    def list_links(self) -> list[tuple[DocumentId, str]]:
        """Return the address of every link as it is written, by source and path of its document."""
        documents = [self.records[key].document for key in sorted(self.records)]
        return [(each.doc_id, address) for each in documents for address in _addresses(each)]

    def count_by_source(self) -> dict[SourceId, int]:
        """Return the number of documents of each source, by source."""
        return dict(Counter(self.records[key].document.source_id for key in sorted(self.records)))

    def list_titles(self) -> list[str]:
        """Return the titles of all documents."""
        return [record.document.title for record in self.records.values()]

    def list_entries(self) -> list[DocumentEntry]:
        """Return names, tags and times of all documents, by source and path."""
        found = [(self.records[key], self._indexed(self.records[key])) for key in sorted(self.records)]
        return [
            DocumentEntry(
                doc_id=shown.doc_id,
                source_id=shown.source_id,
                doc_path=shown.doc_path,
                title=shown.shown_title,
                aliases=(*shown.aliases, *([shown.title] if shown.title_in_place else [])),
                tags=record.document.metadata.tags,
                updated_at=record.document.metadata.updated_at,
            )
            for record, shown in found
        ]

    def resolve_filters(self, filters: SearchFilters) -> Selection | None:
        """Return the documents that pass the filters, or None for filters that select everything."""
        if filters.is_empty:
            return None
        return frozenset(
            record.document.doc_id
            for record in self.records.values()
            if passes_filters(self._placed(record), filters)
        )

    def _count_failed(self) -> int:
        """Count the failures without those of folders with documents below them."""
        return sum(
            not any(key[0] == source and key[1].startswith(f"{path}/") for key in self.records)
            for source, path in self.failures
        )

    def coverage(self, *, now: datetime, stale_threshold_days: int) -> Coverage:
        """Return the numbers of indexed, pending, failed, stale and held documents."""
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
            documents_held=sum(scan.documents_held for scan in self.scans.values()),
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
            held_document_count=sum(scan.documents_held for scan in self.scans.values()),
            docs_by_media=_counted([document.media for document in documents]),
            docs_by_lang=_counted([document.lang for document in documents]),
            docs_by_code_lang=_counted([document.code_lang for document in documents]),
            chunks_by_code_lang=_counted([
                record.document.metadata.code_lang for record in self.records.values() for _ in record.chunks
            ]),
            docs_by_repo=_counted([document.repo for document in documents]),
            repositories=tuple(self.repositories[key] for key in sorted(self.repositories)),
            sqlite_bytes=0,
            asset_bytes=sum(len(content) for content in self.copies.values()),
            schema_version=0,
            corpus_revision=self._revision,
            active_parsers=tuple(sorted({r.document.parser_version for r in self.records.values()})),
            active_chunkers=tuple(sorted({r.chunker_version for r in self.records.values()})),
            analyzer_version=self.analyzer_version(),
        )

    def corpus_revision(self) -> int:
        """Return the revision of the corpus."""
        return self._revision

    def raise_revision(self) -> None:
        """Raise the revision for a change besides documents."""
        self._revision += 1

    def analyzer_version(self) -> AnalyzerVersion | None:
        """Return the analyser version of most documents."""
        counts = _counted([record.analyzer_version for record in self.records.values()])
        return AnalyzerVersion(max(counts, key=counts.__getitem__)) if counts else None

    def _record(self, doc_id: DocumentId) -> DocumentRecord | None:
        return next((r for r in self.records.values() if r.document.doc_id == doc_id), None)

    def _pending(self) -> int:
        return sum(self.lacks_vectors(record) for record in self.records.values())

    def _repoint(self) -> None:
        paths: dict[str, list[str]] = {}
        for record in self.records.values():
            paths.setdefault(record.asset.asset_id, []).append(record.disk_path)
        for asset_id, asset in self.assets.items():
            owners = paths.get(asset_id)
            if asset.stored.kind == "reference" and owners and asset.stored.path not in owners:
                stored = asset.stored.model_copy(update={"path": min(owners)})
                self.assets[asset_id] = asset.model_copy(update={"stored": stored})

    def has_failed(self, record: DocumentRecord) -> bool:
        """True if a failure is recorded for the document's file."""
        return (record.document.source_id, record.document.workspace_path) in self.failures

    def _placed(self, record: DocumentRecord) -> DocumentRecord:
        """Return the record with the repository that its file lies in, which is no part of the document."""
        document = record.document
        around = [
            (folder, repository)
            for (source, folder), repository in self.repositories.items()
            if source == document.source_id
            and (not folder or document.workspace_path.startswith(f"{folder}/"))
        ]
        if not around or document.metadata.repo is not None:
            return record
        _, innermost = max(around, key=lambda each: len(each[0]))
        metadata = document.metadata.model_copy(update={"repo": innermost.name})
        return record.model_copy(update={"document": document.model_copy(update={"metadata": metadata})})

    def _indexed(self, record: DocumentRecord) -> IndexedDocument:
        document, metadata = record.document, self._placed(record).document.metadata
        scan = self.scans.get(document.source_id)
        return IndexedDocument(
            doc_id=document.doc_id,
            asset_id=record.asset.asset_id,
            source_id=document.source_id,
            doc_path=document.workspace_path,
            title=document.title,
            title_in_place=find_title_in_place(document, (each.document for each in self.records.values())),
            aliases=metadata.aliases,
            lang=document.lang,
            media=record.asset.media_type.kind,
            source_type=metadata.source_type,
            trust_level=metadata.trust_level,
            repo=metadata.repo,
            code_lang=metadata.code_lang,
            stated_on=metadata.stated_on,
            indexed_at=record.indexed_at,
            last_complete_scan_at=None if scan is None else scan.completed_at,
            changed_on_disk=self.has_failed(record),
        )


def _counted(values: Sequence[str | None]) -> dict[str, int]:
    present = sorted(value for value in values if value is not None)
    return {value: present.count(value) for value in present}


def summary_of(record: DocumentRecord, indexed: IndexedDocument) -> DocSummary:
    """Return a document's line of a listing."""
    metadata = record.document.metadata
    return DocSummary(
        **indexed.model_dump(include=DocSummary.model_fields.keys() - {"title"}),
        **metadata.model_dump(include={"tags", "created_at", "updated_at"}),
        title=indexed.shown_title,
        byte_len=record.stamp.byte_len,
        chunk_count=len(record.chunks),
        parser_version=record.document.parser_version,
        chunker_version=record.chunker_version,
    )


def passes_filters(record: DocumentRecord, filters: SearchFilters) -> bool:
    """Return whether a document may be found or listed under the filters; the limits of a listing are left aside."""
    metadata = record.document.metadata
    return (
        _passes_labels(record, filters)
        and (filters.trust_min is None or metadata.trust_level.rank <= filters.trust_min.rank)
        and (filters.ingested_after is None or record.indexed_at > filters.ingested_after)
        and (filters.since is None or metadata.updated_at >= filters.since)
        and (filters.until is None or metadata.updated_at <= filters.until)
        and (filters.modified_since is None or _modified(record) >= filters.modified_since)
        and _among(record.document.doc_id, filters.doc_id)
        and _among(metadata.repo, filters.repo)
        and _among(metadata.code_lang, filters.code_lang)
        and (not filters.symbol or _defines(record, filters.symbol))
        and _among(metadata.source_type, filters.source_type)
    )


def _defines(record: DocumentRecord, names: Sequence[str]) -> bool:
    wanted = {fold_name("".join(split_name(name))) for name in names}
    return any(
        not wanted.isdisjoint(ends_of_symbol(each.symbol))
        for chunk in record.chunks
        for each in chunk.symbols
    )


def _modified(record: DocumentRecord) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=record.stamp.mtime_ns // 1000)


def _passes_labels(record: DocumentRecord, criteria: SearchFilters) -> bool:
    document = record.document
    return (
        _among(document.source_id, criteria.source_id)
        and _among(record.asset.media_type.kind, criteria.media)
        and (not criteria.tags_any or _has_tag(document.metadata.tags, criteria.tags_any))
        and _among(document.lang, criteria.lang)
        and (
            not criteria.path_glob
            or _path_matches(criteria.path_glob, document.workspace_path)
            or any(
                _path_matches([source], document.source_id)
                and _path_matches([glob.removeprefix("/")], document.workspace_path)
                for source, colon, glob in (each.partition(":") for each in criteria.path_glob)
                if colon
            )
        )
    )


def _has_tag(tags: Sequence[str], wanted: Sequence[str]) -> bool:
    return any(tag == one or tag.startswith(f"{one}/") for tag in tags for one in wanted)


def _among(value: str | None, allowed: Sequence[str]) -> bool:
    return not allowed or value in allowed


def _path_matches(globs: Sequence[str], path: str) -> bool:
    spelt = [unicodedata.normalize("NFC", glob).split("/") for glob in globs]
    return any(_names_match(names, path.split("/")) for names in spelt)


def _names_match(globs: Sequence[str], names: Sequence[str]) -> bool:
    # `**` stands for any number of names, at the end for at least one.
    if not globs:
        return not names
    if globs[0] == "**":
        if len(globs) == 1:
            return bool(names)
        return any(_names_match(globs[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], globs[0]) and _names_match(globs[1:], names[1:])


def _addresses(document: CanonicalDocument) -> list[str]:
    return [link.href for block in document.blocks for _, link in list_links(block)]
