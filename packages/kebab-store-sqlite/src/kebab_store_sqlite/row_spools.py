"""Rows of long documents, kept in a file on their way to the database: they may take several times the text."""

from __future__ import annotations

import os
import pickle
import secrets
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from kebab_core import StorageError

from kebab_store_sqlite.asset_files import draft_of
from kebab_store_sqlite.asset_rows import AssetRow, asset_row
from kebab_store_sqlite.document_rows import document_row
from kebab_store_sqlite.packed_rows import BatchPacker, RowBatch, describe_packed
from kebab_store_sqlite.private_files import open_private_file

if TYPE_CHECKING:
    from kebab_core import AnalyzedChunk, Block, LongRecord, PackedDocument


_PARTS_PER_BATCH = 256


class SpooledRows(NamedTuple):
    """Everything that is inserted for one document, most of it in a file that is read piece by piece."""

    asset: AssetRow
    document: dict[str, object]
    tags: tuple[str, ...]
    file: str
    batch_count: int

    def batches(self) -> Iterator[RowBatch]:
        """Yield the rows in the order of the document.

        Raises:
            StorageError: The file is not what was written.
        """
        try:
            with Path(self.file).open("rb") as file:
                for _ in range(self.batch_count):
                    yield pickle.load(file)  # noqa: S301 - written by `RowSpools`, readable by its user only
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise StorageError(
                f"what was made of {self.document['workspace_path']!r} cannot be read back: {error}",
                hint="run `kebab ingest` again",
            ) from error

    def discard(self) -> None:
        """Delete the file; where it cannot be, a clean-up of assets does it."""
        with suppress(OSError):
            Path(self.file).unlink()


class RowSpools:
    """Files of rows in a data folder, each named as a draft of the asset it comes from.

    What a run that died leaves behind goes when assets are collected.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    def pack(self, record: LongRecord) -> PackedDocument:
        """Write the rows of a long record to a file, part by part as they are made.

        Returns:
            The document, whose rows know the file.

        Raises:
            StorageError: The file cannot be written.
        """
        asset = record.describe(0).asset
        path = self._data_dir / draft_of(asset.asset_id, os.getpid(), secrets.randbits(64))
        try:
            return self._pack(record, path)
        except OSError as error:
            path.unlink(missing_ok=True)
            raise StorageError(
                f"cannot keep what was made of {asset.workspace_path!r}: {error.strerror}",
                hint="free some disk space, or check the permissions of the data folder",
            ) from error
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def _pack(self, record: LongRecord, path: Path) -> PackedDocument:
        packer = BatchPacker(record.describe(0))
        with open_private_file(path) as file:
            batch_count = _write(file, record.parts, packer)
        described = record.describe(packer.chunk_count)
        rows = SpooledRows(
            asset=asset_row(described.asset),
            document=document_row(described),
            tags=described.document.metadata.tags,
            file=str(path),
            batch_count=batch_count,
        )
        return describe_packed(
            described, block_count=packer.block_count, chunk_count=packer.chunk_count, rows=rows
        )


def _write(file: BinaryIO, parts: Iterator[Block | AnalyzedChunk], packer: BatchPacker) -> int:
    """Write all parts in batches.

    Returns:
        How many batches there are.
    """
    count = 0
    while batch := list(islice(parts, _PARTS_PER_BATCH)):
        pickle.dump(packer.pack(batch), file, pickle.HIGHEST_PROTOCOL)
        count += 1
    return count
