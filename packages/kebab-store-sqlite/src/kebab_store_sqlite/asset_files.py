"""Asset bytes on disk: copies by content below the data folder, or the user's own files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path, PurePosixPath

from kebab_core import (
    AssetStorage,
    CopiedStorage,
    FileUri,
    RawAsset,
    ReferenceStorage,
    StorageError,
    hash_bytes,
)

from kebab_store_sqlite.private_files import write_private_file

_FOLDER = "assets"
_OWN_NAME = re.compile(rf"{_FOLDER}/([0-9a-f]{{2}})/(\1[0-9a-f]{{30}}|\.\1[0-9a-f]{{30}}\.\d+\.\d+)")
"""A copy or a draft of one. The user may keep files of their own in a folder of this name."""


class AssetFiles:
    """The files of a data folder's assets; each copy lies at `assets/<first two digits>/<asset id>`."""

    def __init__(self, data_dir: Path, *, copy_threshold_bytes: int) -> None:
        self._data_dir = data_dir
        self._copy_threshold_bytes = copy_threshold_bytes

    def keep(self, asset: RawAsset, content: bytes) -> AssetStorage:
        """Copy the bytes unless a copy of the right size is there, or refer to a file above the threshold.

        An asset that did not come from a file is always copied: there is nothing else to refer to.

        Returns:
            Where the bytes are.

        Raises:
            StorageError: The copy cannot be written.
        """
        if len(content) > self._copy_threshold_bytes and isinstance(asset.source_uri, FileUri):
            return ReferenceStorage(path=asset.source_uri.path, sha=asset.checksum)
        relative = PurePosixPath(_FOLDER, asset.asset_id[:2], asset.asset_id)
        target = self._data_dir / relative
        try:
            if not target.exists() or target.stat().st_size != len(content):
                write_private_file(target, content)
        except OSError as error:
            raise StorageError(
                f"cannot keep a copy of {asset.workspace_path!r}: {error.strerror}",
                hint="free some disk space, or check the permissions of the data folder",
            ) from error
        return CopiedStorage(path=str(relative))

    def missing(self, stored: Iterable[str]) -> set[str]:
        """Return those of the relative paths where there is no copy; each folder is listed once."""
        wanted = set(stored)
        for folder in {PurePosixPath(path).parent for path in wanted}:
            try:
                names = [entry.name for entry in os.scandir(self._data_dir / folder)]
            except OSError:
                continue
            wanted -= {f"{folder}/{name}" for name in names}
        return wanted

    def read(self, stored: AssetStorage, *, checksum: str) -> bytes:
        """Return an asset's bytes.

        Raises:
            StorageError: The file cannot be read, or has other content than it had.
        """
        path = self._data_dir / stored.path
        try:
            content = path.read_bytes()
        except OSError as error:
            raise StorageError(
                f"the original at {str(path)!r} cannot be read: {error.strerror}",
                hint="run `kebab ingest`",
                path=str(path),
            ) from error
        if hash_bytes(content) != checksum:
            raise StorageError(
                f"the content of {str(path)!r} has changed since it was indexed (its checksum is another)",
                hint="run `kebab ingest`",
                path=str(path),
            )
        return content

    def delete_others(self, kept: AbstractSet[str]) -> int:
        """Delete every copy whose relative path is not in `kept`, drafts included; files of other names stay.

        Returns:
            How many files were deleted.

        Raises:
            StorageError: A file cannot be deleted.
        """
        deleted = 0
        for relative in sorted(set(self._listed()) - kept):
            if not _OWN_NAME.fullmatch(relative):
                continue
            path = self._data_dir / relative
            try:
                path.unlink()
            except OSError as error:
                raise StorageError(f"cannot delete {str(path)!r}: {error.strerror}") from error
            deleted += 1
        return deleted

    def _listed(self) -> Iterator[str]:
        """Yield the relative path of everything in the folders of copies that can be listed."""
        with suppress(OSError):
            for folder in os.scandir(self._data_dir / _FOLDER):
                with suppress(OSError):
                    for entry in os.scandir(folder.path):
                        yield f"{_FOLDER}/{folder.name}/{entry.name}"
