"""Parts of documents take little space, and those of earlier versions are read."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

import pytest
from kebab_core import DatabaseCorruptError
from kebab_store_sqlite import SqliteDocumentStore
from kebab_testing.records import RecordSpec, build_record

if TYPE_CHECKING:
    from kebab_core import DocumentRecord
    from kebab_store_sqlite import SqliteDatabase

RECORD = build_record(RecordSpec(paragraphs=tuple(f"한국어 word{n}" for n in range(20))))


def packed_columns(database: SqliteDatabase) -> list[tuple[int, bytes, bytes, bytes]]:
    with database.reading() as connection:
        rows = connection.execute(
            "SELECT part_no, chunks, terms, blocks FROM document_parts ORDER BY part_no"
        )
        return [tuple(row) for row in rows]


def pack_as_before(data: bytes, lines: bytes = b"") -> bytes:
    packer = zlib.compressobj(6, zdict=lines)
    return packer.compress(data) + packer.flush()


def write_as_before(database: SqliteDatabase, record: DocumentRecord) -> None:
    """Pack the parts of a record as the first version with parts did: ids within, and no dictionary of fields."""
    for number, (part_no, *_) in enumerate(packed_columns(database)):
        passages = slice(8 * number, 8 * (number + 1))
        own = {"chunk_id", "doc_id", "ordinal"}
        chunks = [c.model_dump_json(exclude=own, exclude_none=True) for c in record.chunks[passages]]
        blocks = [block.model_dump_json() for block in record.document.blocks[passages]]
        terms = [[t.title, t.heading, t.body, t.surface] for t in record.terms[passages]]
        lines = "\n".join(chunks).encode()
        row = (
            pack_as_before(lines),
            pack_as_before(json.dumps(terms).encode(), lines),
            pack_as_before(f"[{','.join(blocks)}]".encode(), lines),
            part_no,
        )
        database.write("UPDATE document_parts SET chunks = ?, terms = ?, blocks = ? WHERE part_no = ?", row)


def test_the_id_of_a_block_is_stored_once_in_16_bytes(database: SqliteDatabase) -> None:
    record = build_record(RecordSpec(paragraphs=tuple(f"word{n}" for n in range(8))))
    SqliteDocumentStore(database).replace_document(record)
    ((_, chunks, _, _),) = packed_columns(database)
    assert [chunks.count(bytes.fromhex(block.block_id)) for block in record.document.blocks] == [1] * 8


def test_parts_are_smaller_than_before(database: SqliteDatabase) -> None:
    SqliteDocumentStore(database).replace_document(RECORD)
    now = sum(len(column) for _, *columns in packed_columns(database) for column in columns)
    write_as_before(database, RECORD)
    before = sum(len(column) for _, *columns in packed_columns(database) for column in columns)
    assert now < 0.75 * before


def test_parts_of_before_are_read_and_removed(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    store.replace_document(RECORD)
    write_as_before(database, RECORD)
    found = store.get_document(RECORD.document.doc_id)
    assert found is not None
    assert found.blocks == RECORD.document.blocks
    assert tuple(store.list_chunks(RECORD.document.doc_id)) == RECORD.chunks
    assert store.remove_documents([RECORD.document.doc_id]) == 1


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
