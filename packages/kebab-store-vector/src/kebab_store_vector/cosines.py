"""Cosines of one query with many vectors in half precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kebab_store_vector.vector_file import HALF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kebab_store_vector.vector_file import VectorFile

_BLOCK = 256
"""Rows at a time: at 384 dimensions 0.4 MB of float32, which stays in the cache between two passes (2026-11-22)."""
_EXACT_BLOCK = 4096
_WIDER = 13
"""How many more bits a fraction has in single than in half precision."""
_SIGN_AND_VALUE = np.int32(-0x7000_0001)
"""The bits of a single that a half has once it is shifted there: not the three that its sign filled."""
_BIAS = np.float32(2.0**112)
"""Exponents of single precision count from so much lower."""


def cosines(vectors: NDArray[np.floating] | VectorFile, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine of a query with each row, to some 1e-6.

    Args:
        vectors: Shape (n, d) of float16, finite, or float32; those of a file are read block by block.
        query: Shape (d,), of unit norm.

    Returns:
        Shape (n,).
    """
    if isinstance(vectors, np.ndarray) and vectors.dtype == np.float32:
        products: NDArray[np.float32] = np.dot(vectors, query)
        return products
    found = np.empty(len(vectors), np.float32)
    # Bits of halves moved to their places in singles are their values over 2¹¹². That takes half as long as having
    # numpy convert them, and with a query that is as much larger every product is the same to the last bit.
    larger = query * _BIAS
    buffer = np.empty((min(_BLOCK, len(vectors)), vectors.shape[1]), np.int32)
    for start, block in blocks_of(vectors):
        bits = buffer[: len(block)]
        np.copyto(bits, block.view(np.int16))
        np.left_shift(bits, _WIDER, out=bits)
        np.bitwise_and(bits, _SIGN_AND_VALUE, out=bits)
        np.dot(bits.view(np.float32), larger, out=found[start : start + len(block)])
    return found


def blocks_of(vectors: NDArray[np.floating] | VectorFile) -> Iterator[tuple[int, NDArray[np.floating]]]:
    """Yield some rows after the other with where they begin; those of a file in one and the same place in memory."""
    if isinstance(vectors, np.ndarray):
        yield from ((start, vectors[start : start + _BLOCK]) for start in range(0, len(vectors), _BLOCK))
        return
    block = np.empty((min(_BLOCK, len(vectors)), vectors.shape[1]), HALF)
    for start in range(0, len(vectors), _BLOCK):
        rows = block[: len(vectors) - start]
        vectors.read_into(rows, start)
        yield start, rows


def exact_cosines(
    vectors: NDArray[np.floating] | VectorFile, rows: NDArray[np.intp], query: NDArray[np.float32]
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
