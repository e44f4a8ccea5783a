"""Parts of documents take little space, and damage in them is an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import DatabaseCorruptError
from kebab_store_sqlite import SqliteDocumentStore, check_integrity
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


def test_a_row_has_the_blocks_of_its_passages_however_many_each_was_cut_from(
    database: SqliteDatabase,
) -> None:
    record = build_record(RecordSpec(paragraphs=tuple(f"한국어 word{n}" for n in range(32))))
    blocks, chunks = record.document.blocks, []
    for number, chunk in enumerate(
        record.chunks[:12]
    ):  # the first passage from 21 blocks, the others from one each
        own = blocks[:21] if number == 0 else blocks[20 + number : 21 + number]
        chunks.append(chunk.model_copy(update={"block_ids": tuple(block.block_id for block in own)}))
    store = SqliteDocumentStore(database)
    store.replace_document(record.model_copy(update={"chunks": tuple(chunks), "terms": record.terms[:12]}))
    assert [int.from_bytes(packed[1:5]) for _, packed, *_ in packed_columns(database)] == [28, 4]
    stored = store.get_document(record.document.doc_id)
    assert stored is not None
    assert stored.blocks == blocks
    assert [chunk.block_ids for chunk in store.list_chunks(record.document.doc_id)] == [
        chunk.block_ids for chunk in chunks
    ]


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
    assert check_integrity(database) != []
    for part_no, chunks, *_ in sound:
        database.write("UPDATE document_parts SET chunks = ? WHERE part_no = ?", (chunks, part_no))
    assert check_integrity(database) == []


@pytest.mark.parametrize("column", ["chunks", "terms", "blocks"])
def test_a_changed_byte_of_a_part_is_found_by_the_check(database: SqliteDatabase, column: str) -> None:
    SqliteDocumentStore(database).replace_document(RECORD)
    with database.reading() as connection:
        query = f"SELECT part_no, {column} FROM document_parts LIMIT 1"
        part_no, sound = connection.execute(query).fetchone()
    update = f"UPDATE document_parts SET {column} = ? WHERE part_no = ?"
    for place in range(len(sound) - 12, len(sound)):
        changed = sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :]
        database.write(update, (changed, part_no))
        assert check_integrity(database) != [], place
    database.write(update, (sound, part_no))
    assert check_integrity(database) == []


def test_terms_of_other_passages_are_found_by_the_check(database: SqliteDatabase) -> None:
    SqliteDocumentStore(database).replace_document(RECORD)
    (first, _, terms, _), (_, _, other, _), *_ = packed_columns(database)
    for part_no, column in ((first, other), (first, terms)):
        database.write("UPDATE document_parts SET terms = ? WHERE part_no = ?", (column, part_no))
        assert bool(check_integrity(database)) is (column == other)
