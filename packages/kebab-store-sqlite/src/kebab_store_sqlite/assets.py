"""The asset store: rows of `assets`, one for each content, and copies of small files below the data folder.

Copies are compressed by gzip where that makes them smaller; their checksums are those of the content.
"""

from __future__ import annotations

import gzip
import os
import re
import sqlite3
import stat
import zlib
from collections.abc import Iterable, Iterator, Set as AbstractSet
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from kebab_core import Remedy, StorageError, hash_bytes, hash_file

from kebab_store_sqlite.database_file import write_private_file
from kebab_store_sqlite.schema import fields_of, timestamp

if TYPE_CHECKING:
    from kebab_core import AssetAudit, AssetId, AssetStorage, CopyLook, RawAsset

    from kebab_store_sqlite.database import SqliteDatabase

ASSET_QUERY = """
    SELECT a.asset_id, a.byte_len, a.checksum, a.storage_kind, a.storage_path, a.discovered_at,
           d.source_uri AS source_uri_json, d.workspace_path, d.media_json AS media_type_json
    FROM documents d JOIN assets a USING (asset_id)
"""
"""The fields of a document's `RawAsset`; add a WHERE."""

INSERT_ASSET = """
    INSERT INTO assets (asset_id, media_type, byte_len, checksum, storage_kind, storage_path, discovered_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (asset_id) DO UPDATE SET storage_kind = 'copied', storage_path = excluded.storage_path
    WHERE excluded.storage_kind = 'copied' AND assets.storage_kind = 'reference'
"""
"""An asset that is there changes only from a reference to a copy."""

_REPOINT = """
    UPDATE assets SET storage_path = (SELECT min(disk_path) FROM documents d WHERE d.asset_id = assets.asset_id)
    WHERE asset_id = ? AND storage_kind = 'reference'
      AND EXISTS (SELECT 1 FROM documents d WHERE d.asset_id = assets.asset_id)
      AND NOT EXISTS (
        SELECT 1 FROM documents d WHERE d.asset_id = assets.asset_id AND d.disk_path = assets.storage_path
      )
"""

_STORAGE = "SELECT storage_kind, storage_path, byte_len, checksum FROM assets WHERE asset_id = ?"
_COPIES = (
    "SELECT storage_path, byte_len, checksum FROM assets WHERE storage_kind = 'copied' ORDER BY asset_id"
)
# The SELECT reads two indexes; a DELETE with this condition would read every row.
_UNUSED = "SELECT asset_id FROM assets WHERE asset_id NOT IN (SELECT asset_id FROM documents)"
_DELETE = "DELETE FROM assets WHERE asset_id = ? RETURNING asset_id, storage_kind"

_FOLDER = "assets"
_OWN_NAME = re.compile(rf"{_FOLDER}/([0-9a-f]{{2}})/(\1[0-9a-f]{{30}}|\.\1[0-9a-f]{{30}}\.\d+\.\d+)")
"""Path of a copy or of a draft of one; other files in this folder are the user's own."""
_BLOCK_BYTES = 1024 * 1024
_LEVEL = 6
_SAMPLE_BYTES = 16 * 1024
_GZIP_WBITS = 16 + zlib.MAX_WBITS
"""Has zlib read the header and the checksum of gzip."""
_WORTH_IT = 0.9
"""Compressed size of a file's beginning over its size from which a copy is stored as it is, as pictures are."""
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_MIN_BYTES = 18


AssetRow = tuple[str, str, int, str, str, str, str]


class StoredAssets:
    """The bytes of files, by content: rows in SQLite, copies in files."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database
        self._files = AssetFiles(database.data_dir, copy_threshold_bytes=database.copy_threshold_bytes)

    def put_asset(self, asset: RawAsset, content: bytes) -> RawAsset:
        """Store a file's bytes; the database learns of the asset from `replace_document`.

        Returns:
            The asset with `stored` set to the place of its bytes.
        """
        self._db.require_writable()
        return asset.model_copy(update={"stored": self._files.keep(asset, content)})

    def read_asset(self, asset_id: AssetId) -> bytes:
        """Return an asset's bytes; the checksum of copies is verified as that of references is.

        Raises:
            StorageError: The asset is unknown, its file is gone or has other content.
        """
        found = self._db.read_first(_STORAGE, (asset_id,), tuple)
        if found is None:
            raise StorageError("no asset has the id {asset_id!r}", asset_id=asset_id)
        kind, path, byte_len, checksum = found
        return self._files.read(kind, path, byte_len=byte_len, checksum=checksum)

    def audit_assets(self, look: CopyLook) -> AssetAudit:
        """Compare the copies of assets with the database: lost, damaged and unreferenced files."""
        from kebab_core import AssetAudit, CopyLook

        with self._db.reading() as connection:
            copied = copied_assets(connection)
            missing, strays = self._files.compare(copied)
            lost = [connection.execute(_STORAGE, (asset_id,)).fetchone()["checksum"] for asset_id in missing]
            copies = [] if look is CopyLook.NAMES else connection.execute(_COPIES).fetchall()
        damaged = frozenset(copy["checksum"] for copy in copies if self._is_damaged(copy, look))
        return AssetAudit(copies=len(copied), lost=frozenset(lost), strays=strays, damaged=damaged)

    def _is_damaged(self, copy: sqlite3.Row, look: CopyLook) -> bool:
        """True if the file of a row of `_COPIES` has another size or content."""
        if not is_copy_path(copy["storage_path"]):
            return True
        from kebab_core import CopyLook

        path, byte_len = self._db.data_dir / copy["storage_path"], int(copy["byte_len"])
        try:
            if look is CopyLook.CONTENTS:
                checksum = str(copy["checksum"])
                content = content_of_copy(path.read_bytes(), checksum=checksum, byte_len=byte_len)
                return hash_bytes(content) != checksum
            return byte_len not in _possible_sizes(path)
        except FileNotFoundError:
            return False  # lost, and reported as such
        except OSError:
            return True

    def collect_assets(self, *, sweep: bool = True) -> int:
        """Delete assets that no document refers to, with their files.

        Must not run while another thread or process puts assets: those not stored yet would be deleted.

        Args:
            sweep: Also delete files that belong to no asset.

        Returns:
            The number of files deleted.
        """
        with self._db.writing() as connection:
            unused = connection.execute(_UNUSED).fetchall()
            deleted = [row for each in unused for row in connection.execute(_DELETE, tuple(each)).fetchall()]
            copied = copied_assets(connection) if sweep else set()
        if sweep:
            return self._files.delete_others(copied)
        return self._files.delete(asset_id for asset_id, kind in deleted if kind == "copied")


class AssetFiles:
    """The files of a data folder's assets; each copy lies at `assets/<first two digits>/<asset id>`."""

    def __init__(self, data_dir: Path, *, copy_threshold_bytes: int) -> None:
        self._data_dir = data_dir
        self._copy_threshold_bytes = copy_threshold_bytes

    def keep(self, asset: RawAsset, content: bytes) -> AssetStorage:
        """Copy the bytes unless a copy that holds them is there, or refer to a file above the threshold.

        An asset that did not come from a file is always copied: there is nothing else to refer to.

        Returns:
            The place of the bytes.

        Raises:
            StorageError: The copy cannot be written.
        """
        from kebab_core import CopiedStorage, FileUri, ReferenceStorage

        if len(content) > self._copy_threshold_bytes and isinstance(asset.source_uri, FileUri):
            return ReferenceStorage(path=asset.source_uri.path, sha=asset.checksum)
        relative = _place_of(asset.asset_id)
        target = self._data_dir / relative
        stored = _compressed(content)
        with self._copying(asset.workspace_path):
            if not _has_content(target, stored) and not _has_content(target, content):
                write_private_file(target, stored)
        return CopiedStorage(path=relative)

    def write(self, place: str, content: bytes) -> None:
        """Write a file that `keep` or `pack_long` wrote in the data folder of another machine, unless it is there.

        Raises:
            StorageError: It cannot be written, or is none of theirs.
        """
        if not _OWN_NAME.fullmatch(place):
            raise StorageError("{place!r} is no file of the data folder", place=place)
        with self._copying(place):
            if not _has_content(self._data_dir / place, content):
                write_private_file(self._data_dir / place, content)

    @contextmanager
    def _copying(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError(
                "cannot keep a copy of {path!r}: {reason}",
                remedy=Remedy(
                    kind="free_space", otherwise=Remedy(kind="check_permissions", path=str(self._data_dir))
                ),
                _path=path,
                _reason=error.strerror,
            ) from error

    def compare(self, copied: AbstractSet[str]) -> tuple[set[str], int]:
        """Compare the files with the assets that the database has as copied.

        Args:
            copied: Ids of all copied assets.

        Returns:
            The ids without a file, and the number of files that belong to no asset.
        """
        missing, strays = set(copied), 0
        for folder, names in self._list_folders():
            found = missing.intersection(names)
            missing -= found
            strays += sum(
                _OWN_NAME.fullmatch(f"{_FOLDER}/{folder}/{name}") is not None
                for name in names.difference(found)
            )
        return missing, strays

    def read(self, kind: str, place: str, *, byte_len: int, checksum: str) -> bytes:
        """Return an asset's bytes.

        Args:
            kind: `copied` or `reference`.
            place: Their path.
            byte_len: Their number; a reference to a file of another size is not read.
            checksum: Of them.

        Raises:
            StorageError: The file cannot be read, or has other content than it had.
        """
        path = self._data_dir / place
        content = b""
        with _reading(path):
            if _is_readable(kind, place, path, byte_len):
                content = path.read_bytes()
                if kind == "copied":
                    content = content_of_copy(content, checksum=checksum, byte_len=byte_len)
        if hash_bytes(content) != checksum:
            _report_change(kind, path)
        return content

    @contextmanager
    def open(self, kind: str, place: str, *, byte_len: int, checksum: str) -> Iterator[BinaryIO]:
        """Open an asset's bytes for the time of a block, without having all of them in memory. Takes what `read` takes, and raises it.

        Yields:
            The file that holds them, or a temporary one that a copy was unpacked into.
        """
        path = self._data_dir / place
        with ExitStack() as opened:
            with _reading(path):
                if not _is_readable(kind, place, path, byte_len):
                    _report_change(kind, path)
                file: BinaryIO = opened.enter_context(path.open("rb"))
                is_whole = hash_file(file) == checksum
                if not is_whole and kind == "copied":
                    packed, file = file, opened.enter_context(TemporaryFile())
                    with suppress(EOFError, gzip.BadGzipFile, zlib.error):
                        _unpack(packed, file, byte_len)
                    is_whole = hash_file(file) == checksum
            if not is_whole:
                _report_change(kind, path)
            yield file

    def delete_others(self, copied: AbstractSet[str]) -> int:
        """Delete every copy of an asset that is not in `copied`, drafts included; files of other names stay.

        Returns:
            The number of files deleted.

        Raises:
            StorageError: A file cannot be deleted.
        """
        others = [
            f"{_FOLDER}/{folder}/{name}"
            for folder, names in self._list_folders()
            for name in names.difference(copied)
        ]
        return sum(self._delete(relative) for relative in sorted(others) if _OWN_NAME.fullmatch(relative))

    def delete(self, asset_ids: Iterable[str]) -> int:
        """Delete the copies of assets, where there are any; an id that is none names no file.

        Returns:
            The number of files deleted.

        Raises:
            StorageError: A file cannot be deleted.
        """
        places = map(_place_of, sorted(asset_ids))
        return sum(self._delete(place) for place in places if is_copy_path(place))

    def _delete(self, relative: str) -> bool:
        path = self._data_dir / relative
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StorageError(
                "cannot delete {path!r}: {reason}", _path=str(path), _reason=error.strerror
            ) from error
        return True

    def _list_folders(self) -> Iterator[tuple[str, set[str]]]:
        """Yield each folder of copies that can be listed, with the names in it."""
        root = f"{self._data_dir}/{_FOLDER}"
        with suppress(OSError):
            for folder in os.listdir(root):  # noqa: PTH208 - a Path for each copy costs ten times as much
                with suppress(OSError):
                    yield folder, set(os.listdir(f"{root}/{folder}"))  # noqa: PTH208


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(
            "the original at {path!r} cannot be read: {reason}",
            remedy=Remedy(kind="ingest"),
            path=str(path),
            _reason=error.strerror,
        ) from error


def _is_readable(kind: str, place: str, path: Path, byte_len: int) -> bool:
    """True of a copy, and of an original that is a file of its size: reading a pipe would wait for ever."""
    if kind == "copied":
        return is_copy_path(place)
    status = path.stat()
    return stat.S_ISREG(status.st_mode) and status.st_size == byte_len


def _report_change(kind: str, path: Path) -> NoReturn:
    raise StorageError(
        "the content of {path!r} has changed since it was indexed (its checksum is another)",
        remedy=Remedy(kind="verify_files" if kind == "copied" else "ingest"),
        path=str(path),
    )


def _unpack(packed: BinaryIO, file: BinaryIO, byte_len: int) -> None:
    """Unpack a copy into a file, not much further than its size."""
    with gzip.open(packed) as content:
        while file.tell() <= byte_len and (block := content.read(_BLOCK_BYTES)):
            file.write(block)


def _place_of(asset_id: str) -> str:
    return f"{_FOLDER}/{asset_id[:2]}/{asset_id}"


def is_copy_path(storage_path: str) -> bool:
    """True if a path of the database is that of a copy of an asset: it may have been written by somebody else."""
    return _OWN_NAME.fullmatch(storage_path) is not None


def _compressed(content: bytes) -> bytes:
    """Return the content of a copy as it is stored: compressed, or as it is where that saves little."""
    sample = content[:_SAMPLE_BYTES]
    if len(zlib.compress(sample, 1)) > len(sample) * _WORTH_IT:
        return content
    return gzip.compress(content, _LEVEL, mtime=0)


def content_of_copy(stored: bytes, *, checksum: str, byte_len: int) -> bytes:
    """Return the content of a copy, whether it is compressed or not.

    A damaged one is returned as it is, or cut off behind its size: not even a backup of somebody else can fill the memory.
    """
    if hash_bytes(stored) == checksum:
        return stored
    try:
        return zlib.decompressobj(wbits=_GZIP_WBITS).decompress(stored, byte_len + 1)
    except zlib.error:
        return stored


def _possible_sizes(path: Path) -> tuple[int, ...]:
    """Return the sizes that the content of a copy can have by the file's own size and, if compressed, by its trailer."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if file.read(len(_GZIP_MAGIC)) != _GZIP_MAGIC or size < _GZIP_MIN_BYTES:
            return (size,)
        file.seek(-4, os.SEEK_END)
        return size, int.from_bytes(file.read(4), "little")


def draft_of(asset_id: str, process: int, number: int) -> str:
    """Return the path of a temporary file made from an asset; `delete_others` deletes it like a copy."""
    return f"{_FOLDER}/{asset_id[:2]}/.{asset_id}.{process}.{number}"


def _has_content(path: Path, content: bytes) -> bool:
    """True if a file exists and has exactly this content; it is read a block at a time."""
    view = memoryview(content)
    try:
        if path.stat().st_size != len(content):
            return False
        with path.open("rb") as file:
            return all(
                file.read(_BLOCK_BYTES) == view[start : start + _BLOCK_BYTES]
                for start in range(0, len(content), _BLOCK_BYTES)
            )
    except OSError:
        return False


def asset_row(asset: RawAsset) -> AssetRow:
    """Return an asset's row of `assets`."""
    return (
        str(asset.asset_id),
        asset.media_type.kind,
        asset.byte_len,
        asset.checksum,
        asset.stored.kind,
        asset.stored.path,
        timestamp(asset.discovered_at),
    )


def repoint_references(connection: sqlite3.Connection, asset_ids: Iterable[str]) -> None:
    """Point references to a deleted file at the file of another document with the same content."""
    connection.executemany(_REPOINT, [(asset_id,) for asset_id in asset_ids])


def copied_assets(connection: sqlite3.Connection) -> set[str]:
    """Return the ids of assets that have a copy."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return set(
        chain.from_iterable(cursor.execute("SELECT asset_id FROM assets WHERE storage_kind = 'copied'"))
    )


def asset_of(row: sqlite3.Row) -> RawAsset:
    """Return the asset in a row of `ASSET_QUERY`, as its document found it."""
    from kebab_core import CopiedStorage, RawAsset, ReferenceStorage

    fields = fields_of(row)
    kind, path = fields.pop("storage_kind"), fields.pop("storage_path")
    copied = kind == "copied"
    stored = CopiedStorage(path=path) if copied else ReferenceStorage(path=path, sha=row["checksum"])
    return RawAsset(**fields, stored=stored)
