"""Where an index lies: a table of LanceDB, and beside it the matrix that reads are served from."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kebab_core import IndexId, NotIndexedError, StorageError

from kebab_store_vector.table_versions import TableStamp, newest_stamp

_TABLE = re.compile(r"([0-9a-f]{32})\.lance")


class IndexPlace(NamedTuple):
    """Names below the folder of all indexes."""

    root: Path
    index_id: IndexId

    @property
    def table(self) -> Path:
        """The folder that LanceDB keeps."""
        return self.root / f"{self.index_id}.lance"

    @property
    def matrix(self) -> Path:
        """The folder of the matrix."""
        return self.root / f"{self.index_id}.matrix"


def places_below(root: Path) -> Iterator[IndexPlace]:
    """Yield every index by id; none if there is no such folder."""
    if root.is_dir():
        names = sorted(path.name for path in root.iterdir())
        yield from (
            IndexPlace(root, IndexId(match[1])) for name in names if (match := _TABLE.fullmatch(name))
        )


def remove_files(place: IndexPlace) -> None:
    """Remove the files of an index; from the first moment on there is none."""
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
    """Make sure that the folder of all indexes is there, for nobody but its owner.

    Raises:
        StorageError: A file is in its place.
    """
    try:
        place.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise StorageError(
            f"there is a file in the place of the folder of vectors: {place.root}",
            hint="move it away, then run `kebab embed`",
            index_id=place.index_id,
        ) from error


def require_stamp(place: IndexPlace) -> TableStamp:
    """Return the newest version of an index's table.

    Raises:
        NotIndexedError: There is no such index.
    """
    stamp = newest_stamp(place.table)
    if stamp is None:
        raise NotIndexedError(
            "there is no vector index", hint="run `kebab embed` to make the vectors", index_id=place.index_id
        )
    return stamp
