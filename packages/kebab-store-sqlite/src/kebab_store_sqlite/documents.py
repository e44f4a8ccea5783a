"""The document store: documents with their blocks, chunks and terms, and the filters that select them."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

from kebab_core import (
    ChunkId,
    DocumentId,
    IndexedChunk,
    InvalidInputError,
    SourceId,
    fold_name,
    split_name,
)

from kebab_store_sqlite.assets import StoredAssets
from kebab_store_sqlite.corpus_stats import (
    PendingCount,
    raise_corpus_revision,
    read_corpus_revision,
    read_coverage,
    read_stats,
)
from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.document_parts import (
    PassageContents,
    read_blocks,
    read_link_addresses,
    unpack_blocks,
)
from kebab_store_sqlite.document_rows import (
    DOCUMENT_QUERY,
    ENTRY_QUERY,
    INDEXED_DOCUMENT_QUERY,
    SUMMARY_QUERY,
    chunk_of,
    document_of,
    entry_of,
    indexed_document_of,
    read_text,
    summary_of,
)
from kebab_store_sqlite.schema import json_text, nanoseconds, timestamp
from kebab_store_sqlite.source_files import REPO_OF_DOCUMENT

if TYPE_CHECKING:
    from kebab_core import (
        AnalyzerVersion,
        Block,
        CanonicalDocument,
        Chunk,
        ChunkTerms,
        Coverage,
        DocFilter,
        DocSummary,
        DocumentEntry,
        DocumentRecord,
        ExtractedText,
        IndexedDocument,
        ListOrder,
        LongRecord,
        PackedDocument,
        RawAsset,
        SearchFilters,
        Selection,
        StoreStats,
    )


_IN_LIST = "IN (SELECT value FROM json_each(?))"
_BY_ID = f"{INDEXED_DOCUMENT_QUERY} WHERE d.doc_id = ?"
_BY_IDS = f"{INDEXED_DOCUMENT_QUERY} WHERE d.doc_id {_IN_LIST}"
_BY_PLACES = f"""
    {INDEXED_DOCUMENT_QUERY} WHERE d.doc_id IN (
      SELECT p.doc_id FROM json_each(?) s CROSS JOIN json_each(s.value) path CROSS JOIN documents p
      WHERE p.source_id = s.key AND p.workspace_path = path.value)
"""
_COPIES = f"""
    {INDEXED_DOCUMENT_QUERY} WHERE d.doc_id IN (
      SELECT c.doc_id FROM json_each(?) JOIN documents p ON p.doc_id = value JOIN documents c USING (asset_id)
      WHERE c.doc_id <> p.doc_id)
    ORDER BY d.source_id, d.workspace_path
"""
_PAIRS = """
    SELECT p.doc_id, c.doc_id FROM json_each(?) JOIN documents p ON p.doc_id = value JOIN documents c USING (asset_id)
    WHERE c.doc_id <> p.doc_id ORDER BY c.source_id, c.workspace_path
"""
_DOCUMENT_IDS = "SELECT doc_id FROM documents WHERE doc_id >= ? AND doc_id < ? ORDER BY doc_id LIMIT ?"
_CHUNK_IDS = "SELECT chunk_id FROM chunks WHERE chunk_id >= ? AND chunk_id < ? ORDER BY chunk_id LIMIT ?"
_BY_SOURCE = "SELECT source_id, count(*) FROM documents GROUP BY source_id ORDER BY source_id"
_LANGUAGES = """
    WITH RECURSIVE held (lang) AS (
      SELECT min(lang) FROM documents
      UNION ALL SELECT (SELECT min(d.lang) FROM documents d WHERE d.lang > held.lang) FROM held WHERE lang IS NOT NULL)
    SELECT lang FROM held WHERE lang IS NOT NULL
"""
_ORDERS: dict[ListOrder, str] = {
    "path": "d.source_id, d.workspace_path",
    "recent": "d.updated_at DESC, d.source_id, d.workspace_path",
}
_HAS_TAG = """
    d.doc_id IN (SELECT t.doc_id FROM json_each(?) CROSS JOIN document_tags t
      WHERE t.tag = value OR (t.tag > value || '/' AND t.tag < value || '0'))
"""
"""Zero is the character after the slash, so that an index on tags finds the nested ones."""
_MATCHES_GLOB = """
    EXISTS (SELECT 1 FROM json_each(?) WHERE path_matches(value, d.workspace_path)
      OR (instr(value, ':') AND path_matches(substr(value, 1, instr(value, ':') - 1), d.source_id)
        AND path_matches(substr(value, instr(value, ':') + 1), d.workspace_path)))
"""
_IDS = "SELECT d.doc_id FROM documents d"
_SHOWN_BY = """
    SELECT s.doc_id FROM picture_surroundings s, json_each(s.surroundings_json, '$.shown_in')
    CROSS JOIN documents d ON d.source_id = value ->> 0 AND d.workspace_path = value ->> 1
"""
"""The pictures that documents show; conditions on a document `d` follow."""
_CHUNK_COLUMNS = "c.chunk_id, d.doc_id, c.ordinal, c.part_no, c.chunk_no - c.part_no, p.chunks"
_CHUNKS = "chunks c JOIN documents d USING (doc_no) LEFT JOIN document_parts p ON p.part_no = c.part_no"
_CHUNKS_BY_IDS = f"SELECT {_CHUNK_COLUMNS} FROM {_CHUNKS} WHERE c.chunk_id {_IN_LIST}"
_CHUNKS_OF_DOCUMENT = f"SELECT {_CHUNK_COLUMNS} FROM {_CHUNKS} WHERE d.doc_id = ? ORDER BY c.ordinal"
_CHUNKS_OF_PART = f"SELECT {_CHUNK_COLUMNS} FROM {_CHUNKS} WHERE c.part_no = ? ORDER BY c.ordinal"
_ANALYZED_OTHERWISE = f"""
    {INDEXED_DOCUMENT_QUERY} WHERE d.analyzer_version <> ? ORDER BY d.source_id, d.workspace_path
"""
_SET_ANALYZER = "UPDATE documents SET analyzer_version = ? WHERE doc_id = ?"
_NEIGHBOURS = f"""
    SELECT {_CHUNK_COLUMNS} FROM chunks n CROSS JOIN {_CHUNKS}
    WHERE n.chunk_id = ? AND c.doc_no = n.doc_no AND c.ordinal BETWEEN n.ordinal - ? AND n.ordinal + ?
    ORDER BY c.ordinal
"""
_ALL_BLOCKS = """
    SELECT d.doc_id, p.chunks, p.blocks FROM documents d JOIN document_parts p USING (doc_no)
    ORDER BY d.source_id, d.workspace_path, p.part_no
"""
_BLOCKS = "SELECT chunks, blocks FROM document_parts JOIN documents USING (doc_no) WHERE doc_id = ? ORDER BY part_no"
_DEFINES_SYMBOL = """
    d.doc_no IN (SELECT c.doc_no FROM json_each(?) CROSS JOIN code_symbols s CROSS JOIN chunks c USING (chunk_no)
      WHERE s.name = value ->> 0 AND symbol_ends_with(s.symbol, value ->> 1))
"""
"""Condition on a row `d` of `documents` that it defines a symbol; its parameter is made by `_symbol_names`."""
_CHUNKS_KEPT = 256
"""Chunks from which on those that were read before are forgotten: one stroke of a query finds most of what the one before found."""


class SqliteDocumentStore(StoredAssets):
    """Implements `DocumentStore` on SQLite; usable from several threads."""

    def __init__(self, database: SqliteDatabase) -> None:
        super().__init__(database)
        self._entries: tuple[int, list[DocumentEntry]] = (-1, [])
        self._pending = PendingCount()
        self._passing: tuple[tuple[int, SearchFilters] | None, frozenset[DocumentId]] = (None, frozenset())
        """What passes the filters that were resolved last, in a state of the index."""
        self._chunks: tuple[int, dict[ChunkId, Chunk]] = (-1, {})
        """What was read last, in a state of the corpus."""

    def pack_document(self, record: DocumentRecord) -> PackedDocument:
        """Return a record as rows; nothing is written.

        Raises:
            InvalidInputError: There are not as many terms as chunks.
        """
        from kebab_store_sqlite.document_writer import pack_document

        return pack_document(record)

    def pack_long(self, record: LongRecord) -> PackedDocument:
        """Return a long record as rows, most of them in a file that storing the document deletes.

        Raises:
            StorageError: The file cannot be written.
            ReadonlyModeError: The database is open for reading only.
        """
        from kebab_store_sqlite.document_writer import pack_long

        self._db.require_writable()
        return pack_long(record, data_dir=self._db.data_dir)

    def replace_document(self, document: DocumentRecord | PackedDocument) -> None:
        """Store a document in place of the one that its source and path had.

        Raises:
            InvalidInputError: There are not as many terms as chunks, or another kind of store packed it.
        """
        from kebab_core import DocumentRecord

        from kebab_store_sqlite.document_writer import (
            DocumentRows,
            SpooledRows,
            pack_document,
            replace_document,
        )

        packed = pack_document(document) if isinstance(document, DocumentRecord) else document
        rows = packed.rows
        if not isinstance(rows, DocumentRows):
            raise InvalidInputError(
                "{path!r} was packed for another kind of store", _path=packed.workspace_path
            )
        if isinstance(rows.batches, SpooledRows):  # written in the data folder of another machine, perhaps
            rows = rows._replace(batches=replace(rows.batches, data_dir=self._db.data_dir))
        try:
            with self._db.writing() as connection:
                replace_document(connection, rows)
        finally:
            if isinstance(rows.batches, SpooledRows):
                rows.batches.discard()

    def remove_documents(self, doc_ids: Sequence[DocumentId]) -> int:
        """Remove documents with everything made from them.

        Returns:
            The number of documents removed; unknown ids are ignored.
        """
        from kebab_store_sqlite.document_writer import remove_documents

        with self._db.writing() as connection:
            return remove_documents(connection, doc_ids, at=timestamp(self._db.clock.now()))

    def replace_terms(
        self,
        version: AnalyzerVersion,
        analyzer_of: Callable[[IndexedDocument], Callable[[Chunk], ChunkTerms]],
    ) -> Iterator[DocumentId]:
        """Analyse the chunks of each document again whose terms another version of the analyser made, part by part.

        Yields:
            Each document when it is done.
        """
        from kebab_store_sqlite.document_writer import PARTS, replace_part_terms, terms_row

        for document in self._db.read_all(_ANALYZED_OTHERWISE, (version,), indexed_document_of):
            analyze = analyzer_of(document)
            for part_no in self._db.read_all(PARTS, (document.doc_id,), itemgetter(0)):
                with self._db.reading() as connection:
                    chunks = _read_chunks(connection, _CHUNKS_OF_PART, part_no)
                terms = [terms_row(analyze(chunk)) for chunk in chunks]
                with self._db.writing() as connection:
                    replace_part_terms(connection, part_no, terms)
            with self._db.writing() as connection:
                connection.execute(_SET_ANALYZER, (version, document.doc_id))
                raise_corpus_revision(connection)
            yield document.doc_id

    def get_document(self, doc_id: DocumentId) -> CanonicalDocument | None:
        """Return a document with its blocks in order, and its extracted text where it has one."""
        with self._db.snapshot() as connection:
            row = connection.execute(f"{DOCUMENT_QUERY} WHERE d.doc_id = ?", (doc_id,)).fetchone()
            if row is None:
                return None
            return document_of(row, _read_blocks(connection, doc_id), read_text(connection, doc_id))

    def get_text(self, doc_id: DocumentId) -> ExtractedText | None:
        """Return the extracted text of a document; None where its file is text, or the id is unknown."""
        with self._db.snapshot() as connection:
            return read_text(connection, doc_id)

    def get_asset(self, doc_id: DocumentId) -> RawAsset | None:
        """Return the asset of a document; `discovered_at` is that of the first file with its content."""
        from kebab_store_sqlite.assets import ASSET_QUERY, asset_of

        return self._db.read_first(f"{ASSET_QUERY} WHERE d.doc_id = ?", (doc_id,), asset_of)

    def get_indexed_document(self, doc_id: DocumentId) -> IndexedDocument | None:
        """Return a document without its blocks."""
        return self._db.read_first(_BY_ID, (doc_id,), indexed_document_of)

    def get_chunks(self, chunk_ids: Sequence[ChunkId]) -> list[IndexedChunk]:
        """Return chunks with their documents in the order of `chunk_ids`; unknown ids are left out."""
        if not chunk_ids:
            return []
        with self._db.snapshot() as connection:
            chunks = self._read_known_chunks(connection, chunk_ids)
            doc_ids = json_text(list({chunk.doc_id for chunk in chunks.values()}))
            found = map(indexed_document_of, connection.execute(_BY_IDS, (doc_ids,)))
            documents = {document.doc_id: document for document in found}
            return [
                IndexedChunk(chunk=chunks[chunk_id], document=documents[chunks[chunk_id].doc_id])
                for chunk_id in chunk_ids
                if chunk_id in chunks
            ]

    def _read_known_chunks(
        self, connection: sqlite3.Connection, chunk_ids: Sequence[ChunkId]
    ) -> dict[ChunkId, Chunk]:
        """Return chunks by their ids; those that were read last, in the same state of the corpus, are not read again."""
        revision = read_corpus_revision(connection)
        kept, known = self._chunks
        if kept != revision or len(known) > _CHUNKS_KEPT:
            known = {}
            self._chunks = (revision, known)
        missing = [chunk_id for chunk_id in chunk_ids if chunk_id not in known]
        read = _read_chunks(connection, _CHUNKS_BY_IDS, json_text(missing)) if missing else ()
        known.update({chunk.chunk_id: chunk for chunk in read})
        return {chunk_id: known[chunk_id] for chunk_id in chunk_ids if chunk_id in known}

    def find_documents(self, places: Collection[tuple[str, str]]) -> list[IndexedDocument]:
        """Return the documents at these sources and paths, by the index of paths."""
        paths: dict[str, list[str]] = {}
        for source_id, path in places:
            paths.setdefault(source_id, []).append(path)
        return self._db.read_all(_BY_PLACES, (json_text(paths),), indexed_document_of)

    def find_copies(self, doc_ids: Collection[DocumentId]) -> dict[DocumentId, list[IndexedDocument]]:
        """Return the other documents with the same content as each of some, by source and path."""
        asked = json_text(list(doc_ids))
        with self._db.snapshot() as connection:
            pairs = connection.execute(_PAIRS, (asked,)).fetchall()
            if not pairs:
                return {}
            copies = {
                one.doc_id: one for one in map(indexed_document_of, connection.execute(_COPIES, (asked,)))
            }
        found: dict[DocumentId, list[IndexedDocument]] = {}
        for doc_id, copy_id in pairs:
            found.setdefault(DocumentId(doc_id), []).append(copies[copy_id])
        return found

    def find_ids(self, prefix: str, *, limit: int) -> list[DocumentId | ChunkId]:
        """Return ids that begin with a prefix, of documents first, by the indexes of ids."""
        bounds = (prefix, f"{prefix}g")  # no digit comes after f
        found: list[DocumentId | ChunkId] = []
        found += self._db.read_all(_DOCUMENT_IDS, (*bounds, limit), lambda row: DocumentId(row[0]))
        left = limit - len(found)
        return found + self._db.read_all(_CHUNK_IDS, (*bounds, left), lambda row: ChunkId(row[0]))

    def languages(self) -> frozenset[str]:
        """Return the languages of all documents, each by one look into the index of languages."""
        return frozenset(self._db.read_all(_LANGUAGES, (), lambda row: str(row[0])))

    def list_chunks(self, doc_id: DocumentId) -> list[Chunk]:
        """Return the chunks of a document, by ordinal."""
        with self._db.reading() as connection:
            return _read_chunks(connection, _CHUNKS_OF_DOCUMENT, doc_id)

    def neighbours(self, chunk_id: ChunkId, distance: int) -> list[Chunk]:
        """Return the chunk and up to `distance` chunks on either side, by ordinal."""
        with self._db.reading() as connection:
            return _read_chunks(connection, _NEIGHBOURS, chunk_id, distance, distance)

    def list_documents(self, criteria: DocFilter) -> list[DocSummary]:
        """Return documents in the order of the criteria."""
        conditions = self._conditions(criteria)
        order = _ORDERS[criteria.order]
        query = f"""
            SELECT q.*, (SELECT count(*) FROM documents JOIN chunks USING (doc_no) WHERE doc_id = q.doc_id) AS chunk_count
            FROM ({SUMMARY_QUERY} WHERE d.doc_id IN (
                SELECT d.doc_id FROM documents d {_where(conditions)} ORDER BY {order} LIMIT ? OFFSET ?)
              ORDER BY {order}) q
        """
        limit = -1 if criteria.limit is None else criteria.limit
        parameters = [*conditions.values(), limit, criteria.offset]
        return self._db.read_all(query, parameters, summary_of)

    def count_passing(self, filters: SearchFilters) -> int:
        """Return the number of documents that pass filters."""
        conditions = self._conditions(filters)
        query = f"SELECT count(*) FROM documents d {_where(conditions)}"
        with self._db.reading() as connection:
            return int(connection.execute(query, [*conditions.values()]).fetchone()[0])

    def list_entries(self) -> list[DocumentEntry]:
        """Return names, tags and times of all documents, by source and path; kept until the corpus changes."""
        with self._db.snapshot() as connection:
            revision = read_corpus_revision(connection)
            kept_revision, entries = self._entries
            if kept_revision != revision:
                entries = [entry_of(row) for row in connection.execute(ENTRY_QUERY)]
                self._entries = revision, entries
            return list(entries)

    def count_by_source(self) -> dict[SourceId, int]:
        """Return the number of documents of each source, by an index alone."""
        return {SourceId(source_id): count for source_id, count in self._db.read_all(_BY_SOURCE, (), tuple)}

    def list_titles(self) -> list[str]:
        """Return the titles of all documents, in any order."""
        return self._db.read_all("SELECT title FROM documents", (), itemgetter("title"))

    def list_links(self) -> list[tuple[DocumentId, str]]:
        """Return the address of every link as it is written, by source and path of its document."""
        with self._db.snapshot() as connection:
            return [
                (str.__new__(DocumentId, doc_id), address)
                for doc_id, chunks, blocks in connection.execute(_ALL_BLOCKS)
                for address in read_link_addresses(unpack_blocks(chunks, blocks))
            ]

    def resolve_filters(self, filters: SearchFilters) -> Selection | None:
        """Return the ids of the documents that pass the filters, or None for filters that select everything.

        The ids skip the check of their shape: it would take longer than the query where most documents pass.
        """
        if filters.is_empty:
            return None
        with self._db.snapshot() as connection:
            key = (read_corpus_revision(connection), filters)
            kept, passing = self._passing
            if kept != key:
                of_notes, own = map(self._conditions, filters.split_for_pictures())
                values = [*of_notes.values(), *own.values()]
                query = f"{_IDS} {_where(of_notes | own)}"
                if of_notes:
                    query += f" UNION ALL {_SHOWN_BY} {_where(of_notes)}"
                    query += f" AND s.doc_id IN ({_IDS} {_where(own)})" if own else ""
                    values *= 2
                rows = connection.execute(query, values)
                passing = frozenset([str.__new__(DocumentId, doc_id) for (doc_id,) in rows])
                self._passing = key, passing
            return passing

    def _conditions(self, filters: SearchFilters) -> dict[str, str | int]:
        conditions = _filter_conditions(filters)
        if filters.symbol:
            conditions[_DEFINES_SYMBOL] = _symbol_names(filters.symbol)
        return conditions

    def coverage(self, *, now: datetime, stale_threshold_days: int) -> Coverage:
        """Return the numbers of indexed, pending, failed and stale documents; legs are left empty."""
        with self._db.snapshot() as connection:
            return read_coverage(
                connection, self._pending, now=now, stale_threshold_days=stale_threshold_days
            )

    def stats(self) -> StoreStats:
        """Return sizes and breakdowns."""
        with self._db.snapshot() as connection:
            return read_stats(connection, self._pending, database=self._db.path)

    def corpus_revision(self) -> int:
        """Return the revision of the corpus; it rises with every change of search results."""
        with self._db.reading() as connection:
            return read_corpus_revision(connection)


def _read_chunks(connection: sqlite3.Connection, query: str, *parameters: str | int) -> list[Chunk]:
    """Return the chunks in the rows of a query."""
    cursor = connection.cursor()
    cursor.row_factory = None
    rows = cursor.execute(query, parameters).fetchall()
    contents: dict[int, PassageContents] = {}
    for *_, part_no, _, packed in rows:
        if part_no not in contents:
            contents[part_no] = PassageContents(packed)
    return [chunk_of(row, contents[part_no][place]) for *row, part_no, place, _ in rows]


def _read_blocks(connection: sqlite3.Connection, doc_id: DocumentId) -> tuple[Block, ...]:
    parts = connection.execute(_BLOCKS, (doc_id,))
    return tuple(chain.from_iterable(read_blocks(chunks, blocks) for chunks, blocks in parts))


def _filter_conditions(filters: SearchFilters) -> dict[str, str | int]:
    """Return a condition on a row `d` of `documents`, with its parameter, for each field that is set but `symbol`."""
    found: dict[str, str | int] = {}
    for column in ("source_id", "media", "lang", "doc_id", "repo", "code_lang", "source_type"):
        if values := getattr(filters, column):
            value = REPO_OF_DOCUMENT if column == "repo" else f"d.{column}"
            found[f"{value} {_IN_LIST}"] = json_text([_nfc(value) for value in values])
    if filters.tags_any:
        tags = json_text([_nfc(tag) for tag in filters.tags_any])
        found[_HAS_TAG] = tags
    if filters.path_glob:
        found[_MATCHES_GLOB] = json_text(filters.path_glob)
    if filters.trust_min is not None:
        found["d.trust_rank <= ?"] = filters.trust_min.rank
    if filters.ingested_after is not None:
        found["d.indexed_at > ?"] = timestamp(filters.ingested_after)
    if filters.since is not None:
        found["d.updated_at >= ?"] = timestamp(filters.since)
    if filters.until is not None:
        found["d.updated_at <= ?"] = timestamp(filters.until)
    if filters.modified_since is not None:
        found["CAST(d.mtime_ns AS INTEGER) >= ?"] = nanoseconds(filters.modified_since)
    return found


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _where(conditions: Mapping[str, str | int]) -> str:
    """Return the WHERE clause; empty without conditions."""
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def _symbol_names(names: Iterable[str]) -> str:
    """Return names of symbols as they are compared: a list of pairs, the last part and the whole name, both folded."""
    parts = [split_name(name) for name in names]
    return json_text([[fold_name(each[-1]), fold_name("".join(each))] for each in parts if each])
