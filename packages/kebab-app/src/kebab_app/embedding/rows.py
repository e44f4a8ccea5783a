"""Vectors as the bytes of single rows, and back; without numpy, which reading the index need not load."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul

from kebab_core import ModelCorruptError, VectorMatrix

_FLOAT_BYTES = 4
_UNIT_TOLERANCE = 0.01
"""Of the squared norm; what the vector index accepts, too."""


def split_rows(matrix: VectorMatrix, *, count: int, dimensions: int) -> list[bytes]:
    """Return each row's float32 as bytes, in this machine's order.

    Raises:
        ModelCorruptError: The matrix is not of shape (count, dimensions).
    """
    if matrix.nbytes != count * row_bytes(dimensions) or matrix.itemsize != _FLOAT_BYTES:
        raise ModelCorruptError(
            f"the embedding model gave {matrix.nbytes} bytes for {count} texts of {dimensions} dimensions",
            hint="kebab doctor",
        )
    flat, size = matrix.cast("B"), row_bytes(dimensions)
    return [flat[start : start + size].tobytes() for start in range(0, count * size, size)]


def join_rows(rows: Sequence[bytes], *, dimensions: int) -> VectorMatrix:
    """Return at least one row as a matrix of shape (n, dimensions)."""
    return memoryview(b"".join(rows)).cast("f", shape=[len(rows), dimensions])


def is_unit_row(row: bytes) -> bool:
    """Return whether a row is of unit norm, as every vector is that was made; one that is not has been damaged since."""
    values = memoryview(row).cast("f")
    square: float = sum(map(mul, values, values))
    return abs(square - 1) <= _UNIT_TOLERANCE


def row_bytes(dimensions: int) -> int:
    """Return how long one row is."""
    return dimensions * _FLOAT_BYTES
