"""A database that this kebab cannot read, set aside in its data folder to make room for a new one."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import writing_mapped

from kebab_store_sqlite.connection import Access, connect, sqlite_errors_mapped
from kebab_store_sqlite.database import DATABASE_NAME
from kebab_store_sqlite.database_file import flush_folder, make_private_folder, read_id, read_own_id
from kebab_store_sqlite.schema import find_other_schema
from kebab_store_sqlite.staged_backup import MOVED_FOLDERS

if TYPE_CHECKING:
    from kebab_core import TrackedFile

REPLACED_FOLDER = "replaced"
"""Folder below the data folder."""
_OTHERS_END_MS = 2_000
_OLDER = "schema-"
"""Beginning of the names of older databases of this base; the others are of another one, where a path means nothing."""
_HELD = """
    SELECT 1 FROM documents JOIN assets USING (asset_id)
    WHERE (? AND source_id = ? AND workspace_path = ?) OR checksum = ? LIMIT 1
"""


def find_replaced(data_dir: Path, documents: Sequence[TrackedFile]) -> tuple[Path, ...]:
    """Return the folders of databases that were set aside and hold one of some documents, by path or content.

    An older database of this base that cannot be read is taken for one that does.
    """
    folder = data_dir / REPLACED_FOLDER
    kept = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(each for each in kept if _holds(each, documents))


def _holds(folder: Path, documents: Sequence[TrackedFile]) -> bool:
    database, is_older = folder / DATABASE_NAME, folder.name.startswith(_OLDER)
    if not documents or not database.exists():
        return False
    try:
        with closing(connect(database, Access.IMMUTABLE)) as connection:
            rows = [(is_older, each.source_id, each.workspace_path, each.checksum) for each in documents]
            return any(connection.execute(_HELD, row).fetchone() for row in rows)
    except sqlite3.Error:
        return is_older


def set_base_aside(data_dir: Path) -> Path | None:
    """Move a database that is too old or too new below `replaced`, with its copies of assets and its stored evaluations.

    The database of another base goes there alone. The database goes last and with one rename: whatever ends the move before leaves it in its place, and the next call
    completes the move. Nothing is deleted. The caller holds the writer lock.

    Returns:
        The folder with what was moved, such as `replaced/schema-11`; None where there is no such database.

    Raises:
        DatabaseCorruptError: The database is damaged, or of another program.
        LockedError: Another process has it open.
        StorageError: Something cannot be moved.
    """
    database = data_dir / DATABASE_NAME
    if not database.exists():
        return None
    found, own = read_id(database), read_own_id(data_dir)
    if (
        found is not None and own is not None and found != own
    ):  # its log is that of the database that was there
        with writing_mapped(data_dir):
            return _move(data_dir, f"base-{found:08x}", ())
    with sqlite_errors_mapped():
        with closing(connect(database, Access.READ_ONLY)) as connection:
            version = find_other_schema(connection)
        if version is None:
            return None
        with closing(connect(database, Access.READ_WRITE)) as connection:
            connection.execute(f"PRAGMA busy_timeout = {_OTHERS_END_MS}")
            connection.execute("PRAGMA journal_mode = DELETE")  # what is in the log goes into the file
            connection.execute("BEGIN EXCLUSIVE")
            with writing_mapped(data_dir):
                return _move(data_dir, f"{_OLDER}{version}", MOVED_FOLDERS)


def _move(data_dir: Path, name: str, moved_folders: Sequence[str]) -> Path:
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    folders = (data_dir / REPLACED_FOLDER / name for name in names)
    folder = next(folder for folder in folders if not (folder / DATABASE_NAME).exists())
    for path in sorted(
        path for moved in moved_folders for path in (data_dir / moved).rglob("*") if path.is_file()
    ):
        target = folder / path.relative_to(data_dir)
        make_private_folder(target.parent)
        shutil.move(path, target)  # the folder may lie on another disk, by a link
    make_private_folder(folder)
    database = data_dir / DATABASE_NAME
    shutil.move(database.resolve(), folder / DATABASE_NAME)
    if database.is_symlink():
        database.unlink()
    flush_folder(folder)
    flush_folder(data_dir)
    return folder
