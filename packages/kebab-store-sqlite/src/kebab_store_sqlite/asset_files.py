"""Asset bytes on disk: copies by content below the data folder, or the user's own files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Set as AbstractSet
from contextlib import suppress
from pathlib import Path

from kebab_core import (
    AssetStorage,
    CopiedStorage,
    FileUri,
    RawAsset,
    ReferenceStorage,
    StorageError,
    hash_bytes,
)

from kebab_store_sqlite.asset_damage import holds
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
        """Copy the bytes unless a copy that holds them is there, or refer to a file above the threshold.

        An asset that did not come from a file is always copied: there is nothing else to refer to.

        Returns:
            Where the bytes are.

        Raises:
            StorageError: The copy cannot be written.
        """
        if len(content) > self._copy_threshold_bytes and isinstance(asset.source_uri, FileUri):
            return ReferenceStorage(path=asset.source_uri.path, sha=asset.checksum)
        relative = _place_of(asset.asset_id)
        target = self._data_dir / relative
        try:
            if not holds(target, content):
                write_private_file(target, content)
        except OSError as error:
            raise StorageError(
                f"cannot keep a copy of {asset.workspace_path!r}: {error.strerror}",
                hint="free some disk space, or check the permissions of the data folder",
            ) from error
        return CopiedStorage(path=relative)

    def compare(self, kept: AbstractSet[str]) -> tuple[set[str], int]:
        """Return which of the assets have no copy, and how many files belong to none of them.

        Args:
            kept: Ids of all assets that were copied.
        """
        missing, strays = set(kept), 0
        for folder, names in self._listed():
            found = missing.intersection(names)
            missing -= found
            strays += sum(
                _OWN_NAME.fullmatch(f"{_FOLDER}/{folder}/{name}") is not None
                for name in names.difference(found)
            )
        return missing, strays

    def read(self, stored: AssetStorage, *, checksum: str) -> bytes:
        """Return an asset's bytes.

        Raises:
            StorageError: The file cannot be read, or has other content than it had.
        """
        path = self._data_dir / stored.path
        renewing = "kebab ingest --verify" if stored.kind == "copied" else "kebab ingest"
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
                hint=f"run `{renewing}`",
                path=str(path),
            )
        return content

    def delete_others(self, kept: AbstractSet[str]) -> int:
        """Delete every copy of an asset that is not in `kept`, drafts included; files of other names stay.

        Returns:
            How many files were deleted.

        Raises:
            StorageError: A file cannot be deleted.
        """
        others = [
            f"{_FOLDER}/{folder}/{name}"
            for folder, names in self._listed()
            for name in names.difference(kept)
        ]
        return sum(self._delete(relative) for relative in sorted(others) if _OWN_NAME.fullmatch(relative))

    def delete(self, asset_ids: Iterable[str]) -> int:
        """Delete the copies of assets, where there are any.

        Returns:
            How many files were deleted.

        Raises:
            StorageError: A file cannot be deleted.
        """
        return sum(self._delete(_place_of(asset_id)) for asset_id in sorted(asset_ids))

    def _delete(self, relative: str) -> bool:
        path = self._data_dir / relative
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StorageError(f"cannot delete {str(path)!r}: {error.strerror}") from error
        return True

    def _listed(self) -> Iterator[tuple[str, set[str]]]:
        """Yield each folder of copies that can be listed, with the names in it."""
        root = f"{self._data_dir}/{_FOLDER}"
        with suppress(OSError):
            for folder in os.listdir(root):  # noqa: PTH208 - a Path for each copy costs ten times the look at it
                with suppress(OSError):
                    yield folder, set(os.listdir(f"{root}/{folder}"))  # noqa: PTH208


def _place_of(asset_id: str) -> str:
    return f"{_FOLDER}/{asset_id[:2]}/{asset_id}"


def draft_of(asset_id: str, process: int, number: int) -> str:
    """Return where something on its way from an asset to the database may lie; a clean-up takes it."""
    return f"{_FOLDER}/{asset_id[:2]}/.{asset_id}.{process}.{number}"
