"""Import of a backup into a data folder: unpacked, migrated and checked beside it, then put in place.

The database comes last and with one rename. Whatever ends the import before leaves the old database; copies of assets
that are in place by then have their content in their names, so that they fit any database.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    ByteSink,
    DatabaseCorruptError,
    InternalError,
    InvalidInputError,
    Remedy,
    StorageError,
    writing_mapped,
)

from kebab_store_sqlite.archive import BackupArchive, ProgressMeter
from kebab_store_sqlite.assets import AssetFiles, copied_assets
from kebab_store_sqlite.backup_checks import find_foreign_content
from kebab_store_sqlite.connection import Access, connect, row_errors_mapped, sqlite_errors_mapped
from kebab_store_sqlite.database import DATABASE_NAME, open_database
from kebab_store_sqlite.database_file import flush_folder, forget_id, make_private_folder
from kebab_store_sqlite.integrity import find_damage
from kebab_store_sqlite.scratch import scratch_folder, sweep_scratch
from kebab_store_sqlite.writer_lock import LOCK_FILE_NAMES, hold_embedding_lock, hold_writer_lock

if TYPE_CHECKING:
    from kebab_core import Clock

_LOG_NAMES = ("-wal", "-shm", "-journal")
MOVED_FOLDERS = ("assets", "runs")
"""Below the data folder: what belongs to a database and lies outside of it."""
_COUNT_DOCUMENTS = "SELECT count(*) FROM documents"
_FORGET_SERVER = """
    DELETE FROM kv WHERE key = 'active_embedding_model' AND CAST(value AS INTEGER) IN (
      SELECT model_no FROM embedding_models
      WHERE coalesce(settings_json ->> 'endpoint', settings_json ->> 'api_key_env') IS NOT NULL
    )
"""
"""The configuration alone says which server is asked: one that stands in the database only is nobody's choice here."""


class StagedBackup:
    """An unpacked backup whose files have been checked and whose database is migrated; made by `stage_backup`.

    Attributes:
        documents: Number of documents in its database.
    """

    def __init__(self, folder: Path, data_dir: Path, *, documents: int) -> None:
        self._folder = folder
        self._data_dir = data_dir
        self.documents = documents

    @property
    def is_installed(self) -> bool:
        """True from the moment in which the database is in place."""
        return not (self._folder / DATABASE_NAME).exists()

    def list_files(self, folder: str) -> dict[str, Path]:
        """List the files of a folder of the archive: path inside the folder to path on disk, for the time of the block."""
        root = self._folder / folder
        found = sorted(path for path in root.rglob("*") if path.is_file())
        return {path.relative_to(root).as_posix(): path for path in found}

    def move(self, name: str, target: Path) -> None:
        """Move a file to another place; its folder is made, a file there replaced.

        Raises:
            StorageError: It cannot be moved.
        """
        with writing_mapped(target.parent):
            make_private_folder(target.parent)
            shutil.move(self._folder / name, target)  # a folder may lie on another disk, by a link

    def install(self) -> None:
        """Move everything into the data folder, the database last; one that is there is replaced, with its copies of files.

        Raises:
            StorageError: A file cannot be moved.
        """
        data_dir = self._data_dir
        with writing_mapped(data_dir):
            with closing(connect(self._folder / DATABASE_NAME, Access.IMMUTABLE)) as connection:
                copied = copied_assets(connection)
            for folder in MOVED_FOLDERS:
                for name in self.list_files(folder):
                    self.move(f"{folder}/{name}", data_dir / folder / name)
            database = (data_dir / DATABASE_NAME).resolve()
            _empty_log(database)
            for name in _LOG_NAMES:  # they would be taken for those of the new database
                database.with_name(database.name + name).unlink(missing_ok=True)
            forget_id(data_dir)
            (self._folder / DATABASE_NAME).replace(database)
            flush_folder(data_dir)
        with suppress(StorageError):  # the import is done; the next ingest deletes what is left
            AssetFiles(data_dir, copy_threshold_bytes=0).delete_others(copied)


@contextmanager
def stage_backup(
    archive: BackupArchive,
    data_dir: Path,
    *,
    clock: Clock,
    progress: ByteSink,
) -> Iterator[StagedBackup]:
    """Unpack a backup below a data folder, check every file, and migrate its database.

    Args:
        archive: The open archive.
        data_dir: The data folder; made where it is missing, and removed again if nothing is installed.
        clock: For the stamps of migrations.
        progress: Gets each step.

    Yields:
        The backup, to be installed or not, under the writer lock; what is left of it is deleted afterwards.

    Raises:
        InvalidInputError: The archive is damaged.
        LockedError: Another process is writing or making vectors there.
        StorageError: There is no space for it, or it cannot be written.
    """
    missing = [folder for folder in (data_dir, *data_dir.parents) if not folder.exists()]
    try:
        with hold_embedding_lock(data_dir), hold_writer_lock(data_dir):
            sweep_scratch(data_dir)
            with _staging_folder(data_dir) as folder:
                _unpack(archive, folder, data_dir, progress)
                version = archive.manifest.database_schema_version
                documents = _open_and_check(folder, version=version, clock=clock)
                yield StagedBackup(folder, data_dir, documents=documents)
    finally:
        if missing and not (data_dir / DATABASE_NAME).exists():
            _remove_empty(data_dir, missing)


def _remove_empty(data_dir: Path, folders: Iterable[Path]) -> None:
    """Remove the lock files, and folders from the inside out as far as nothing is in them."""
    with suppress(OSError):
        for name in LOCK_FILE_NAMES:
            (data_dir / name).unlink(missing_ok=True)
        for folder in folders:
            folder.rmdir()


@contextmanager
def _staging_folder(data_dir: Path) -> Iterator[Path]:
    with ExitStack() as stack:
        with writing_mapped(data_dir):
            folder = stack.enter_context(scratch_folder(data_dir, "import"))
        yield folder


def _unpack(archive: BackupArchive, folder: Path, data_dir: Path, progress: ByteSink) -> None:
    with writing_mapped(data_dir):
        _require_space(data_dir, archive.total_bytes)
        meter = ProgressMeter(progress, total_bytes=archive.total_bytes)
        for file in archive.manifest.files:
            archive.extract(file.name, folder / file.name, meter)


def _require_space(data_dir: Path, needed: int) -> None:
    free = shutil.disk_usage(data_dir).free
    if free < needed:
        raise StorageError(
            "the backup needs {needed_mb} MB in {path!r}, and {free_mb} MB are free",
            remedy=Remedy(kind="free_space", otherwise=Remedy(kind="set", setting="storage.data_dir")),
            path=str(data_dir),
            _needed_mb=needed // 1_000_000 + 1,
            _free_mb=free // 1_000_000,
        )


def _open_and_check(folder: Path, *, version: int, clock: Clock) -> int:
    """Check the unpacked database and migrate it.

    Args:
        folder: Where it is.
        version: Version of its schema in the manifest.
        clock: For the stamps of migrations.

    Returns:
        Its number of documents.

    Raises:
        InvalidInputError: It is damaged, or not a database of kebab.
        StorageError: The disk is full or fails.
    """
    documents = 0
    try:
        with (
            sqlite_errors_mapped(),
            row_errors_mapped(),
            closing(connect(folder / DATABASE_NAME, Access.IMMUTABLE)) as connection,
        ):
            damage = find_foreign_content(connection, version=version, clock=clock)
        if not damage:
            with (
                row_errors_mapped(),
                open_database(folder, clock=clock, copy_threshold_bytes=0) as database,
                database.writing() as connection,
            ):
                connection.execute(_FORGET_SERVER)
                damage = find_damage(connection, writable=True)
                (documents,) = connection.execute(_COUNT_DOCUMENTS).fetchone()
    except (DatabaseCorruptError, InternalError) as error:
        damage = [error.message]
    except StorageError as error:
        if error.remedy is not None:  # of the disk, not of the backup
            raise
        damage = [error.message]
    if damage:
        raise InvalidInputError(
            "the database in the backup is damaged: {damage}",
            remedy=Remedy(kind="give_backup"),
            _damage=damage[0],
        )
    return int(documents)


def _empty_log(path: Path) -> None:
    """Copy the log of a database that is to be replaced into it; a damaged one is left as it is."""
    if path.exists():
        with suppress(sqlite3.Error), closing(connect(path, Access.READ_WRITE)) as connection:
            connection.execute("PRAGMA busy_timeout = 2000")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
