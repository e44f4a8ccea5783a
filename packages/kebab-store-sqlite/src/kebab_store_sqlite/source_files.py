"""What is known of files besides their content: stamps, failures, complete scans."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from kebab_core import DocumentId, FileStamp, FileState, SourceId, WorkspacePath

from kebab_store_sqlite.schema import read_schema_version
from kebab_store_sqlite.sqlite_errors import row_errors_mapped
from kebab_store_sqlite.timestamps import time_text, timestamp

if TYPE_CHECKING:
    from kebab_core import CompletedScan, FileFailure, RawAsset, RememberedSkip, TrackedFile


_STATES = """
    SELECT workspace_path, byte_len || ' ' || mtime_ns || ' ' || inode || ' ' || coalesce(ctime_ns, '') || ' ' || fingerprint
    FROM documents WHERE source_id = ?
"""
"""The text of `kebab_core.file_state`, put together by SQLite: a tuple for each file would cost as much as its stat."""

_SPELLINGS = """
    SELECT workspace_path, disk_path FROM documents
    WHERE source_id = ? AND substr(disk_path, -length(workspace_path)) <> workspace_path
"""
"""`kebab_core.spelling_of` where it is not empty; the same term as in the index that holds these."""

_TRACKED = """
    SELECT d.doc_id, d.source_id, d.workspace_path, d.disk_path, a.checksum, d.byte_len, d.mtime_ns, d.inode,
           {ctime_ns}, d.fingerprint, f.failed_at
    FROM documents d JOIN assets a USING (asset_id)
    LEFT JOIN file_failures f ON f.source_id = d.source_id AND f.workspace_path = d.workspace_path
    WHERE d.source_id = ?
"""

_SKIPS_SCHEMA = 2
"""The first schema with `skipped_files`."""
_CTIME_SCHEMA = 4
"""The first schema with `ctime_ns`."""


def touch_file(
    connection: sqlite3.Connection,
    doc_id: DocumentId,
    *,
    stamp: FileStamp,
    disk_path: str,
    asset: RawAsset | None,
) -> None:
    """Record a new stamp and place of a file; a referred asset is re-pointed if given."""
    connection.execute(
        "UPDATE documents SET byte_len = ?, mtime_ns = ?, inode = ?, ctime_ns = ?, disk_path = ? WHERE doc_id = ?",
        (
            stamp.byte_len,
            str(stamp.mtime_ns),
            str(stamp.inode),
            time_text(stamp.ctime_ns),
            disk_path,
            doc_id,
        ),
    )
    connection.execute(
        "DELETE FROM file_failures WHERE (source_id, workspace_path) IN "
        "(SELECT source_id, workspace_path FROM documents WHERE doc_id = ?)",
        (doc_id,),
    )
    if asset is not None and asset.stored.kind == "reference":
        connection.execute(
            "UPDATE assets SET storage_path = ? WHERE asset_id = ? AND storage_kind = 'reference'",
            (asset.stored.path, asset.asset_id),
        )


def tracked_file(
    connection: sqlite3.Connection, source_id: SourceId, workspace_path: WorkspacePath
) -> TrackedFile | None:
    """Return what is known of one file."""
    query = f"{_tracked_query(connection)} AND d.workspace_path = ?"
    row = connection.execute(query, (source_id, workspace_path)).fetchone()
    return None if row is None else _tracked_file_of(row)


def tracked_files(connection: sqlite3.Connection, source_id: SourceId) -> Iterator[TrackedFile]:
    """Return what is known of every file of a source, by path; rows are taken at once and read one by one."""
    query = f"{_tracked_query(connection)} ORDER BY d.workspace_path"
    return _read_one_by_one(connection.execute(query, (source_id,)).fetchall())


def file_states(connection: sqlite3.Connection, source_id: SourceId) -> Mapping[str, FileState]:
    """Return the state of every file of a source by path; empty where the last reading failed."""
    cursor = connection.cursor()
    cursor.row_factory = None
    states: dict[str, FileState] = dict(cursor.execute(_STATES, (source_id,)))
    for path, disk_path in cursor.execute(_SPELLINGS, (source_id,)):
        states[path] = FileState(f"{states[path]} {disk_path}")
    failed = connection.execute("SELECT workspace_path FROM file_failures WHERE source_id = ?", (source_id,))
    states.update({path: FileState("") for (path,) in failed if path in states})
    return states


def remember_skip(connection: sqlite3.Connection, skip: RememberedSkip) -> None:
    """Note why a file is left out."""
    stamp = skip.stamp
    connection.execute(
        "INSERT OR REPLACE INTO skipped_files "
        "(source_id, workspace_path, byte_len, mtime_ns, inode, ctime_ns, fingerprint, reason) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            skip.source_id,
            skip.workspace_path,
            stamp.byte_len,
            str(stamp.mtime_ns),
            str(stamp.inode),
            time_text(stamp.ctime_ns),
            skip.fingerprint,
            skip.reason.value,
        ),
    )


def forget_skips(connection: sqlite3.Connection, source_id: str, paths: Iterable[str]) -> None:
    """Forget why files are left out."""
    connection.executemany(
        "DELETE FROM skipped_files WHERE source_id = ? AND workspace_path = ?",
        [(source_id, path) for path in paths],
    )


def remembered_skips(connection: sqlite3.Connection, source_id: SourceId) -> list[RememberedSkip]:
    """Return what is noted of files of a source that are left out, by path.

    A database that may only be read can be older than the table or one of its columns.
    """
    from kebab_core import RememberedSkip, SkipReason

    version = read_schema_version(connection)
    if version < _SKIPS_SCHEMA:
        return []
    rows = connection.execute(
        "SELECT * FROM skipped_files WHERE source_id = ? ORDER BY workspace_path", (source_id,)
    )
    return [
        RememberedSkip(
            source_id=row["source_id"],
            workspace_path=WorkspacePath(row["workspace_path"]),
            stamp=_stamp_of(
                row["byte_len"],
                row["mtime_ns"],
                row["inode"],
                row["ctime_ns"] if version >= _CTIME_SCHEMA else None,
            ),
            fingerprint=row["fingerprint"],
            reason=SkipReason(row["reason"]),
        )
        for row in rows
    ]


def record_failures(connection: sqlite3.Connection, failures: Iterable[FileFailure]) -> None:
    """Note that files could not be processed."""
    connection.executemany(
        "INSERT OR REPLACE INTO file_failures (source_id, workspace_path, code, message, failed_at) "
        "VALUES (?, ?, ?, ?, ?)",
        [
            (
                failure.source_id,
                failure.workspace_path,
                failure.failure.code,
                failure.failure.message,
                timestamp(failure.failed_at),
            )
            for failure in failures
        ],
    )


def list_failures(connection: sqlite3.Connection) -> list[FileFailure]:
    """Return all failures, by source and path."""
    from kebab_core import FileFailure, IngestFailure

    rows = connection.execute("SELECT * FROM file_failures ORDER BY source_id, workspace_path")
    return [
        FileFailure(
            source_id=row["source_id"],
            workspace_path=row["workspace_path"],
            failure=IngestFailure(code=row["code"], message=row["message"]),
            failed_at=row["failed_at"],
        )
        for row in rows
    ]


def record_scan(connection: sqlite3.Connection, scan: CompletedScan) -> None:
    """Note that a source was scanned to its end, in place of its scan before."""
    connection.execute(
        "INSERT OR REPLACE INTO source_scans (source_id, root, completed_at, files, documents_held) "
        "VALUES (?, ?, ?, ?, ?)",
        (scan.source_id, scan.root, timestamp(scan.completed_at), scan.files, scan.documents_held),
    )


def list_scans(connection: sqlite3.Connection) -> list[CompletedScan]:
    """Return the last complete scan of each source, by source."""
    from kebab_core import CompletedScan

    rows = connection.execute("SELECT * FROM source_scans ORDER BY source_id")
    return [CompletedScan.model_validate(dict(row)) for row in rows]


def _tracked_query(connection: sqlite3.Connection) -> str:
    """Return the query of `TrackedFile`; a database that may only be read can be older than one of its columns."""
    has_ctime = read_schema_version(connection) >= _CTIME_SCHEMA
    return _TRACKED.format(ctime_ns="d.ctime_ns" if has_ctime else "NULL")


def _stamp_of(byte_len: int, mtime_ns: str, inode: str, ctime_ns: str | None) -> FileStamp:
    return FileStamp(byte_len, int(mtime_ns), int(inode), None if ctime_ns is None else int(ctime_ns))


def _read_one_by_one(rows: Iterable[sqlite3.Row]) -> Iterator[TrackedFile]:
    with row_errors_mapped():
        yield from map(_tracked_file_of, rows)


def _tracked_file_of(row: sqlite3.Row) -> TrackedFile:
    from kebab_core import TrackedFile

    doc_id, source_id, workspace_path, disk_path, checksum, *stamp, fingerprint, failed_at = row
    return TrackedFile(
        doc_id=DocumentId(doc_id),
        source_id=SourceId(source_id),
        workspace_path=WorkspacePath(workspace_path),
        disk_path=disk_path,
        checksum=checksum,
        stamp=_stamp_of(*stamp),
        fingerprint=fingerprint,
        failed=failed_at is not None,
    )
