"""What callers give, looked at before it is kept or compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from kebab_core import InvalidInputError, VectorMatrix

from kebab_store_vector.vector_file import HALF

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNIT_TOLERANCE = 0.01
"""Of the squared norm; what half precision adds is below 0.001."""


def unit_rows(vectors: VectorMatrix, *, rows: int, dimensions: int) -> NDArray[np.float32]:
    """Return vectors as an array of shape (rows, dimensions).

    Raises:
        InvalidInputError: They have another shape or type, or are not all of unit norm.
    """
    if vectors.format != "f" or vectors.shape != (rows, dimensions):
        raise InvalidInputError(
            f"vectors of format {vectors.format!r} and shape {vectors.shape}"
            f" where 'f' and ({rows}, {dimensions}) was expected"
        )
    array = np.asarray(vectors, np.float32)
    norms = np.einsum("ij,ij->i", array, array)
    if not np.all(np.abs(norms - 1) <= _UNIT_TOLERANCE):
        raise InvalidInputError("vectors are not of unit norm")
    return array


def halved(vectors: NDArray[np.float32]) -> NDArray[np.float16]:
    """Return vectors in half precision.

    A cosine of a halved vector is off by less than 5e-4: each value by at most 2^-11 of itself, so that, by Cauchy and
    Schwarz, the sum of products of two unit vectors is off by at most 2^-11.
    """
    return vectors.astype(HALF)
