"""Long documents: their files of rows, and their removal."""

from __future__ import annotations

from pathlib import Path

from kebab_core import CopyLook, LongRecord
from kebab_store_sqlite import (
    SqliteDocumentStore,
    SqliteLexicalIndex,
    check_integrity,
    open_database,
)
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record


def test_rows_that_a_dead_run_left_behind_are_strays_and_are_collected(tmp_path: Path) -> None:
    record = build_record(RecordSpec())
    with open_database(tmp_path, clock=FixedClock(), copy_threshold_bytes=0) as database:
        store = SqliteDocumentStore(database)
        store.pack_long(LongRecord(lambda _chunk_count: record, iter(record.document.blocks)))
        store.pack_long(LongRecord(lambda _chunk_count: record, iter(record.document.blocks)))
        assert SqliteDocumentStore(database).audit_assets(CopyLook.NAMES).strays == 2
        assert SqliteDocumentStore(database).collect_assets() == 2
        assert SqliteDocumentStore(database).audit_assets(CopyLook.NAMES).strays == 0


def test_a_long_document_goes_with_all_of_its_rows_and_terms(tmp_path: Path) -> None:
    record = build_record(RecordSpec(paragraphs=tuple(f"word{n}" for n in range(2001))))
    long = record.model_copy(update={"stamp": record.stamp._replace(byte_len=200_000_000)})
    other = build_record(RecordSpec(path="other.md", paragraphs=("word7",)))
    with open_database(tmp_path, clock=FixedClock(), copy_threshold_bytes=0) as database:
        store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)
        for each in (other, long, long):
            store.replace_document(each)
        assert index.document_frequencies(["word7", "word2000"]) == {"word7": 2, "word2000": 1}
        assert store.remove_documents([record.document.doc_id]) == 1
        assert index.document_frequencies(["word7", "word2000"]) == {"word7": 1, "word2000": 0}
        assert index.corpus_size() == len(other.chunks)
        assert store.get_chunks([record.chunks[0].chunk_id, record.chunks[-1].chunk_id]) == []
        assert check_integrity(database) == []
