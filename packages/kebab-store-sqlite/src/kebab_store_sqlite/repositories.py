"""The table of repositories, and the repository of a document."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core import SourceId, WorkspacePath

if TYPE_CHECKING:
    from kebab_core import Repository

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
