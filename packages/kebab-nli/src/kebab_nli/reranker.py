"""`OnnxReranker`: scores of passages for a query by a cross-encoder in this process."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kebab_core import CancelToken, ModelRef

from kebab_nli.pair_model import PairModel

_QUERY_SHARE = 4
"""A query has at most one of so many tokens, so that a passage of usual length is read in one window."""


class OnnxReranker:
    """Implements `Reranker` with onnxruntime. Nothing is loaded before the first pair; threads may share it.

    A score is the logistic of the number that the graph gives, the greatest of all windows of a long passage.

    Args:
        name: Of the model.
        model: Reads query and passage, of which it cuts the second, and gives one number.
    """

    def __init__(self, name: str, *, model: PairModel) -> None:
        self._name = name
        self._model = model

    def model_ref(self) -> ModelRef:
        """Return name and provider of the model."""
        return ModelRef(id=self._name, provider="onnx")

    def score(self, query: str, passages: Sequence[str], *, cancel: CancelToken | None = None) -> list[float]:
        """Return a score in [0, 1] for each passage, in order. See `Reranker`."""
        if not passages:
            return []
        asked = self._model.clip(query, self._model.room // _QUERY_SHARE)
        found = self._model.read([(asked, passage) for passage in passages], batch_tokens=1, cancel=cancel)
        return [_logistic(float(logits.max())) for logits in found]


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))
