"""Vectors in half precision: checking, and cosines with a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from kebab_core import InvalidInputError, VectorMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray


_UNIT_TOLERANCE = 0.01
"""Of the squared norm; what half precision adds is below 0.001."""


def unit_rows(vectors: VectorMatrix, *, rows: int, dimensions: int) -> NDArray[np.float32]:
    """Validate vectors and return them as an array of shape (rows, dimensions).

    Raises:
        InvalidInputError: They have another shape or type, or are not all of unit norm.
    """
    if vectors.format != "f" or vectors.shape != (rows, dimensions):
        raise InvalidInputError(
            "vectors of format {format!r} and shape {shape} where 'f' and ({rows}, {dimensions}) was "
            "expected",
            _format=vectors.format,
            _shape=str(vectors.shape),
            _rows=rows,
            _dimensions=dimensions,
        )
    array = np.asarray(vectors, np.float32)
    norms = np.einsum("ij,ij->i", array, array)
    if not np.all(np.abs(norms - 1) <= _UNIT_TOLERANCE):
        raise InvalidInputError("vectors are not of unit norm")
    return array


def has_unit_norm(vectors: NDArray[np.float16]) -> NDArray[np.bool_]:
    """Tell which rows have unit norm, as every vector has when it is made; one that has not was damaged since."""
    wide = vectors.astype(np.float32)
    norms: NDArray[np.float32] = np.einsum("ij,ij->i", wide, wide)
    return np.less_equal(np.abs(norms - 1), _UNIT_TOLERANCE)


HALF = np.dtype("<f2")
"""Type of a stored value. A cosine of a vector in half precision is off by less than 5e-4: each value by at most 2^-11 of
itself, so that, by Cauchy and Schwarz, the sum of products of two unit vectors is off by at most 2^-11."""


_BLOCK = 256
"""Rows at a time: at 384 dimensions 0.4 MB of float32, which stays in the cache between two passes (2026-11-22)."""
_EXACT_BLOCK = 4096
_WIDER = 13
"""Bits by which the fraction of a single is longer than that of a half."""
_SIGN_AND_VALUE = np.int32(-0x7000_0001)
"""Mask of the bits of a shifted half in a single, without the three copies of its sign."""
_BIAS = np.float32(2.0**112)
"""Ratio of the exponent biases of single and half precision."""


def cosines(vectors: NDArray[np.floating], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine of a query with each row, exact to about 1e-6.

    Args:
        vectors: Shape (n, d), float16 (finite) or float32.
        query: Shape (d,), of unit norm.

    Returns:
        Shape (n,).
    """
    if vectors.dtype == np.float32:
        return np.asarray(np.dot(vectors, query), np.float32)
    found = np.empty(len(vectors), np.float32)
    # The bits of a half, shifted to their places in a single, are its value over 2¹¹². That takes half the time of
    # numpy's conversion; with the query scaled by 2¹¹² every product is the same to the last bit.
    larger = query * _BIAS
    buffer = np.empty((min(_BLOCK, len(vectors)), vectors.shape[1]), np.int32)
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        bits = buffer[: len(block)]
        np.copyto(bits, block.view(np.int16))
        np.left_shift(bits, _WIDER, out=bits)
        np.bitwise_and(bits, _SIGN_AND_VALUE, out=bits)
        np.dot(bits.view(np.float32), larger, out=found[start : start + len(block)])
    return found


def exact_cosines(vectors: NDArray[np.floating], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the cosine of a query with each row, in [-1, 1].

    Each row is summed alone, so that its cosine does not depend on the other rows.
    """
    found = np.empty(len(vectors), np.float64)
    wide = query.astype(np.float64)
    for start in range(0, len(vectors), _EXACT_BLOCK):
        block = vectors[start : start + _EXACT_BLOCK]
        found[start : start + len(block)] = (block * wide).sum(axis=1)
    return np.clip(found, -1.0, 1.0)
