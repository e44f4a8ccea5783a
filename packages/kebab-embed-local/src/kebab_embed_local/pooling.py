"""Token states to one vector for each text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import ModelCorruptError, Remedy

from kebab_embed_local.families import Pooling

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_POOLED = 2
"""Dimensions of what a model gives that pools by itself."""


def pool(states: NDArray[np.float32], lengths: list[int], pooling: Pooling) -> NDArray[np.float32]:
    """Return one vector of unit length for each text.

    Args:
        states: Shape (b, t, d), or (b, d) of a model that pools by itself.
        lengths: How many of the t tokens are the text's own, at least 1; the others stand behind them.
        pooling: Which of them count.

    Returns:
        Shape (b, d).
    """
    import numpy as np

    if states.ndim == _POOLED:
        return unit_rows(states)
    if pooling is Pooling.CLS:
        return unit_rows(states[:, 0])
    if pooling is Pooling.LAST:
        return unit_rows(states[np.arange(len(lengths)), np.array(lengths) - 1])
    sums = [row[:length].sum(axis=0) for row, length in zip(states, lengths, strict=True)]
    return unit_rows(np.stack(sums))


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the vectors at unit length.

    Raises:
        ModelCorruptError: One of them has no direction: it is zero, or not of finite numbers.
    """
    import numpy as np

    norms = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))[:, None]
    if not (np.isfinite(norms).all() and norms.all()):
        raise ModelCorruptError(
            "the embedding model gives vectors that are zero or not numbers",
            remedy=Remedy(
                kind="add_model_files",
                otherwise=Remedy(
                    kind="list_models", then=Remedy(kind="change_setting", setting="models.embedding.model")
                ),
            ),
        )
    rows: NDArray[np.float32] = np.divide(vectors, norms).astype(np.float32)
    return rows
