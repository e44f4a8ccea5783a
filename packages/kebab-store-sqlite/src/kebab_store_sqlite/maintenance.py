"""Checks of the whole database for `kebab doctor`, and the repair of its full-text indexes."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from kebab_core import DatabaseCorruptError, JobFilter, Message, Remedy

from kebab_store_sqlite.answers import SqliteAnswerRepo
from kebab_store_sqlite.assets import ASSET_QUERY, asset_of
from kebab_store_sqlite.corpus_stats import raise_corpus_revision
from kebab_store_sqlite.document_parts import check_part
from kebab_store_sqlite.document_rows import DOCUMENT_QUERY, document_of, read_text
from kebab_store_sqlite.integrity import OWN_TABLES, find_damage, find_table_damage
from kebab_store_sqlite.runs import SqliteJobRepo
from kebab_store_sqlite.schema import FULL_TEXT_TABLES, load_migrations
from kebab_store_sqlite.source_files import SqliteSourceFileStore

if TYPE_CHECKING:
    from kebab_store_sqlite.database import SqliteDatabase

_DEFINITION = re.compile(r"CREATE VIRTUAL TABLE chunks_\w+ [^;]+")
_DELETE_FROM_SCHEMA = """
    DELETE FROM sqlite_master WHERE type IN ('table', 'index')
      AND (tbl_name IN ('chunks_fts', 'chunks_exact', 'chunks_vocab')
        OR tbl_name GLOB 'chunks_fts_*' OR tbl_name GLOB 'chunks_exact_*')
"""
_ALL = 2**63 - 1
_PARTS = "SELECT part_no, chunks, terms, blocks FROM document_parts"
_COUNT_DAMAGED_HASHES = "SELECT count(*) FROM chunks WHERE length(text_hash) <> 16"
_WITH_GAPS = """
    SELECT d.workspace_path FROM documents d JOIN chunks c USING (doc_no)
    GROUP BY d.doc_no HAVING min(c.ordinal) <> 0 OR max(c.ordinal) <> count(DISTINCT c.ordinal) - 1 OR count(*) <> count(DISTINCT c.ordinal)
"""
_PASSAGES_OF_PARTS = "SELECT part_no, count(*) FROM chunks GROUP BY part_no"


_TABLE_SIZES = """
    SELECT iif(m.tbl_name GLOB 'chunks_*', 'full_text', m.tbl_name) AS name, sum(s.pgsize) AS size
    FROM dbstat('main', 1) s JOIN sqlite_master m USING (name) GROUP BY 1
    UNION ALL SELECT 'unused', freelist_count * page_size FROM pragma_freelist_count, pragma_page_size
    ORDER BY size DESC
"""


def table_sizes(database: SqliteDatabase) -> Mapping[str, int]:
    """Return the bytes of each table with its indexes, of the full-text indexes, and of unused pages, the largest first.

    Every page is read. Empty where SQLite was built without its table of pages.

    Raises:
        OperationalError: SQLite failed.
    """
    with database.reading() as connection:
        try:
            return dict(connection.execute(_TABLE_SIZES).fetchall())
        except sqlite3.OperationalError as error:
            if "dbstat" in str(error):
                return {}
            raise


def check_integrity(database: SqliteDatabase) -> list[str]:
    """Check the whole database; return the problems, one sentence each."""
    with database.reading() as connection:
        damage = find_damage(connection, writable=not database.readonly)
    return damage or _find_unreadable_rows(database, are_terms_known=not database.readonly)


def check_tables(database: SqliteDatabase) -> list[str]:
    """Check everything but the full-text indexes, which can be rebuilt from the rest; return the problems."""
    with database.reading() as connection:
        damage = find_table_damage(connection)
    return damage or _find_unreadable_rows(database, are_terms_known=False)


def _find_unreadable_rows(database: SqliteDatabase, *, are_terms_known: bool) -> list[str]:
    """Read every row as the stores do; return unreadable and incomplete records, the first of each kind.

    Args:
        database: An open one.
        are_terms_known: Whether the terms of all passages have been compared with the full-text indexes.
    """
    found: list[str] = []
    for read in (
        partial(_read_texts, are_terms_known=are_terms_known),
        _read_documents,
        _read_files,
        _read_records,
    ):
        try:
            found += read(database)
        except DatabaseCorruptError as error:
            found.append(error.message)
    return found


def _read_texts(database: SqliteDatabase, *, are_terms_known: bool) -> list[str]:
    """Decode all text, and look for passages without content or terms."""
    with database.reading() as connection:
        for (table,) in connection.execute(OWN_TABLES).fetchall():
            for _ in connection.execute(f'SELECT * FROM "{table}"'):
                pass
        counts: dict[int | None, int] = dict(connection.execute(_PASSAGES_OF_PARTS).fetchall())
        for part_no, *columns in connection.execute(_PARTS):
            if check_part(tuple(columns), are_terms_known=are_terms_known) == counts.get(part_no, 0):
                counts.pop(part_no, None)
        (damaged,) = connection.execute(_COUNT_DAMAGED_HASHES).fetchone()
    found: list[str] = []
    if lost := sum(counts.values()):
        found.append(Message("{passages} passages have lost their terms", passages=lost))
    if damaged:
        found.append(Message("the hashes of the texts of {passages} passages are damaged", passages=damaged))
    return found


def _read_documents(database: SqliteDatabase) -> list[str]:
    """Read all documents with assets and extracted texts, without their parts, and look for missing passages."""
    with database.snapshot() as connection:
        for row in connection.execute(DOCUMENT_QUERY):
            document_of(row, (), None)
        for (doc_id,) in connection.execute("SELECT doc_id FROM document_texts"):
            read_text(connection, doc_id)
        for row in connection.execute(ASSET_QUERY):
            asset_of(row)
        paths = [path for (path,) in connection.execute(_WITH_GAPS)]
    return [Message("{path} has lost passages", path=path) for path in paths]


def _read_files(database: SqliteDatabase) -> list[str]:
    """Read failures, scans, skips and tracked files."""
    store = SqliteSourceFileStore(database)
    store.list_failures()
    for scan in store.list_scans():
        store.remembered_skips(scan.source_id)
        for _ in store.tracked_files(scan.source_id):
            pass
    return []


def _read_records(database: SqliteDatabase) -> list[str]:
    """Read answers, runs, jobs, evaluations and sessions."""
    answers, jobs = SqliteAnswerRepo(database), SqliteJobRepo(database)
    answers.recent(limit=_ALL)
    for session in answers.list_sessions(limit=_ALL):
        answers.list_turns(session.session_id)
    jobs.list(JobFilter(limit=_ALL))
    jobs.list_runs(limit=_ALL)
    for run in jobs.list_evaluations(limit=_ALL):
        jobs.list_results(run.run_id)
    return []


def repair_lexical_index(database: SqliteDatabase) -> bool:
    """Create both full-text indexes again if the database has any problem.

    No other process may write meanwhile. Temporarily takes twice the size of the database on the disk.

    Args:
        database: One that can be written.

    Returns:
        True if there was a problem; afterwards there is none.

    Raises:
        DatabaseCorruptError: There is damage outside of these indexes. Nothing was changed.
        StorageError: The disk is full.
    """
    database.require_writable()
    if not check_integrity(database):
        return False
    _require_sound(check_tables(database))
    with database.writing() as connection:
        _recreate_indexes(connection)
        raise_corpus_revision(connection)
    with database.reading() as connection:
        connection.execute("VACUUM")
    _require_sound(check_integrity(database))
    return True


def _recreate_indexes(connection: sqlite3.Connection) -> None:
    """Create the indexes from the definitions in the migrations: those in the database may be damaged, too.

    DROP would follow the pages of a damaged index, perhaps into pages of other tables. So only its rows in the schema
    are deleted; VACUUM frees its pages.
    """
    definitions = [sql for migration in load_migrations() for sql in _DEFINITION.findall(migration.sql)]
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute(_DELETE_FROM_SCHEMA)
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
    for sql in definitions:
        connection.execute(sql)
    for table in FULL_TEXT_TABLES:
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")


def _require_sound(damage: list[str]) -> None:
    if damage:
        raise DatabaseCorruptError(
            "the damage is not in the full-text indexes alone: {damage}",
            remedy=Remedy(kind="reset_data", then=Remedy(kind="ingest")),
            _damage=damage[0],
        )
