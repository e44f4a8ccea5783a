"""Files of rows that nobody stored go like other things that a run left behind."""

from __future__ import annotations

from pathlib import Path

from kebab_core import LongRecord
from kebab_store_sqlite import SqliteDocumentStore, open_database
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record


def test_rows_that_a_dead_run_left_behind_are_strays_and_are_collected(tmp_path: Path) -> None:
    record = build_record(RecordSpec())
    with open_database(tmp_path, clock=FixedClock(), copy_threshold_bytes=0) as database:
        store = SqliteDocumentStore(database)
        store.pack_long(LongRecord(lambda _chunk_count: record, iter(record.document.blocks)))
        store.pack_long(LongRecord(lambda _chunk_count: record, iter(record.document.blocks)))
        assert store.audit_assets().strays == 2
        assert store.collect_assets() == 2
        assert store.audit_assets().strays == 0
