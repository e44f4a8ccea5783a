from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from kebab_core import DocumentRecord
from kebab_store_sqlite import SqliteDatabase, check_integrity, open_database
from kebab_store_sqlite.assets import INSERT_ASSET, asset_row
from kebab_store_sqlite.column_formats import insert_statement
from kebab_store_sqlite.connection import Access, connect
from kebab_store_sqlite.document_rows import chunk_row, document_row
from kebab_store_sqlite.schema import apply_migrations, load_migrations
from kebab_testing.fakes.clock import FixedClock

_BLOCK_HEAD = {"block_id", "kind", "heading_path", "source_span"}


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "share" / "kebab"


@pytest.fixture
def database(data_dir: Path) -> Iterator[SqliteDatabase]:
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=100) as opened:
        yield opened
        assert check_integrity(opened) == []


@pytest.fixture
def make_former_database(data_dir: Path) -> Callable[..., Path]:
    """A function of a schema before 8 and records that makes the database of that time, and returns its file."""
    return lambda version, *records: _make_former_database(data_dir, version, *records)


def _make_former_database(data_dir: Path, version: int, *records: DocumentRecord) -> Path:
    path = data_dir / "kebab.sqlite"
    data_dir.mkdir(parents=True, exist_ok=True)
    path.touch()
    with closing(connect(path, Access.READ_WRITE)) as connection:
        apply_migrations(connection, load_migrations()[:version], data_dir=data_dir, clock=FixedClock())
        with connection:
            connection.execute("BEGIN")
            for record in records:
                connection.execute(INSERT_ASSET, asset_row(record.asset))
                _insert(connection, "documents", [document_row(record)])
                _insert(connection, "blocks", _block_rows(record))
                first = connection.execute("SELECT coalesce(max(chunk_no), 0) + 1 FROM chunks").fetchone()[0]
                _insert(connection, "chunks", _chunk_rows(record))
                terms = (
                    {"chunk_no": number, **each.model_dump()}
                    for number, each in enumerate(record.terms, first)
                )
                _insert(connection, "chunk_terms", terms)
    return path


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[dict[str, object]]) -> None:
    """Insert rows with the columns that the table has."""
    known = {row["name"] for row in connection.execute(f"PRAGMA table_info({table})")}
    for row in rows:
        kept = {column: value for column, value in row.items() if column in known}
        connection.execute(insert_statement(table, kept), kept)


def _block_rows(record: DocumentRecord) -> Iterable[dict[str, object]]:
    for ordinal, block in enumerate(record.document.blocks):
        yield {
            "block_id": str(block.block_id),
            "doc_id": str(record.document.doc_id),
            "kind": block.kind,
            "heading_path_json": json.dumps(block.heading_path),
            "ordinal": ordinal,
            "source_span_json": block.source_span.model_dump_json(),
            "payload_json": block.model_dump_json(exclude=_BLOCK_HEAD),
        }


def _chunk_rows(record: DocumentRecord) -> Iterable[dict[str, object]]:
    for chunk in record.chunks:
        yield {
            "chunk_id": str(chunk.chunk_id),
            "doc_id": str(chunk.doc_id),
            "ordinal": chunk.ordinal,
            "text": chunk.text,
            "heading_path_json": json.dumps(chunk.heading_path),
            "section_label": chunk.section_label,
            "source_spans_json": json.dumps([span.model_dump(mode="json") for span in chunk.source_spans]),
            "token_estimate": chunk.token_estimate,
            "chunker_version": chunk.chunker_version,
            "policy_hash": chunk.policy_hash,
            "block_ids_json": json.dumps(chunk.block_ids),
            "created_at": record.indexed_at.isoformat(),
            "lead_json": chunk.lead and chunk.lead.model_dump_json(),
            "text_hash": chunk_row(chunk, title=record.document.title)[-1],
        }
