"""Checks of a whole database: of SQLite's pages and indexes first, then every row as those who use it read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DatabaseCorruptError, DocFilter, JobFilter

from kebab_store_sqlite.answers import SqliteAnswerRepo
from kebab_store_sqlite.chat_sessions import SqliteChatSessionRepo
from kebab_store_sqlite.damage import OWN_TABLES, find_damage, find_table_damage
from kebab_store_sqlite.documents import SqliteDocumentStore
from kebab_store_sqlite.eval_runs import SqliteEvalRunRepo
from kebab_store_sqlite.jobs import SqliteJobRepo
from kebab_store_sqlite.runs import SqliteIngestRunRepo

if TYPE_CHECKING:
    from kebab_store_sqlite.database import SqliteDatabase

_ALL = 2**63 - 1
_WITHOUT_TERMS = """
    SELECT count(*) FROM chunks WHERE chunk_no NOT IN (SELECT chunk_no FROM chunk_terms)
"""


def check_integrity(database: SqliteDatabase) -> list[str]:
    """Return what is wrong with the database, one sentence each; empty where nothing is."""
    with database.reading() as connection:
        damage = find_damage(connection, writable=not database.readonly)
    return damage or _find_unreadable_rows(database)


def check_tables(database: SqliteDatabase) -> list[str]:
    """Return what is wrong outside the full-text indexes, which can be made anew from the rest."""
    with database.reading() as connection:
        damage = find_table_damage(connection)
    return damage or _find_unreadable_rows(database)


def _find_unreadable_rows(database: SqliteDatabase) -> list[str]:
    """Return what cannot be read, or lacks what belongs to it, the first of its kind; empty where all is well."""
    found: list[str] = []
    for read in (_read_texts, _read_documents, _read_files, _read_records):
        try:
            found += read(database)
        except DatabaseCorruptError as error:
            found.append(error.message)
    return found


def _read_texts(database: SqliteDatabase) -> list[str]:
    """Return what is missing, after decoding all text there is."""
    with database.reading() as connection:
        for (table,) in connection.execute(OWN_TABLES).fetchall():
            for _ in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - the name comes from the schema
                pass
        (count,) = connection.execute(_WITHOUT_TERMS).fetchone()
    return [f"{count} passages have lost their terms"] if count else []


def _read_documents(database: SqliteDatabase) -> list[str]:
    """Return which documents lack something."""
    store, found = SqliteDocumentStore(database), list[str]()
    for summary in store.list_documents(DocFilter()):
        document = store.get_document(summary.doc_id)
        if document is None or store.get_asset(summary.doc_id) is None:
            found.append(f"{summary.doc_path} is listed, but not to be found")
        ordinals = [chunk.ordinal for chunk in store.list_chunks(summary.doc_id)]
        if ordinals != list(range(len(ordinals))):
            found.append(f"{summary.doc_path} has lost passages")
    return found


def _read_files(database: SqliteDatabase) -> list[str]:
    """Return nothing, after reading what is known of files."""
    store = SqliteDocumentStore(database)
    store.list_failures()
    for scan in store.list_scans():
        store.remembered_skips(scan.source_id)
        for _ in store.tracked_files(scan.source_id):
            pass
    return []


def _read_records(database: SqliteDatabase) -> list[str]:
    """Return nothing, after reading answers, runs, jobs, evaluations and conversations."""
    SqliteAnswerRepo(database).recent(limit=_ALL)
    SqliteIngestRunRepo(database).list_runs(limit=_ALL)
    SqliteJobRepo(database).list(JobFilter(limit=_ALL))
    evaluations, sessions = SqliteEvalRunRepo(database), SqliteChatSessionRepo(database)
    for run in evaluations.list_runs(limit=_ALL):
        evaluations.list_results(run.run_id)
    for session in sessions.list_sessions(limit=_ALL):
        sessions.list_turns(session.session_id)
    return []
