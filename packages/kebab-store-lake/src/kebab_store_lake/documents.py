"""The documents of one revision of a lake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from kebab_core import (
    AssetAudit,
    CanonicalDocument,
    Chunk,
    ChunkId,
    CompletedScan,
    Coverage,
    DocFilter,
    DocSummary,
    DocumentEntry,
    DocumentId,
    FileFailure,
    IndexedChunk,
    IndexedDocument,
    RawAsset,
    Repository,
    SourceId,
    StorageError,
    StoreStats,
    WorkspacePath,
    hash_bytes,
)

from kebab_store_lake.head import FORMAT
from kebab_store_lake.revision import ReadonlyStore
from kebab_store_lake.rows import StoredPassage, microseconds, unpack
from kebab_store_lake.selection import LakeSelection, filter_condition
from kebab_store_lake.tables import batches, one_of, quoted

if TYPE_CHECKING:
    from kebab_core import (
        AssetId,
        CopyLook,
        ExtractedText,
        FileState,
        RememberedSkip,
        SearchFilters,
        Selection,
        TrackedFile,
    )

    from kebab_store_lake.revision import LakeRevision
    from kebab_store_lake.tables import Row

_IDS_AT_ONCE = 1000
_Seen = TypeVar("_Seen")
_MOST_SEEN = 5000
"""Documents, and passages, that are kept in memory; in a bucket each look-up is a request."""
_ENTRY = ("doc_id", "source_id", "path", "shown_title", "aliases", "tags", "updated_us", "media", "lang")
_PLACE = ("source_id", "path")


class LakeDocumentStore(ReadonlyStore):
    """Implements the reading half of `DocumentStore` over a revision; what would write raises `ReadonlyModeError`."""

    WRITES = frozenset({
        "pack_document",
        "pack_long",
        "replace_document",
        "remove_documents",
        "replace_terms",
        "put_asset",
        "collect_assets",
    })

    def __init__(self, revision: LakeRevision) -> None:
        self._revision = revision
        self._table = revision.table("documents")
        self._seen_documents: dict[str, IndexedDocument] = {}
        self._seen_texts: dict[str, bool] = {}
        """Documents by id, True for those whose text is stored beside their file; each hit of a search asks for it."""
        self._seen_chunks: dict[str, Chunk] = {}

    def get_document(self, doc_id: DocumentId) -> CanonicalDocument | None:
        """Return a document with its blocks in order, and its extracted text where it has one."""
        for row in self._table.read(["document"], _with_id(doc_id)):
            return CanonicalDocument.model_validate_json(unpack(row["document"]))
        return None

    def get_text(self, doc_id: DocumentId) -> ExtractedText | None:
        """Return the extracted text of a document; None where its file is text, or the id is unknown."""
        document = self.get_document(doc_id) if self._seen_texts.get(doc_id, True) else None
        return None if document is None else document.text

    def get_asset(self, doc_id: DocumentId) -> RawAsset | None:
        """Return the asset of a document."""
        for row in self._table.read(["asset"], _with_id(doc_id)):
            return RawAsset.model_validate_json(row["asset"])
        return None

    def get_indexed_document(self, doc_id: DocumentId) -> IndexedDocument | None:
        """Return a document without its blocks."""
        return next(iter(self._documents_of([doc_id])), None)

    def get_chunks(self, chunk_ids: Sequence[ChunkId]) -> list[IndexedChunk]:
        """Return chunks with their documents in the order of `chunk_ids`; unknown ids are left out."""
        seen = self._seen_chunks = _kept(self._seen_chunks)
        unseen = [chunk_id for chunk_id in dict.fromkeys(chunk_ids) if chunk_id not in seen]
        for passage in self._revision.find_passages(unseen).values():
            seen[passage.chunk_id] = _chunk_of(passage)
        found = [seen[each] for each in chunk_ids if each in seen]
        documents = {each.doc_id: each for each in self._documents_of({chunk.doc_id for chunk in found})}
        return [IndexedChunk(chunk=chunk, document=documents[chunk.doc_id]) for chunk in found]

    def find_documents(self, places: Collection[tuple[str, str]]) -> list[IndexedDocument]:
        """Return the documents at these sources and paths."""
        wanted = set(places)
        found = self._indexed(one_of("path", {path for _, path in wanted})) if wanted else []
        return [each for each in found if (each.source_id, each.doc_path) in wanted]

    def find_copies(self, doc_ids: Collection[DocumentId]) -> dict[DocumentId, list[IndexedDocument]]:
        """Return the other documents with the same content as each of some, by source and path."""
        assets = {each.doc_id: each.asset_id for each in self._documents_of(doc_ids)}
        if not assets:
            return {}
        copies = sorted(
            self._indexed(one_of("asset_id", map(str, set(assets.values())))),
            key=lambda each: (each.source_id, each.doc_path),
        )
        found = {
            doc_id: [each for each in copies if each.asset_id == assets[doc_id] and each.doc_id != doc_id]
            for doc_id in doc_ids
            if doc_id in assets
        }
        return {doc_id: several for doc_id, several in found.items() if several}

    def find_ids(self, prefix: str, *, limit: int) -> list[DocumentId | ChunkId]:
        """Return at most `limit` ids that begin with a prefix: of documents, then of chunks, by id."""
        found: list[DocumentId | ChunkId] = []
        for name, column, kind in (("documents", "doc_id", DocumentId), ("passages", "chunk_id", ChunkId)):
            where = f"{column} >= {quoted(prefix)} AND {column} < {quoted(prefix + 'g')}"
            ids = sorted(row[column] for row in self._revision.table(name).scan([column], where))
            found += map(kind, ids[: limit - len(found)])
        return found

    def languages(self) -> frozenset[str]:
        """Return the languages of all documents."""
        return self._revision.languages

    def list_chunks(self, doc_id: DocumentId) -> list[Chunk]:
        """Return the chunks of a document, by ordinal."""
        return sorted(self._chunks(_with_id(doc_id)), key=lambda chunk: chunk.ordinal)

    def neighbours(self, chunk_id: ChunkId, distance: int) -> list[Chunk]:
        """Return the chunk and up to `distance` chunks on either side, by ordinal."""
        passages = self._revision.table("passages")
        for row in passages.read(["doc_id", "ordinal"], f"chunk_id = {quoted(chunk_id)}"):
            first, last = row["ordinal"] - distance, row["ordinal"] + distance
            where = f"{_with_id(row['doc_id'])} AND ordinal BETWEEN {first} AND {last}"
            return sorted(self._chunks(where), key=lambda chunk: chunk.ordinal)
        return []

    def list_documents(self, criteria: DocFilter) -> list[DocSummary]:
        """Return documents in the order of the criteria."""
        rows = self._table.read(["doc_id", *_PLACE, "updated_us"], filter_condition(criteria))
        rows.sort(key=_place)
        if criteria.order == "recent":
            rows.sort(key=lambda row: -row["updated_us"])
        end = None if criteria.limit is None else criteria.offset + criteria.limit
        ids = [row["doc_id"] for row in rows[criteria.offset : end]]
        found = {row["doc_id"]: row for row in self._rows_of(ids, ["doc_id", *_PLACE, "summary"])}
        return [
            DocSummary.model_validate_json(found[doc_id]["summary"]).model_copy(
                update=self._state(found[doc_id]["source_id"], found[doc_id]["path"])
            )
            for doc_id in ids
        ]

    def count_passing(self, filters: SearchFilters) -> int:
        """Return the number of documents that pass filters."""
        return self._table.count(filter_condition(filters))

    def list_entries(self) -> list[DocumentEntry]:
        """Return names, tags and times of all documents, by source and path."""
        return [
            DocumentEntry(
                doc_id=str.__new__(DocumentId, row["doc_id"]),
                source_id=SourceId(row["source_id"]),
                doc_path=str.__new__(WorkspacePath, row["path"]),
                title=row["shown_title"],
                aliases=tuple(row["aliases"]),
                tags=tuple(row["tags"]),
                updated_at=_time_of(row["updated_us"]),
                media=row["media"],
                lang=row["lang"],
            )
            for row in sorted(self._table.scan(_ENTRY), key=_place)
        ]

    def count_by_source(self) -> dict[SourceId, int]:
        """Return the number of documents of each source, by source."""
        return {SourceId(source): count for source, count in self._revision.source_counts.items()}

    def list_titles(self) -> list[str]:
        """Return the titles of all documents, in any order."""
        return [row["title"] for row in self._table.scan(["title"])]

    def list_links(self) -> list[tuple[DocumentId, str]]:
        """Return the address of every link as it is written, by source and path of its document."""
        rows = sorted(self._table.scan(["doc_id", *_PLACE, "links"]), key=_place)
        return [(str.__new__(DocumentId, row["doc_id"]), address) for row in rows for address in row["links"]]

    def resolve_filters(self, filters: SearchFilters) -> Selection | None:
        """Return the condition that documents pass the filters, or None for filters that select everything."""
        return None if filters.is_empty else LakeSelection(self._table, filter_condition(filters))

    def coverage(self, *, now: datetime, stale_threshold_days: int) -> Coverage:
        """Return the numbers of indexed, pending, failed and stale documents; legs are left empty."""
        head = self._revision.head
        return Coverage(
            documents_indexed=head.documents,
            documents_pending=head.documents_pending,
            documents_failed=self._revision.failed_count,
            documents_stale=self._count_stale(now, stale_threshold_days),
            documents_held=sum(scan.documents_held for scan in self._revision.scans.values()),
        )

    def _count_stale(self, now: datetime, threshold_days: int) -> int:
        """Count the documents whose index may be older than their file. See `DocSummary.is_stale`."""
        conditions = [
            f"(source_id = {quoted(source)} AND path = {quoted(path)})"
            for source, path in self._revision.failed_files
        ]
        scans, sources = self._revision.scans, self._revision.source_counts
        if threshold_days > 0:
            oldest = now - timedelta(days=threshold_days)
            if old := [
                source for source in sources if source in scans and scans[source].completed_at < oldest
            ]:
                conditions.append(one_of("source_id", old))
            if unscanned := sources.keys() - scans.keys():
                conditions.append(
                    f"({one_of('source_id', unscanned)} AND indexed_us < {microseconds(oldest)})"
                )
        return self._table.count(" OR ".join(conditions)) if conditions else 0

    def stats(self) -> StoreStats:
        """Return sizes and breakdowns; of SQLite there is nothing."""
        columns = ["asset_id", "media", "lang", "code_lang", "repo", "parser_version", "chunker_version"]
        rows = list(self._table.scan([*columns, "chunk_count", "byte_len"]))
        sizes = {row["asset_id"]: row["byte_len"] for row in rows}
        chunks: Counter[str] = Counter()
        for row in rows:
            if row["code_lang"] is not None:
                chunks[row["code_lang"]] += row["chunk_count"]
        head, scans = self._revision.head, self._revision.scans.values()
        contents = self._revision.table("assets").scan(["asset_id"])
        return StoreStats(
            doc_count=head.documents,
            chunk_count=head.passages,
            asset_count=len(sizes),
            failed_file_count=self._revision.failed_count,
            pending_document_count=head.documents_pending,
            held_document_count=sum(scan.documents_held for scan in scans),
            last_ingest_at=max((scan.completed_at for scan in scans), default=None),
            docs_by_media=_breakdown(rows, "media"),
            docs_by_lang=_breakdown(rows, "lang"),
            docs_by_code_lang=_breakdown(rows, "code_lang"),
            chunks_by_code_lang=dict(sorted(chunks.items())),
            docs_by_repo=_breakdown(rows, "repo"),
            repositories=tuple(self._revision.repositories),
            sqlite_bytes=0,
            asset_bytes=sum(sizes[row["asset_id"]] for row in contents),
            schema_version=FORMAT,
            corpus_revision=head.corpus_revision,
            active_parsers=tuple(_breakdown(rows, "parser_version")),
            active_chunkers=tuple(_breakdown(rows, "chunker_version")),
            analyzer_version=head.analyzer_version,
        )

    def corpus_revision(self) -> int:
        """Return the revision of the corpus; it rises with every change of search results."""
        return self._revision.head.corpus_revision

    def read_asset(self, asset_id: AssetId) -> bytes:
        """Return an asset's bytes: the copy in the lake, or the file itself where this machine has it.

        Raises:
            StorageError: The asset is unknown, or its file is not there or has other content now.
        """
        for row in self._revision.table("assets").read(["content"], f"asset_id = {quoted(asset_id)}"):
            return bytes(row["content"])
        for row in self._table.read(["asset"], f"asset_id = {quoted(asset_id)}"):
            stored = RawAsset.model_validate_json(row["asset"]).stored
            if stored.kind == "reference":
                return _read_file(stored.path, stored.sha)
        raise StorageError("the lake has no file {asset_id}", asset_id=str(asset_id))

    def audit_assets(self, look: CopyLook) -> AssetAudit:
        """Count the copies; Lance checks what it reads."""
        del look
        return AssetAudit(self._revision.table("assets").count(), frozenset(), 0)

    def _indexed(self, where: str) -> list[IndexedDocument]:
        rows = self._table.read(["doc_id", "indexed", "has_text", *_PLACE], where)
        self._seen_texts = _kept(self._seen_texts) | {row["doc_id"]: row["has_text"] for row in rows}
        return [
            IndexedDocument.model_validate_json(row["indexed"]).model_copy(
                update=self._state(row["source_id"], row["path"])
            )
            for row in rows
        ]

    def _documents_of(self, doc_ids: Collection[str]) -> list[IndexedDocument]:
        """Return documents, those that were read before from memory; a revision never changes."""
        seen = self._seen_documents = _kept(self._seen_documents)
        for ids in batches([str(doc_id) for doc_id in doc_ids if doc_id not in seen], _IDS_AT_ONCE):
            seen |= {str(each.doc_id): each for each in self._indexed(one_of("doc_id", ids))}
        return [seen[doc_id] for doc_id in doc_ids if doc_id in seen]

    def _state(self, source_id: str, path: str) -> dict[str, Any]:
        """Return the fields of a document that tell how it stands to its file."""
        scan = self._revision.scans.get(source_id)
        failed = (source_id, path) in self._revision.failed_files
        return {"last_complete_scan_at": scan and scan.completed_at, "changed_on_disk": failed}

    def _chunks(self, where: str) -> Iterator[Chunk]:
        for row in self._revision.table("passages").scan(["content"], where):
            yield _chunk_of(StoredPassage.read(row["content"]))

    def _rows_of(self, doc_ids: Collection[str], columns: Sequence[str]) -> list[Row]:
        ids = list(map(str, doc_ids))
        return [
            row
            for some in batches(ids, _IDS_AT_ONCE)
            for row in self._table.scan(columns, one_of("doc_id", some))
        ]


class LakeSourceFiles(ReadonlyStore):
    """Failures, scans and repositories of one revision; the stamps of files stay with the committer."""

    WRITES = frozenset({
        "touch_file",
        "record_failure",
        "clear_failure",
        "remember_skip",
        "forget_skips",
        "record_scan",
        "record_repositories",
    })

    def __init__(self, revision: LakeRevision) -> None:
        self._revision = revision

    def list_failures(self) -> list[FileFailure]:
        """Return all failures, by source and path."""
        return list(self._revision.failures)

    def list_scans(self) -> list[CompletedScan]:
        """Return the last complete scan of each source, by source."""
        return list(self._revision.scans.values())

    def list_repositories(self) -> list[Repository]:
        """Return the repositories of all sources, by source and folder."""
        return list(self._revision.repositories)

    def tracked_file(self, source_id: SourceId, workspace_path: WorkspacePath) -> TrackedFile | None:
        """Return None: files are where the committer is."""
        del source_id, workspace_path
        return None

    def tracked_files(self, source_id: SourceId) -> Iterator[TrackedFile]:
        """Yield nothing, likewise."""
        del source_id
        return iter(())

    def file_states(
        self, source_id: SourceId, *, among: Sequence[WorkspacePath] = ()
    ) -> Mapping[str, FileState]:
        """Return no states, likewise."""
        del source_id, among
        return {}

    def remembered_skips(self, source_id: SourceId) -> list[RememberedSkip]:
        """Return none, likewise."""
        del source_id
        return []


def _kept(seen: dict[str, _Seen]) -> dict[str, _Seen]:
    """Return what was seen, or an empty dict in place of much; other threads go on with the one that they have."""
    return seen if len(seen) <= _MOST_SEEN else {}


def _chunk_of(passage: StoredPassage) -> Chunk:
    return Chunk.model_validate_json(unpack(passage.packed))


def _with_id(doc_id: str) -> str:
    return f"doc_id = {quoted(doc_id)}"


def _place(row: Row) -> tuple[str, str]:
    return row["source_id"], row["path"]


def _time_of(microseconds_since: int) -> datetime:
    from datetime import UTC

    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds_since)


def _breakdown(rows: Sequence[Row], column: str) -> dict[str, int]:
    return dict(sorted(Counter(row[column] for row in rows if row[column] is not None).items()))


def _read_file(path: str, checksum: str) -> bytes:
    from pathlib import Path

    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise StorageError(
            "the file {path!r} is not on this machine: {reason}", path=path, _reason=error.strerror
        ) from error
    if hash_bytes(content) != checksum:
        raise StorageError("the file {path!r} has changed since it was indexed", path=path)
    return content
