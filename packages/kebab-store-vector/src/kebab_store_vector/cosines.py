"""Cosines of one query with many vectors in half precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BLOCK = 1024
"""Rows at a time: at 384 dimensions 1.5 MB of float32, half of what a reused buffer costs with 2,048 (2026-11-22)."""
_EXACT_BLOCK = 4096


def cosines(vectors: NDArray[np.floating], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine of a query with each row, to some 1e-6.

    Args:
        vectors: Shape (n, d) of float16 or float32.
        query: Shape (d,).

    Returns:
        Shape (n,).
    """
    if vectors.dtype == np.float32:
        products: NDArray[np.float32] = np.dot(vectors, query)
        return products
    found = np.empty(len(vectors), np.float32)
    buffer = np.empty((min(_BLOCK, len(vectors)), vectors.shape[1]), np.float32)
    for start in range(0, len(vectors), _BLOCK):
        block = vectors[start : start + _BLOCK]
        whole = buffer[: len(block)]
        np.copyto(whole, block)
        np.dot(whole, query, out=found[start : start + len(block)])
    return found


def exact_cosines(
    vectors: NDArray[np.float16], rows: NDArray[np.intp], query: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the cosine of a query with chosen rows, in [-1, 1].

    Equal rows have equal cosines, whichever rows are asked for beside them: each row is summed alone.
    """
    found = np.empty(len(rows), np.float64)
    wide = query.astype(np.float64)
    for start in range(0, len(rows), _EXACT_BLOCK):
        chosen = rows[start : start + _EXACT_BLOCK]
        found[start : start + len(chosen)] = (vectors[chosen] * wide).sum(axis=1)
    return np.clip(found, -1.0, 1.0)
