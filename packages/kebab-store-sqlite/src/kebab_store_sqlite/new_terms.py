"""New terms for documents that another version of the analyser read, from their stored passages."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING

from kebab_store_sqlite.corpus_stats import raise_corpus_revision
from kebab_store_sqlite.document_parts import PassageContents, pack_terms
from kebab_store_sqlite.document_rows import INDEXED_ENTRY_QUERY, chunk_of, entry_of
from kebab_store_sqlite.document_writer import delete_part_terms, insert_terms, terms_row

if TYPE_CHECKING:
    from kebab_core import AnalyzerVersion, Chunk, ChunkTerms, DocumentEntry

    from kebab_store_sqlite.database import SqliteDatabase

_ANALYZERS = "SELECT doc_id, analyzer_version FROM documents"
_PARTS = "SELECT part_no, chunks FROM document_parts WHERE doc_id = ? ORDER BY part_no"
_CHUNKS = "SELECT chunk_id, doc_id, ordinal FROM chunks WHERE part_no = ? ORDER BY chunk_no"
_UPDATE_PART = "UPDATE document_parts SET terms = ? WHERE part_no = ?"
_UPDATE_DOCUMENT = "UPDATE documents SET analyzer_version = ? WHERE doc_id = ?"


def analyze_again(
    database: SqliteDatabase,
    *,
    version: AnalyzerVersion,
    reads: Callable[[AnalyzerVersion], bool],
    analyze: Callable[[DocumentEntry], Callable[[Chunk], ChunkTerms]],
) -> int:
    """Give new terms to the documents whose terms the analyser does not read; nothing else of them changes.

    Args:
        database: The database, open for writing.
        version: Version of the analyser.
        reads: Whether it reads terms of another version.
        analyze: Gives for a document what makes the terms of its passages.

    Returns:
        The number of documents analysed.
    """
    with database.writing() as connection:
        outdated = {doc_id for doc_id, made_by in connection.execute(_ANALYZERS) if not reads(made_by)}
        for entry in map(entry_of, connection.execute(INDEXED_ENTRY_QUERY).fetchall()):
            if entry.doc_id in outdated:
                _replace_terms(connection, entry, analyze(entry))
                connection.execute(_UPDATE_DOCUMENT, (version, entry.doc_id))
        if outdated:
            raise_corpus_revision(connection)
    return len(outdated)


def _replace_terms(
    connection: sqlite3.Connection, entry: DocumentEntry, analyze: Callable[[Chunk], ChunkTerms]
) -> None:
    for part_no, chunks in connection.execute(_PARTS, (entry.doc_id,)).fetchall():
        rows = connection.execute(_CHUNKS, (part_no,)).fetchall()
        contents = PassageContents(chunks)
        terms = [
            terms_row(analyze(chunk_of(tuple(row), content)))
            for row, content in zip(rows, contents, strict=True)
        ]
        delete_part_terms(connection, part_no)
        connection.execute(_UPDATE_PART, (pack_terms(chunks, terms), part_no))
        insert_terms(connection, terms, first_no=part_no)
