"""Writing documents: packing them as rows, in memory or in a file, and inserting or removing the rows.

Workers that parse files pack the documents, so that the one process that writes only binds and inserts.
"""

from __future__ import annotations

import os
import pickle
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import MAX_LOGGED_IDS, InvalidInputError, Remedy, StorageError

from kebab_store_sqlite.assets import INSERT_ASSET, AssetRow, asset_row, draft_of, repoint_references
from kebab_store_sqlite.corpus_stats import raise_corpus_revision
from kebab_store_sqlite.database_file import open_private_file
from kebab_store_sqlite.document_parts import PartRow, TermsRow, pack_terms, part_rows, passage_terms
from kebab_store_sqlite.document_rows import (
    INSERT_METADATA_TITLE,
    ChunkRow,
    MetadataTitleRow,
    SymbolRow,
    TextRow,
    chunk_content,
    chunk_row,
    document_row,
    metadata_title_row,
    symbol_rows,
    text_row,
)
from kebab_store_sqlite.erasure import note_erasure, note_removal
from kebab_store_sqlite.pictures import (
    INSERT_CAPTION,
    INSERT_PICTURE,
    INSERT_SHOWN,
    INSERT_SURROUNDINGS,
    CaptionRow,
    PictureRow,
    ShownPictures,
    ShownRow,
    caption_rows,
    picture_rows,
    surroundings_row,
)
from kebab_store_sqlite.schema import insert_statement, timestamp
from kebab_store_sqlite.source_files import DELETE_FAILURE, DELETE_SKIP

if TYPE_CHECKING:
    from kebab_core import (
        AnalyzedChunk,
        Block,
        ChunkId,
        ChunkTerms,
        DocumentRecord,
        LongRecord,
        PackedDocument,
    )


_PREVIOUS = """
    SELECT doc_id, asset_id, doc_version FROM documents
    WHERE source_id = :source_id AND workspace_path = :workspace_path
"""
_INSERT_TAG = "INSERT OR IGNORE INTO document_tags (doc_id, tag) VALUES (?, ?)"
_INSERT_TEXT = "INSERT INTO document_texts (doc_id, text, parts_json) VALUES (?, ?, ?)"
_INSERT_PART = "INSERT INTO document_parts (part_no, doc_no, chunks, terms, blocks) VALUES (?, ?, ?, ?, ?)"
_INSERT_CHUNK = (
    "INSERT INTO chunks (chunk_no, part_no, doc_no, chunk_id, ordinal, text_hash) VALUES (?, ?, ?, ?, ?, ?)"
)
_INSERT_TERMS = (
    "INSERT INTO chunks_fts (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
    "INSERT INTO chunks_exact (rowid, surface) VALUES (?, ?)",
)
_DELETE_TERMS = (
    "INSERT INTO chunks_fts (chunks_fts, rowid, title, heading, body) VALUES ('delete', ?, ?, ?, ?)",
    "INSERT INTO chunks_exact (chunks_exact, rowid, surface) VALUES ('delete', ?, ?)",
)
_LAST_NUMBERS = """
    SELECT (SELECT coalesce(max(chunk_no), 0) FROM chunks), (SELECT coalesce(max(part_no), 0) FROM document_parts)
"""
PARTS = "SELECT part_no FROM document_parts JOIN documents USING (doc_no) WHERE doc_id = ?"
_PART = "SELECT chunks, terms FROM document_parts WHERE part_no = ?"
_SET_TERMS = "UPDATE document_parts SET terms = ? WHERE part_no = ?"
_INSERT_SYMBOL = "INSERT INTO code_symbols (chunk_no, place, name, symbol, role) VALUES (?, ?, ?, ?, ?)"
_DELETE_CHUNKS = "DELETE FROM chunks WHERE chunk_no >= ? AND chunk_no < ?"
_DELETE_PART = "DELETE FROM document_parts WHERE part_no = ?"


class RowBatch(NamedTuple):
    """Rows of a part of a document, in plain values."""

    parts: Sequence[PartRow]
    """In the order of the document, without the numbers that the database gives them."""
    chunks: Sequence[ChunkRow]
    """Those of the first part, then those of the second."""
    terms: Sequence[TermsRow]
    """One for each chunk."""
    symbols: Sequence[tuple[int, SymbolRow]]
    """Each with the number of its chunk in the batch, from 0."""


@dataclass(frozen=True)
class SpooledRows:
    """Rows of one long document in a file that is read batch by batch."""

    workspace_path: str
    file: str
    """Its place in the data folder."""
    batch_count: int
    data_dir: Path

    def __iter__(self) -> Iterator[RowBatch]:
        """Yield the rows in the order of the document.

        Raises:
            StorageError: The file cannot be read or is damaged.
        """
        try:
            with (self.data_dir / self.file).open("rb") as file:
                for _ in range(self.batch_count):
                    yield pickle.load(file)  # noqa: S301 - written by `pack_long`, readable by its user only
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise StorageError(
                "what was extracted from {path!r} cannot be read back: {error}",
                remedy=Remedy(kind="ingest"),
                _path=self.workspace_path,
                _error=str(error),
            ) from error

    def discard(self) -> None:
        """Delete the file; if that fails, the next clean-up of assets deletes it."""
        with suppress(OSError):
            (self.data_dir / self.file).unlink()


class DocumentRows(NamedTuple):
    """The rows of one document."""

    asset: AssetRow
    document: dict[str, object]
    tags: Sequence[str]
    text: TextRow | None
    metadata_title: MetadataTitleRow | None
    pictures: Sequence[PictureRow]
    captions: Sequence[CaptionRow]
    shown: Sequence[ShownRow]
    """The pictures that it shows."""
    surroundings: str | None
    """Those of a picture."""
    batches: Sequence[RowBatch] | SpooledRows


def pack_document(record: DocumentRecord) -> PackedDocument:
    """Return a record as `SqliteDocumentStore` writes it.

    Raises:
        InvalidInputError: There are not as many terms as chunks.
    """
    from kebab_core import AnalyzedChunk

    if len(record.terms) != len(record.chunks):
        raise InvalidInputError(
            "{count} chunks came with {terms_count} sets of terms",
            _count=len(record.chunks),
            _terms_count=len(record.terms),
        )
    packer = BatchPacker(record)
    parts = (*record.document.blocks, *map(AnalyzedChunk, record.chunks, record.terms))
    return _pack(record, packer, [packer.pack(parts)])


def _pack(
    record: DocumentRecord, packer: BatchPacker, batches: Sequence[RowBatch] | SpooledRows
) -> PackedDocument:
    """Return a record with its rows, those of blocks and chunks from a packer."""
    from kebab_core import PackedDocument

    document = record.document
    return PackedDocument(
        doc_id=document.doc_id,
        source_id=document.source_id,
        workspace_path=document.workspace_path,
        asset_id=record.asset.asset_id,
        byte_len=record.asset.byte_len,
        block_count=packer.block_count,
        chunk_count=packer.chunk_count,
        parser_version=document.parser_version,
        chunker_version=record.chunker_version,
        warnings=document.provenance.warnings,
        rows=DocumentRows(
            asset=asset_row(record.asset),
            document=document_row(record),
            tags=document.metadata.tags,
            text=text_row(document),
            metadata_title=metadata_title_row(document),
            pictures=picture_rows(record),
            captions=caption_rows(record),
            shown=packer.shown.rows() if record.asset.media_type.kind != "image" else (),
            surroundings=surroundings_row(record),
            batches=batches,
        ),
        first_chunk_ids=packer.first_chunk_ids,
    )


class BatchPacker:
    """Packs the blocks and chunks of one document in batches; `head` is its record without them."""

    def __init__(self, head: DocumentRecord) -> None:
        self._created_at = timestamp(head.indexed_at)
        self._title = head.document.title
        self.shown = ShownPictures()
        """The pictures that the blocks show."""
        self.block_count = 0
        """Number of blocks packed."""
        self.chunk_count = 0
        """Number of chunks packed."""
        self.first_chunk_ids: tuple[ChunkId, ...] = ()
        """Ids of the first of them, at most `MAX_LOGGED_IDS`."""

    def pack(self, parts: Sequence[Block | AnalyzedChunk]) -> RowBatch:
        """Return the rows of the next parts in reading order."""
        from kebab_core import AnalyzedChunk

        blocks = [part for part in parts if not isinstance(part, AnalyzedChunk)]
        analyzed = [part for part in parts if isinstance(part, AnalyzedChunk)]
        chunks = [part.chunk for part in analyzed]
        terms = [terms_row(part.terms) for part in analyzed]
        for block in blocks:
            self.shown.add(block)
        self.block_count += len(blocks)
        self.chunk_count += len(chunks)
        wanted = MAX_LOGGED_IDS - len(self.first_chunk_ids)
        self.first_chunk_ids += tuple(chunk.chunk_id for chunk in chunks[:wanted])
        return RowBatch(
            parts=list(
                part_rows(
                    [chunk_content(chunk) for chunk in chunks],
                    terms,
                    [block.model_dump_json() for block in blocks],
                )
            ),
            chunks=[chunk_row(chunk, title=self._title) for chunk in chunks],
            terms=terms,
            symbols=[(at, row) for at, chunk in enumerate(chunks) for row in symbol_rows(chunk)],
        )


_PARTS_PER_BATCH = 256


def pack_long(record: LongRecord, *, data_dir: Path) -> PackedDocument:
    """Write the rows of a long record to a file, part by part as they are made.

    The file is in a data folder, named as a draft of the record's asset: files of a killed run are deleted when assets
    are collected.

    Returns:
        The document with `SpooledRows`.

    Raises:
        StorageError: The file cannot be written.
    """
    head, parts = record.describe(0), record.parts
    place = draft_of(head.asset.asset_id, os.getpid(), secrets.randbits(64))
    path = data_dir / place
    packer, batch_count = BatchPacker(head), 0
    try:
        with open_private_file(path) as file:
            while batch := list(islice(parts, _PARTS_PER_BATCH)):
                pickle.dump(packer.pack(batch), file, pickle.HIGHEST_PROTOCOL)
                batch_count += 1
        spooled = SpooledRows(head.asset.workspace_path, place, batch_count, data_dir)
        return _pack(record.describe(packer.chunk_count), packer, spooled)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise StorageError(
            "cannot store what was extracted from {path!r}: {reason}",
            remedy=Remedy(kind="free_space", otherwise=Remedy(kind="check_permissions")),
            _path=head.asset.workspace_path,
            _reason=error.strerror,
        ) from error


def replace_document(connection: sqlite3.Connection, rows: DocumentRows) -> None:
    """Insert a document in place of the one that its source and path had; called inside a transaction."""
    document = rows.document
    doc_id, asset_id, version = document["doc_id"], rows.asset[0], document["doc_version"]
    previous = connection.execute(_PREVIOUS, document).fetchone()
    if previous is not None:
        _delete_document(connection, previous["doc_id"], at=str(document["indexed_at"]))
        version = previous["doc_version"] + 1
    connection.execute(INSERT_ASSET, rows.asset)
    statement, row = insert_statement("documents", document), {**document, "doc_version": version}
    doc_no = connection.execute(statement, row).lastrowid
    connection.executemany(_INSERT_TAG, [(doc_id, tag) for tag in rows.tags])
    if rows.text is not None:
        connection.execute(_INSERT_TEXT, rows.text)
    if rows.metadata_title is not None:
        connection.execute(INSERT_METADATA_TITLE, rows.metadata_title)
    connection.executemany(INSERT_PICTURE, rows.pictures)
    connection.executemany(INSERT_CAPTION, rows.captions)
    connection.executemany(INSERT_SHOWN, [(doc_id, *row) for row in rows.shown])
    if rows.surroundings is not None:
        connection.execute(INSERT_SURROUNDINGS, (doc_id, rows.surroundings))
    for batch in rows.batches:
        _insert_batch(connection, batch, doc_no=doc_no)
    for statement in (DELETE_FAILURE, DELETE_SKIP):
        connection.execute(statement, (document["source_id"], document["workspace_path"]))
    if previous is not None:
        repoint_references(connection, {previous["asset_id"], asset_id})
    raise_corpus_revision(connection)


def remove_documents(connection: sqlite3.Connection, doc_ids: Iterable[str], *, at: str) -> int:
    """Remove documents with everything made from them; called inside a transaction.

    Args:
        connection: To the database.
        doc_ids: The documents; unknown ids are ignored.
        at: Time stamp of now.

    Returns:
        The number of documents removed.
    """
    assets = set()
    removed = 0
    for doc_id in doc_ids:
        row = connection.execute("SELECT asset_id FROM documents WHERE doc_id = ?", (doc_id,)).fetchone()
        if row is not None:
            _delete_document(connection, doc_id, at=at)
            assets.add(row["asset_id"])
            removed += 1
    if removed:
        note_removal(connection)
        repoint_references(connection, assets)
        raise_corpus_revision(connection)
    return removed


def _delete_document(connection: sqlite3.Connection, doc_id: str, *, at: str) -> None:
    """Delete a document; its text goes by cascade, vectors of its texts stay for now.

    Its parts are deleted one by one: SQLite keeps the rows that one statement changes in memory, for a rollback.
    """
    note_erasure(connection, at=at)
    for (part_no,) in connection.execute(PARTS, (doc_id,)).fetchall():
        _delete_part(connection, part_no)
    connection.execute("DELETE FROM documents WHERE doc_id = ?", (doc_id,))


def _delete_part(connection: sqlite3.Connection, part_no: int) -> None:
    """Delete a part and its chunks; their symbols go by cascade."""
    passages = delete_part_terms(connection, part_no)
    connection.execute(_DELETE_CHUNKS, (part_no, part_no + passages))
    connection.execute(_DELETE_PART, (part_no,))


def _insert_batch(connection: sqlite3.Connection, batch: RowBatch, *, doc_no: int | None) -> None:
    """Insert parts, chunks and terms; a part has the number of its first chunk."""
    first_no = part_no = max(connection.execute(_LAST_NUMBERS).fetchone()) + 1
    chunks = enumerate(batch.chunks, first_no)
    for part in batch.parts:
        connection.execute(_INSERT_PART, (part_no, doc_no, *part[1:]))
        rows = islice(chunks, part.passage_count)
        connection.executemany(_INSERT_CHUNK, [(chunk_no, part_no, doc_no, *row) for chunk_no, row in rows])
        part_no += part.passage_count
    connection.executemany(_INSERT_SYMBOL, [(first_no + at, *row) for at, row in batch.symbols])
    _change_index(connection, _INSERT_TERMS, batch.terms, first_no=first_no)


def terms_row(terms: ChunkTerms) -> TermsRow:
    """Return the terms of a chunk as values that SQLite binds."""
    return terms.title, terms.heading, terms.body, terms.surface


def delete_part_terms(connection: sqlite3.Connection, part_no: int) -> int:
    """Delete the terms of a part from the full-text indexes, which must be given the terms that they were given before.

    Returns:
        The number of its passages.
    """
    terms = passage_terms(*connection.execute(_PART, (part_no,)).fetchone())
    _change_index(connection, _DELETE_TERMS, terms, first_no=part_no)
    return len(terms)


def replace_part_terms(connection: sqlite3.Connection, part_no: int, terms: Sequence[TermsRow]) -> None:
    """Replace the terms of a part, one for each of its passages; called inside a transaction."""
    delete_part_terms(connection, part_no)
    (chunks, _) = connection.execute(_PART, (part_no,)).fetchone()
    connection.execute(_SET_TERMS, (pack_terms(chunks, terms), part_no))
    _change_index(connection, _INSERT_TERMS, terms, first_no=part_no)


def _change_index(
    connection: sqlite3.Connection, statements: tuple[str, str], terms: Sequence[TermsRow], *, first_no: int
) -> None:
    """Execute a statement of each full-text index for each chunk."""
    ranked, exact = statements
    connection.executemany(ranked, [(no, *row[:3]) for no, row in enumerate(terms, first_no)])
    connection.executemany(exact, [(no, row[3]) for no, row in enumerate(terms, first_no)])
