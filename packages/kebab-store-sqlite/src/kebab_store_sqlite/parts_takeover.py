"""Reading of schemas before 8, which had one row for each block and for the terms of each passage, and its takeover."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING

from kebab_store_sqlite.column_formats import json_array
from kebab_store_sqlite.document_parts import blocks_of_json, part_rows, read_link_addresses

if TYPE_CHECKING:
    from kebab_core import Block, DocumentId

_FORMER_CHUNKS = """(
    SELECT chunk_no, chunk_id, doc_id, ordinal, json_object(
      'block_ids', json(block_ids_json), 'text', text, 'heading_path', json(heading_path_json),
      'section_label', section_label, 'source_spans', json(source_spans_json), 'token_estimate', token_estimate,
      'chunker_version', chunker_version, 'policy_hash', policy_hash, 'lead', json({lead})
    ) AS content FROM chunks
)"""
_BLOCKS = "SELECT * FROM blocks WHERE doc_id = ? ORDER BY ordinal"
_PASSAGES = """
    SELECT c.chunk_no, c.content, coalesce(t.title, ''), coalesce(t.heading, ''), coalesce(t.body, ''),
           coalesce(t.surface, '')
    FROM {chunks} c LEFT JOIN chunk_terms t USING (chunk_no) WHERE c.doc_id = ? ORDER BY c.ordinal
"""
_SIZES = """
    SELECT doc_id, (SELECT count(*) FROM chunks c WHERE c.doc_id = d.doc_id),
           (SELECT count(*) FROM blocks b WHERE b.doc_id = d.doc_id)
    FROM documents d
"""
_PASSAGES_AT_ONCE = 256
_INSERT = "INSERT INTO document_parts (part_no, doc_id, chunks, terms, blocks) VALUES (?, ?, ?, ?, ?)"
_FREE_NUMBER = """
    SELECT 1 + max((SELECT coalesce(max(chunk_no), 0) FROM chunks), (SELECT coalesce(max(part_no), 0) FROM document_parts))
"""
_NUMBER_PARTS = (
    "UPDATE chunks SET part_no = (SELECT max(part_no) FROM document_parts WHERE part_no <= chunk_no)"
)


def read_former_chunks(
    connection: sqlite3.Connection, query: str, parameters: Sequence[str | int]
) -> Iterator[tuple[Sequence[str | int], bytes]]:
    """Yield the rows of a query of `kebab_store_sqlite.documents`, each with the content of its chunk."""
    chunks = f"{_former_chunks(connection)} c"
    former = query.format(columns="c.chunk_id, c.doc_id, c.ordinal, c.content", chunks=chunks)
    for *row, content in connection.execute(former, parameters):
        yield row, content.encode()


def _former_chunks(connection: sqlite3.Connection) -> str:
    """Return the SQL of a table with the content of each chunk as JSON."""
    columns = {row["name"] for row in connection.execute("PRAGMA table_info(chunks)")}
    return _FORMER_CHUNKS.format(lead="lead_json" if "lead_json" in columns else "NULL")


def read_former_blocks(connection: sqlite3.Connection, doc_id: str) -> tuple[Block, ...]:
    """Return the blocks of a document."""
    return blocks_of_json(json_array(map(_block_json, connection.execute(_BLOCKS, (doc_id,)))))


def read_former_links(connection: sqlite3.Connection) -> list[tuple[DocumentId, str]]:
    """Return the addresses of all links, by source and path of their documents."""
    from kebab_core import DocumentId

    ids = connection.execute("SELECT doc_id FROM documents ORDER BY source_id, workspace_path").fetchall()
    return [
        (DocumentId(doc_id), address)
        for (doc_id,) in ids
        for row in connection.execute(_BLOCKS, (doc_id,))
        for address in read_link_addresses(_block_json(row).encode())
    ]


def pack_documents(connection: sqlite3.Connection) -> None:
    """Fill `document_parts` and `chunks.part_no`, with a bounded number of passages in memory."""
    passages = _PASSAGES.format(chunks=_former_chunks(connection))
    for doc_id, chunk_count, block_count in connection.execute(_SIZES).fetchall():
        batches = max(1, -(-chunk_count // _PASSAGES_AT_ONCE))
        chunks = connection.execute(passages, (doc_id,))
        blocks = map(_block_json, connection.execute(_BLOCKS, (doc_id,)))
        for _ in range(batches):
            rows = chunks.fetchmany(_PASSAGES_AT_ONCE)
            _pack_rows(connection, doc_id, rows, list(islice(blocks, -(-block_count // batches))))
    connection.execute(_NUMBER_PARTS)


def _pack_rows(
    connection: sqlite3.Connection, doc_id: str, rows: Sequence[sqlite3.Row], blocks: Sequence[str]
) -> None:
    """Insert the parts of consecutive passages and blocks; a gap in the numbers of the passages begins a new part."""
    runs = [[row for _, row in run] for _, run in groupby(enumerate(rows), lambda each: each[1][0] - each[0])]
    for run in runs or [[]]:
        part_no = run[0][0] if run else connection.execute(_FREE_NUMBER).fetchone()[0]
        contents, terms = [row[1] for row in run], [tuple(row)[2:] for row in run]
        for part in part_rows(contents, terms, blocks):
            connection.execute(_INSERT, (part_no, doc_id, *part[1:]))
            part_no += part.passage_count
        blocks = ()


def _block_json(row: sqlite3.Row) -> str:
    head = f'"block_id":"{row["block_id"]}","kind":"{row["kind"]}","heading_path":{row["heading_path_json"]}'
    return f'{{{head},"source_span":{row["source_span_json"]},{row["payload_json"][1:]}'
