"""Folders and files of an index: a LanceDB table and, beside it, the matrix for reading.

Versions of the table are read from its folder without LanceDB. Every commit adds one file to `_versions`, numbered one
higher: `<version>.manifest`, or, so that a listing begins with the newest, `<2^64 - 1 - version>.manifest` in 20 digits
(Lance's manifest naming schemes V1 and V2). A manifest names all files of its version, so equal manifests are equal
tables.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from kebab_core import IndexId, NotIndexedError, Remedy, StorageError

_TABLE = re.compile(r"([0-9a-f]{32})\.lance")


class IndexPlace(NamedTuple):
    """The paths of one index."""

    root: Path
    index_id: IndexId

    @property
    def table(self) -> Path:
        """The folder of the LanceDB table."""
        return self.root / f"{self.index_id}.lance"

    @property
    def matrix(self) -> Path:
        """The folder of the matrix."""
        return self.root / f"{self.index_id}.matrix"


def places_below(root: Path) -> Iterator[IndexPlace]:
    """Yield all indexes below a folder, by id; none if the folder is missing."""
    if root.is_dir():
        names = sorted(path.name for path in root.iterdir())
        yield from (
            IndexPlace(root, IndexId(match[1])) for name in names if (match := _TABLE.fullmatch(name))
        )


def remove_files(place: IndexPlace) -> None:
    """Remove the files of an index, its list of versions first, so that a half-removed index does not exist."""
    versions = place.table / "_versions"
    gone = place.table / "_versions.gone"
    if gone.exists():
        shutil.rmtree(gone)
    if versions.exists():
        versions.rename(gone)
    for folder in (place.matrix, place.table):
        if folder.is_dir():
            shutil.rmtree(folder)
        elif folder.exists():
            folder.unlink()


def make_folder(place: IndexPlace) -> None:
    """Create the folder of all indexes with mode 0700 unless it exists.

    Raises:
        StorageError: There is a file with its name.
    """
    try:
        place.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise StorageError(
            "there is a file in the place of the folder of vectors: {path}",
            remedy=Remedy(kind="move_away", path=str(place.root), then=Remedy(kind="embed")),
            index_id=place.index_id,
            _path=str(place.root),
        ) from error


def require_stamp(place: IndexPlace) -> TableStamp:
    """Return the newest version of an index's table.

    Raises:
        NotIndexedError: There is no such index.
    """
    stamp = newest_stamp(place.table)
    if stamp is None:
        raise NotIndexedError(
            "there is no vector index", remedy=Remedy(kind="embed"), index_id=place.index_id
        )
    return stamp


_MANIFEST = re.compile(r"(\d+)\.manifest")
_LAST = 2**64 - 1
_V2_DIGITS = 20


class TableStamp(NamedTuple):
    """A version of a table, and the hash of its manifest."""

    version: int
    digest: str


def newest_stamp(table: Path) -> TableStamp | None:
    """Return the stamp of the newest version; None if there is no table."""
    versions = _versions(table)
    return stamp_of(table, max(versions)) if versions else None


def stamp_of(table: Path, version: int) -> TableStamp | None:
    """Return the stamp of one version; None if it is missing."""
    for path in _paths(table, version):
        try:
            return TableStamp(version, blake2b(path.read_bytes(), digest_size=16).hexdigest())
        except FileNotFoundError:
            continue
    return None


def has_version(table: Path, version: int) -> bool:
    """True if a version exists."""
    return any(path.exists() for path in _paths(table, version))


def _paths(table: Path, version: int) -> tuple[Path, Path]:
    folder = table / "_versions"
    return folder / f"{_LAST - version:0{_V2_DIGITS}}.manifest", folder / f"{version}.manifest"


def _versions(table: Path) -> list[int]:
    try:
        names = os.listdir(table / "_versions")  # noqa: PTH208 - a third of the time, and there can be thousands
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = [match[1] for name in names if (match := _MANIFEST.fullmatch(name))]
    return [_LAST - int(digits) if len(digits) == _V2_DIGITS else int(digits) for digits in found]


_FOLDERS = ("data", "_deletions", "_indices", "_transactions", "_versions")


def files_of(table: Path) -> frozenset[str]:
    """Return the paths of a table's files and folders; names only, since there can be thousands."""
    return frozenset(path for name in _FOLDERS for path in _below(str(table / name)))


def _below(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.path
                if entry.is_dir():
                    yield from _below(entry.path)
    except FileNotFoundError:
        return


def flush_new_files(table: Path, before: frozenset[str]) -> None:
    """Flush new files of a table and their folders to the disk, which LanceDB does not do itself.

    Args:
        table: The folder of the table.
        before: Its files before the change.
    """
    added = files_of(table) - before
    for path in sorted(added | {os.path.dirname(path) for path in added}):  # noqa: PTH120
        try:
            descriptor = os.open(path, os.O_RDONLY)
        except (FileNotFoundError, PermissionError):
            continue
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
