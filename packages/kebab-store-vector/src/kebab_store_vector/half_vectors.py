"""Vectors in half precision, as the database has them: checking, and cosines with a query."""

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


_EXACT_BLOCK = 4096


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
