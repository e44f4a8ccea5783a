"""The store of source files: stamps, failures, skips, complete scans, and the repositories of documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from kebab_core import DocumentId, FileStamp, FileState, SourceId, WorkspacePath

from kebab_store_sqlite.connection import row_errors_mapped
from kebab_store_sqlite.schema import as_model, insert_statement, timestamp

if TYPE_CHECKING:
    from kebab_core import CompletedScan, FileFailure, RawAsset, RememberedSkip, Repository, TrackedFile

    from kebab_store_sqlite.database import SqliteDatabase

_STATES = """
    SELECT workspace_path, byte_len || ' ' || mtime_ns || ' ' || inode || ' ' || ctime_ns || ' ' || fingerprint
    FROM documents WHERE source_id = ?
"""
"""The text of `kebab_core.file_state`, built by SQLite: a tuple for each file would cost as much as its stat."""
_STATES_AT = f"{_STATES} AND (workspace_path = ? OR workspace_path > ? AND workspace_path < ?)"
"""Of one file, or of those in one folder: `0` is the character after `/`."""

_SPELLINGS = """
    SELECT workspace_path, disk_path FROM documents
    WHERE source_id = ? AND substr(disk_path, -length(workspace_path)) <> workspace_path
"""
"""`kebab_core.spelling_of` where it is not empty; the condition is that of a partial index, word for word."""

_TRACKED = """
    SELECT d.doc_id, d.source_id, d.workspace_path, d.disk_path, a.checksum, d.byte_len, d.mtime_ns, d.inode,
           d.ctime_ns, d.fingerprint, f.failed_at IS NOT NULL
    FROM documents d JOIN assets a USING (asset_id)
    LEFT JOIN file_failures f ON f.source_id = d.source_id AND f.workspace_path = d.workspace_path
    WHERE d.source_id = ?
"""
_TOUCH = """
    UPDATE documents SET byte_len = ?, mtime_ns = ?, inode = ?, ctime_ns = ?, disk_path = ? WHERE doc_id = ?
"""
_DELETE_FAILURE_OF_DOCUMENT = """
    DELETE FROM file_failures WHERE (source_id, workspace_path) IN
      (SELECT source_id, workspace_path FROM documents WHERE doc_id = ?)
"""
DELETE_FAILURE = "DELETE FROM file_failures WHERE source_id = ? AND workspace_path = ?"
DELETE_SKIP = "DELETE FROM skipped_files WHERE source_id = ? AND workspace_path = ?"
_REFER = "UPDATE assets SET storage_path = ? WHERE asset_id = ? AND storage_kind = 'reference'"
_PUT_FAILURE = """
    INSERT OR REPLACE INTO file_failures (source_id, workspace_path, code, message, failed_at)
    VALUES (?, ?, ?, ?, ?)
"""
_FAILURES = "SELECT * FROM file_failures ORDER BY source_id, workspace_path"
_PUT_SKIP = """
    INSERT OR REPLACE INTO skipped_files
      (source_id, workspace_path, byte_len, mtime_ns, inode, ctime_ns, fingerprint, reason)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_SCANS = "SELECT * FROM source_scans ORDER BY source_id"

_SKIPS = """
    SELECT source_id, workspace_path, byte_len, mtime_ns, inode, ctime_ns, fingerprint, reason FROM skipped_files
    WHERE source_id = ? ORDER BY workspace_path
"""

REPO_OF_DOCUMENT = """
    coalesce(d.repo, (
      SELECT r.name FROM repositories r WHERE r.source_id = d.source_id AND (
        r.folder = '' OR d.workspace_path > r.folder || '/' AND d.workspace_path < r.folder || '0'
      ) ORDER BY length(r.folder) DESC LIMIT 1
    ))
"""
"""Name of the repository of a row `d` of `documents`, NULL where it is in none; `0` is the character after `/`."""
_LIST = (
    "SELECT source_id, folder, name, remote, branch, commit_hash FROM repositories ORDER BY source_id, folder"
)
_PUT = "INSERT OR REPLACE INTO repositories (source_id, folder, name, remote, branch, commit_hash) VALUES (?, ?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM repositories WHERE source_id = ? AND folder = ?"
_RAISE_REVISION = "UPDATE kv SET value = CAST(value AS INTEGER) + 1 WHERE key = 'corpus_revision'"

RepositoryRow = tuple[str, str, str, str | None, str | None, str | None]


class SqliteSourceFileStore:
    """Implements `SourceFileStore` on SQLite; usable from several threads.

    `tracked_files` fetches all rows at once, so that writing can go on while they are iterated.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def touch_file(
        self, doc_id: DocumentId, *, stamp: FileStamp, disk_path: str, asset: RawAsset | None = None
    ) -> None:
        """Record a new stamp and path of an unchanged file, and clear its failure."""
        with self._db.writing() as connection:
            connection.execute(_TOUCH, (*_stamp_columns(stamp), disk_path, doc_id))
            connection.execute(_DELETE_FAILURE_OF_DOCUMENT, (doc_id,))
            if asset is not None and asset.stored.kind == "reference":
                connection.execute(_REFER, (asset.stored.path, asset.asset_id))

    def record_failure(self, *failures: FileFailure) -> None:
        """Record files that could not be processed, and clear their skips."""
        rows = [
            (
                each.source_id,
                each.workspace_path,
                each.failure.code,
                each.failure.message,
                timestamp(each.failed_at),
            )
            for each in failures
        ]
        with self._db.writing() as connection:
            connection.executemany(_PUT_FAILURE, rows)
            connection.executemany(DELETE_SKIP, [row[:2] for row in rows])

    def clear_failure(self, source_id: SourceId, workspace_path: WorkspacePath) -> None:
        """Delete the failure of a file."""
        self._db.write(DELETE_FAILURE, (source_id, workspace_path))

    def list_failures(self) -> list[FileFailure]:
        """Return all failures, by source and path."""
        return self._db.read_all(_FAILURES, (), _failure_of)

    def remember_skip(self, skip: RememberedSkip) -> None:
        """Record the reason a file is skipped, and clear its failure."""
        stamp = _stamp_columns(skip.stamp)
        row = (skip.source_id, skip.workspace_path, *stamp, skip.fingerprint, skip.reason.value)
        with self._db.writing() as connection:
            connection.execute(_PUT_SKIP, row)
            connection.execute(DELETE_FAILURE, (skip.source_id, skip.workspace_path))

    def forget_skips(self, source_id: SourceId, paths: Sequence[WorkspacePath]) -> None:
        """Delete the recorded skips of files."""
        self._db.write_many(DELETE_SKIP, [(source_id, path) for path in paths])

    def remembered_skips(self, source_id: SourceId) -> list[RememberedSkip]:
        """Return the recorded skips of a source, by path."""
        return self._db.read_all(_SKIPS, (source_id,), _skip_of)

    def record_scan(self, scan: CompletedScan) -> None:
        """Record a complete scan of a source in place of the one before."""
        row = {**scan.model_dump(), "completed_at": timestamp(scan.completed_at)}
        self._db.write(insert_statement("source_scans", row, verb="INSERT OR REPLACE"), row)

    def list_scans(self) -> list[CompletedScan]:
        """Return the last complete scan of each source, by source."""
        from kebab_core import CompletedScan

        return self._db.read_all(_SCANS, (), as_model(CompletedScan))

    def record_repositories(
        self, source_id: SourceId, repositories: Sequence[Repository], *, is_complete: bool
    ) -> None:
        """Record the repositories of a source; nothing is written where nothing has changed."""
        known = {each for each in self.list_repositories() if each.source_id == source_id}
        if known == set(repositories) or (not is_complete and known >= set(repositories)):
            return
        with self._db.writing() as connection:
            write_repositories(connection, source_id, repositories, is_complete=is_complete)

    def list_repositories(self) -> list[Repository]:
        """Return the repositories of all sources, by source and folder."""
        with self._db.reading() as connection:
            return [repository_of(row) for row in read_repositories(connection)]

    def tracked_file(self, source_id: SourceId, workspace_path: WorkspacePath) -> TrackedFile | None:
        """Return the record of one indexed file."""
        with self._db.reading() as connection:
            query = f"{_TRACKED} AND d.workspace_path = ?"
            row = connection.execute(query, (source_id, workspace_path)).fetchone()
            return None if row is None else _tracked_file_of(row)

    def tracked_files(self, source_id: SourceId) -> Iterator[TrackedFile]:
        """Return the records of all indexed files of a source, by path."""
        with self._db.reading() as connection:
            query = f"{_TRACKED} ORDER BY d.workspace_path"
            return _iterate_tracked_files(connection.execute(query, (source_id,)).fetchall())

    def file_states(
        self, source_id: SourceId, *, among: Sequence[WorkspacePath] = ()
    ) -> Mapping[str, FileState]:
        """Return the state of every indexed file of a source by path; empty for files that failed last time."""
        with self._db.snapshot() as connection:
            cursor = connection.cursor()
            cursor.row_factory = None
            states: dict[str, FileState] = {}
            for place in among:
                states.update(cursor.execute(_STATES_AT, (source_id, place, f"{place}/", f"{place}0")))
            if not among:
                states.update(cursor.execute(_STATES, (source_id,)))
            for path, disk_path in cursor.execute(_SPELLINGS, (source_id,)):
                if path in states:
                    states[path] = FileState(f"{states[path]} {disk_path}")
            failed = cursor.execute(
                "SELECT workspace_path FROM file_failures WHERE source_id = ?", (source_id,)
            )
            states.update({path: FileState("") for (path,) in failed if path in states})
            return states


def _iterate_tracked_files(rows: Iterable[sqlite3.Row]) -> Iterator[TrackedFile]:
    with row_errors_mapped():
        yield from map(_tracked_file_of, rows)


def _tracked_file_of(row: sqlite3.Row) -> TrackedFile:
    from kebab_core import TrackedFile

    doc_id, source_id, path, disk_path, checksum, *stamp, fingerprint, failed = row
    return TrackedFile(
        DocumentId(doc_id),
        SourceId(source_id),
        WorkspacePath(path),
        disk_path,
        checksum,
        _stamp_of(*stamp),
        fingerprint,
        bool(failed),
    )


def _failure_of(row: sqlite3.Row) -> FileFailure:
    from kebab_core import FileFailure

    fields = dict(row)
    failure = {"code": fields.pop("code"), "message": fields.pop("message")}
    return FileFailure.model_validate({**fields, "failure": failure})


def _skip_of(row: sqlite3.Row) -> RememberedSkip:
    from kebab_core import RememberedSkip, SkipReason

    source_id, path, *stamp, fingerprint, reason = row
    return RememberedSkip(source_id, WorkspacePath(path), _stamp_of(*stamp), fingerprint, SkipReason(reason))


def _stamp_columns(stamp: FileStamp) -> tuple[int, str, str, str]:
    """Return a stamp as it is stored."""
    return stamp.byte_len, str(stamp.mtime_ns), str(stamp.inode), str(stamp.ctime_ns)


def _stamp_of(byte_len: int, mtime_ns: str, inode: str, ctime_ns: str) -> FileStamp:
    return FileStamp(byte_len, int(mtime_ns), int(inode), int(ctime_ns))


def read_repositories(connection: sqlite3.Connection) -> list[RepositoryRow]:
    """Return all rows, by source and folder."""
    return [tuple(row) for row in connection.execute(_LIST)]


def write_repositories(
    connection: sqlite3.Connection,
    source_id: SourceId,
    repositories: Sequence[Repository],
    *,
    is_complete: bool,
) -> None:
    """Write the repositories of a source; with `is_complete` its others are deleted. Search filters by their names."""
    known = {row[1]: row for row in read_repositories(connection) if row[0] == source_id}
    rows = {row[1]: row for row in (_row_of(source_id, repository) for repository in repositories)}
    gone = [folder for folder in known if is_complete and folder not in rows]
    connection.executemany(_PUT, [row for folder, row in rows.items() if known.get(folder) != row])
    connection.executemany(_DELETE, [(source_id, folder) for folder in gone])
    if gone or any(folder not in known or known[folder][2] != row[2] for folder, row in rows.items()):
        connection.execute(_RAISE_REVISION)


def repository_of(row: RepositoryRow) -> Repository:
    """Return the repository of a row."""
    from kebab_core import Repository

    source_id, folder, name, remote, branch, commit = row
    place = WorkspacePath(folder) if folder else None
    return Repository(
        source_id=SourceId(source_id), folder=place, name=name, remote=remote, branch=branch, commit=commit
    )


def _row_of(source_id: SourceId, repository: Repository) -> RepositoryRow:
    folder = repository.folder or ""
    return (source_id, folder, repository.name, repository.remote, repository.branch, repository.commit)
