"""Numbers of the corpus: revision, coverage, sizes and breakdowns."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import AnalyzerVersion, Coverage

from kebab_store_sqlite.schema import read_schema_version, timestamp
from kebab_store_sqlite.source_files import REPO_OF_DOCUMENT, read_repositories, repository_of

if TYPE_CHECKING:
    from kebab_core import StoreStats


_VERSION_AND_MODEL = """
    SELECT (SELECT value FROM kv WHERE key = 'content_version'),
      (SELECT CAST(value AS INTEGER) FROM kv WHERE key = 'embedding_model')
"""
_PENDING = """
    SELECT count(*) FROM documents d WHERE embedding_model_id IS NULL AND EXISTS (
      SELECT 1 FROM chunks c WHERE c.doc_no = d.doc_no
        AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.model_no = ? AND v.text_hash = c.text_hash)
    )
"""
_HELD = "SELECT coalesce(sum(documents_held), 0) FROM source_scans"
_FAILED = """
    SELECT count(*) FROM file_failures f WHERE NOT EXISTS (
      SELECT 1 FROM documents d WHERE d.source_id = f.source_id
        AND d.workspace_path > f.workspace_path || '/' AND d.workspace_path < f.workspace_path || '0'
    )
"""
"""A folder that could not be read is not counted when documents below it are: each of them has its own failure."""
_RUNNING = "SELECT count(*) FROM ingest_runs WHERE finished_at IS NULL"
_ASSET_BYTES = "SELECT coalesce(sum(byte_len), 0) FROM assets WHERE storage_kind = 'copied'"
_DOCUMENTS = "SELECT count(*) FROM documents"
_ANALYZER_BOUNDS = """
    SELECT (SELECT min(analyzer_version) FROM documents), (SELECT max(analyzer_version) FROM documents)
"""
_COMMONEST_ANALYZER = """
    SELECT analyzer_version FROM documents GROUP BY analyzer_version
    ORDER BY count(*) DESC, max(indexed_at) DESC LIMIT 1
"""
_KINDS = f"""
    SELECT d.media, d.lang, d.code_lang, {REPO_OF_DOCUMENT} AS in_repo, d.parser_version, d.chunker_version, count(*) AS documents
    FROM documents d GROUP BY d.media, d.lang, d.code_lang, in_repo, d.parser_version, d.chunker_version
"""
_CHUNKS_BY_CODE_LANG = """
    SELECT d.code_lang, count(*) FROM documents d JOIN chunks c USING (doc_no)
    WHERE d.code_lang IS NOT NULL GROUP BY d.code_lang ORDER BY d.code_lang
"""
_STALE = """
    WITH RECURSIVE sources (source_id) AS (
      SELECT min(source_id) FROM documents UNION ALL
      SELECT (SELECT min(d.source_id) FROM documents d WHERE d.source_id > s.source_id) FROM sources s
      WHERE s.source_id IS NOT NULL
    ),
    old (doc_id) AS (
      SELECT d.doc_id FROM source_scans s CROSS JOIN documents d USING (source_id)
      WHERE :has_threshold AND s.completed_at < :oldest
      UNION ALL
      SELECT d.doc_id FROM sources s CROSS JOIN documents d USING (source_id)
      WHERE :has_threshold AND d.indexed_at < :oldest AND s.source_id NOT IN (SELECT source_id FROM source_scans)
    ),
    failed (doc_id) AS (SELECT d.doc_id FROM file_failures f CROSS JOIN documents d USING (source_id, workspace_path))
    SELECT count(*) FROM (SELECT doc_id FROM old UNION SELECT doc_id FROM failed)
"""
"""`DocSummary.is_stale` over all documents; rows of recently scanned sources are not read."""

_LAST_INGEST = """
    SELECT max(coalesce(finished_at, strftime('%Y-%m-%dT%H:%M:%f000Z', json_extract(report_json, '$.finished_at'))))
    FROM ingest_runs
"""
"""Aborted runs count too: the documents that they stored stay."""


def read_coverage(
    connection: sqlite3.Connection, pending: PendingCount, *, now: datetime, stale_threshold_days: int
) -> Coverage:
    """Return the numbers of indexed, pending, failed, stale and held documents; legs are left empty."""
    parameters = {
        "has_threshold": stale_threshold_days > 0,
        "oldest": timestamp(now - timedelta(days=stale_threshold_days)),
    }
    return Coverage(
        documents_indexed=_number(connection, _DOCUMENTS),
        documents_pending=pending.read(connection),
        documents_failed=_number(connection, _FAILED),
        documents_stale=connection.execute(_STALE, parameters).fetchone()[0],
        documents_held=_number(connection, _HELD),
        ingest_running=_number(connection, _RUNNING) > 0,
    )


def read_stats(connection: sqlite3.Connection, pending: PendingCount, *, database: Path) -> StoreStats:
    """Return sizes and breakdowns; the size includes the write-ahead log and shared memory beside `database`."""
    from kebab_core import StoreStats

    kinds = connection.execute(_KINDS).fetchall()
    files = [database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")]
    return StoreStats(
        doc_count=_number(connection, _DOCUMENTS),
        chunk_count=count_chunks(connection),
        asset_count=_number(connection, "SELECT count(DISTINCT asset_id) FROM documents"),
        failed_file_count=_number(connection, _FAILED),
        pending_document_count=pending.read(connection),
        held_document_count=_number(connection, _HELD),
        last_ingest_at=connection.execute(_LAST_INGEST).fetchone()[0],
        docs_by_media=_breakdown(kinds, "media"),
        docs_by_lang=_breakdown(kinds, "lang"),
        docs_by_code_lang=_breakdown(kinds, "code_lang"),
        chunks_by_code_lang=dict(connection.execute(_CHUNKS_BY_CODE_LANG).fetchall()),
        docs_by_repo=_breakdown(kinds, "in_repo"),
        repositories=tuple(map(repository_of, read_repositories(connection))),
        sqlite_bytes=sum(file.stat().st_size for file in files if file.exists()),
        asset_bytes=_number(connection, _ASSET_BYTES),
        schema_version=read_schema_version(connection),
        corpus_revision=read_corpus_revision(connection),
        active_parsers=tuple(_breakdown(kinds, "parser_version")),
        active_chunkers=tuple(_breakdown(kinds, "chunker_version")),
        analyzer_version=read_analyzer_version(connection),
    )


def read_corpus_revision(connection: sqlite3.Connection) -> int:
    """Return the revision of the corpus; it rises with every change of search results."""
    return _number(connection, "SELECT CAST(value AS INTEGER) FROM kv WHERE key = 'corpus_revision'")


class PendingCount:
    """Number of documents that lack a vector of the model in force, counted once for each content version."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[str | None, int], int] = (("", 0), 0)

    def read(self, connection: sqlite3.Connection) -> int:
        """Return the number; 0 before a model is in force."""
        version, model = connection.execute(_VERSION_AND_MODEL).fetchone()
        if model is None:
            return 0
        kept = self._kept
        if kept[0] != (version, model):
            self._kept = kept = ((version, model), int(connection.execute(_PENDING, (model,)).fetchone()[0]))
        return kept[1]


def raise_corpus_revision(connection: sqlite3.Connection) -> None:
    """Raise the revision of the corpus and change its content version; called in the transaction that changes search results."""
    connection.execute("UPDATE kv SET value = CAST(value AS INTEGER) + 1 WHERE key = 'corpus_revision'")
    connection.execute("UPDATE kv SET value = lower(hex(randomblob(16))) WHERE key = 'content_version'")


def read_analyzer_version(connection: sqlite3.Connection) -> AnalyzerVersion | None:
    """Return the analyser version of most documents; None without documents.

    While documents are analysed again there are two versions. One file that cannot be read again must not make an
    index unusable, and one that was must not make it look current; so the majority decides.
    """
    row = connection.execute(_ANALYZER_BOUNDS).fetchone()
    if row[0] != row[1]:
        row = connection.execute(_COMMONEST_ANALYZER).fetchone()
    return None if row[0] is None else AnalyzerVersion(row[0])


def count_chunks(connection: sqlite3.Connection) -> int:
    """Count the chunks, in the smallest table with one row for each."""
    return _number(connection, "SELECT count(*) FROM chunks_fts_docsize")


def _number(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])


def _breakdown(kinds: Sequence[sqlite3.Row], column: str) -> dict[str, int]:
    """Count documents by one column of `_KINDS`, sorted by its values."""
    counts: Counter[str] = Counter()
    for row in kinds:
        if row[column] is not None:
            counts[row[column]] += row["documents"]
    return dict(sorted(counts.items()))
