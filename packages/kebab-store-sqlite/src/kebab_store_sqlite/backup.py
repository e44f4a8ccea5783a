"""A backup of a data folder in one archive, written while others write.

Everything is prepared in a scratch folder of the data folder, and ends with one rename.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    ByteProgress,
    ByteSink,
    DatabaseCorruptError,
    InvalidInputError,
    Message,
    Remedy,
    StorageError,
    hash_bytes,
)

from kebab_store_sqlite.archive import (
    ArchiveWriter,
    BackupManifest,
    ProgressMeter,
)
from kebab_store_sqlite.assets import content_of_copy
from kebab_store_sqlite.backup_checks import find_foreign_content, find_foreign_object
from kebab_store_sqlite.connection import Access, connect, primary_code
from kebab_store_sqlite.database import DATABASE_NAME, SqliteDatabase
from kebab_store_sqlite.database_file import flush_folder
from kebab_store_sqlite.integrity import find_damage
from kebab_store_sqlite.schema import read_schema_version
from kebab_store_sqlite.scratch import place_file, scratch_folder, sweep_scratch

if TYPE_CHECKING:
    from kebab_core import Clock

_DRAFT_NAME = "archive.zip"
_ATTEMPTS = 3
_STEPS_PER_CALL = 20_000
"""Steps of SQLite's virtual machine between two calls of the progress handler, some milliseconds."""
_COPIES = """
    SELECT asset_id, storage_path, byte_len, checksum,
           coalesce((SELECT min(workspace_path) FROM documents d WHERE d.asset_id = a.asset_id), asset_id) AS document
    FROM assets a WHERE storage_kind = 'copied' ORDER BY asset_id
"""
_IS_COPIED = "SELECT 1 FROM assets WHERE asset_id = ? AND storage_kind = 'copied'"


class Backup(NamedTuple):
    """A backup that was written."""

    manifest: BackupManifest
    size_bytes: int
    """Of the archive."""
    missing: tuple[str, ...]
    """Paths of documents without a copy in the archive: it is missing or damaged in the data folder."""


def write_backup(
    database: SqliteDatabase,
    target: Path,
    *,
    files: Mapping[str, Path],
    kebab_version: str,
    replace: bool,
    progress: ByteSink,
) -> Backup:
    """Write the database, the copies of its assets and other files into one archive.

    Other processes may write meanwhile: the database is that of one moment, and the copies are those that it names.
    `target` is never an incomplete archive; Ctrl-C, a full disk and a kill leave what was there. What a kill leaves in the
    scratch folder goes with the next export, import or ingest.

    Args:
        database: The open database.
        target: The archive.
        files: Other files: name in the archive to path on disk. One that is gone is left out.
        kebab_version: For the manifest.
        replace: Replace a file that is there.
        progress: Gets each step.

    Raises:
        InvalidInputError: `target` exists and `replace` is false, or its folder does not exist; the database has a table of
            somebody else.
        DatabaseCorruptError: The database is damaged.
        StorageError: A file cannot be read, or the archive not be written.
        KeyboardInterrupt: Ctrl-C.
    """
    _require_place(target, replace=replace)
    try:
        sweep_scratch(database.data_dir)
        with scratch_folder(database.data_dir, "export") as folder:
            draft = folder / _DRAFT_NAME
            for _ in range(_ATTEMPTS):
                manifest, missing = _write_draft(
                    database, folder, files=files, kebab_version=kebab_version, progress=progress
                )
                if not _were_removed(database, missing):
                    break
            size = draft.stat().st_size
            _require_place(target, replace=replace)
            place_file(draft, target)
            flush_folder(target.parent)
    except OSError as error:
        raise StorageError(
            "cannot write the backup {path!r}: {reason}",
            remedy=Remedy(
                kind="free_space", otherwise=Remedy(kind="check_permissions", path=str(target.parent))
            ),
            path=str(target),
            _reason=error.strerror or str(error),
        ) from error
    return Backup(manifest, size, tuple(missing.values()))


def _require_place(target: Path, *, replace: bool) -> None:
    if not target.parent.is_dir():
        raise InvalidInputError(
            "there is no folder {path!r}",
            remedy=Remedy(advice=Message("make the folder {path!r} yourself", path=str(target.parent))),
            path=str(target.parent),
        )
    if target.is_dir() or (os.path.lexists(target) and not replace):
        raise InvalidInputError(
            "{path!r} exists already and was left as it is",
            remedy=Remedy(
                kind="replace_file", otherwise=Remedy(advice=Message("move {path!r} away", path=str(target)))
            ),
            path=str(target),
        )


def _write_draft(
    database: SqliteDatabase,
    folder: Path,
    *,
    files: Mapping[str, Path],
    kebab_version: str,
    progress: ByteSink,
) -> tuple[BackupManifest, dict[str, str]]:
    """Write the archive into the scratch folder.

    Returns:
        Its manifest, and the assets without a copy: id to the path of a document.
    """
    copied = folder / DATABASE_NAME
    _copy_database(database, copied, progress)
    with closing(connect(copied, Access.READ_WRITE)) as connection:
        schema = read_schema_version(connection)
        _require_sound(connection, version=schema, clock=database.clock)
        copies = connection.execute(_COPIES).fetchall()
    sizes = [copied.stat().st_size, *(copy["byte_len"] for copy in copies)]
    sizes += [path.stat().st_size for path in files.values() if path.is_file()]
    meter = ProgressMeter(progress, total_bytes=sum(sizes))
    missing: dict[str, str] = {}
    with ArchiveWriter(folder / _DRAFT_NAME) as writer:
        with copied.open("rb") as source:
            writer.add(DATABASE_NAME, source, meter)
        for copy in copies:
            name = copy["storage_path"]
            content = _read_copy(
                database.data_dir / name, checksum=copy["checksum"], byte_len=copy["byte_len"]
            )
            if content is None:
                missing[copy["asset_id"]] = copy["document"]
            else:
                writer.add(name, BytesIO(content), meter)
        for name, path in files.items():
            with suppress(FileNotFoundError), path.open("rb") as source:
                writer.add(name, source, meter)
        manifest = writer.finish(
            kebab_version=kebab_version, database_schema_version=schema, created_at=database.clock.now()
        )
    return manifest, missing


def _copy_database(database: SqliteDatabase, target: Path, progress: ByteSink) -> None:
    """Write the database of this moment into a new file, without free pages and log.

    Raises:
        DatabaseCorruptError: The database is damaged.
        StorageError: The file cannot be written.
        KeyboardInterrupt: Ctrl-C.
        OperationalError: Never; it becomes one of these.
    """
    target.unlink(missing_ok=True)
    with database.reading() as connection:
        # also where Ctrl-C is noticed: its exception ends the statement
        connection.set_progress_handler(
            lambda: progress(ByteProgress(DATABASE_NAME, 0, None)), _STEPS_PER_CALL
        )
        try:
            connection.execute("VACUUM INTO ?", (str(target),))
        except sqlite3.OperationalError as error:
            if primary_code(error) == sqlite3.SQLITE_INTERRUPT:
                raise KeyboardInterrupt from error
            raise
        finally:
            connection.set_progress_handler(None, 0)


def _require_sound(connection: sqlite3.Connection, *, version: int, clock: Clock) -> None:
    """Verify the copy of the database as its import will.

    Raises:
        InvalidInputError: It has a table of somebody else.
        DatabaseCorruptError: It is damaged.
    """
    if foreign := find_foreign_object(connection, version=version, clock=clock):
        kind, name = foreign
        raise InvalidInputError(
            "the {kind} {name} in the database is not kebab's, and no backup can have it",
            remedy=Remedy(
                advice=Message(
                    "copy what you need of it into a database of your own, then remove it with SQLite: DROP {value} {name!r}",
                    value=kind,
                    name=name,
                )
            ),
            _kind=kind,
            _name=name,
        )
    damage = find_foreign_content(connection, version=version, clock=clock)
    if damage := damage or find_damage(connection, writable=True):
        raise DatabaseCorruptError(
            "the database is damaged: {damage}", remedy=Remedy(kind="repair"), _damage=damage[0]
        )


def _read_copy(path: Path, *, checksum: str, byte_len: int) -> bytes | None:
    """Return an asset's copy as it is stored; None where it is missing or damaged."""
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    return (
        stored
        if hash_bytes(content_of_copy(stored, checksum=checksum, byte_len=byte_len)) == checksum
        else None
    )


def _were_removed(database: SqliteDatabase, missing: Mapping[str, str]) -> bool:
    """True if a missing copy is not on record any more: another process has removed its documents meanwhile."""
    with database.reading() as connection:
        return any(connection.execute(_IS_COPIED, (each,)).fetchone() is None for each in missing)
