"""Vectors that stay in their file until they are asked for."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import finalize
from zlib import crc32

import numpy as np

from kebab_store_vector.lance_errors import MatrixDamagedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

HALF = np.dtype("<f2")
"""Type of a stored value."""
_CHECKED_ROWS = 1024


class VectorFile:
    """Looks like an array of shape (n, d) of half precision where rows are taken from one.

    Args:
        path: Of the file, which is kept open: what is deleted meanwhile is still read.
        rows: How many count.
        dimensions: Of each.

    Raises:
        FileNotFoundError: It is gone.
        MatrixDamagedError: It is too short.
    """

    dtype = HALF

    def __init__(self, path: Path, *, rows: int, dimensions: int) -> None:
        self.shape = (rows, dimensions)
        self.size = rows * dimensions
        self._row_bytes = dimensions * HALF.itemsize
        self._name = path.name
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        finalize(self, os.close, self._descriptor)
        if os.fstat(self._descriptor).st_size < rows * self._row_bytes:
            raise self._too_short()

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> NDArray[np.float16]:
        """Return some rows, read now.

        Raises:
            MatrixDamagedError: The file ends before them.
        """
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self))
            return self._read(start, max(start, stop))
        found = np.empty((len(rows), self.shape[1]), HALF)
        ends = [0, *(np.flatnonzero(np.diff(rows) != 1) + 1).tolist(), len(rows)]
        for first, end in pairwise(ends):
            if first < end:
                start = int(rows[first])
                found[first:end] = self._read(start, start + end - first)
        return found

    def read_into(self, found: NDArray[np.float16], start: int) -> None:
        """Fill an array with the rows from `start` on.

        Raises:
            MatrixDamagedError: The file ends before them.
        """
        buffer, place = found.reshape(-1).view(np.uint8).data, start * self._row_bytes
        while len(buffer):
            count = os.preadv(self._descriptor, [buffer], place)
            if not count:
                raise self._too_short()
            buffer, place = buffer[count:], place + count

    def checksum(self) -> int:
        """Return the CRC-32 of all rows.

        Raises:
            MatrixDamagedError: The file ends before them.
        """
        found = 0
        for start in range(0, len(self), _CHECKED_ROWS):
            found = crc32(self[start : start + _CHECKED_ROWS].view(np.uint8).data, found)
        return found

    def _read(self, start: int, stop: int) -> NDArray[np.float16]:
        found = np.empty((stop - start, self.shape[1]), HALF)
        self.read_into(found, start)
        return found

    def _too_short(self) -> MatrixDamagedError:
        return MatrixDamagedError(f"{self._name} is too short")
