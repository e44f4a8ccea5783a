"""Parts of documents take little space, and damage in them is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import DatabaseCorruptError
from kebab_store_sqlite import SqliteDocumentStore
from kebab_testing.records import RecordSpec, build_record

if TYPE_CHECKING:
    from kebab_store_sqlite import SqliteDatabase

RECORD = build_record(RecordSpec(paragraphs=tuple(f"한국어 word{n}" for n in range(20))))


def packed_columns(database: SqliteDatabase) -> list[tuple[int, bytes, bytes, bytes]]:
    with database.reading() as connection:
        rows = connection.execute(
            "SELECT part_no, chunks, terms, blocks FROM document_parts ORDER BY part_no"
        )
        return [tuple(row) for row in rows]


def test_the_id_of_a_block_is_stored_once_in_16_bytes(database: SqliteDatabase) -> None:
    record = build_record(RecordSpec(paragraphs=tuple(f"word{n}" for n in range(8))))
    SqliteDocumentStore(database).replace_document(record)
    ((_, chunks, _, _),) = packed_columns(database)
    assert [chunks.count(bytes.fromhex(block.block_id)) for block in record.document.blocks] == [1] * 8


def test_a_part_without_its_ids_is_damaged(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    store.replace_document(RECORD)
    sound = packed_columns(database)
    for part_no, chunks, *_ in sound:
        no_ids = b"\x01" + bytes(4) + chunks[chunks.index(b"\x78\xbb") :]
        database.write("UPDATE document_parts SET chunks = ? WHERE part_no = ?", (no_ids, part_no))
    with pytest.raises(DatabaseCorruptError):
        store.list_chunks(RECORD.document.doc_id)
    with pytest.raises(DatabaseCorruptError):
        store.get_document(RECORD.document.doc_id)
    for part_no, chunks, *_ in sound:
        database.write("UPDATE document_parts SET chunks = ? WHERE part_no = ?", (chunks, part_no))
