"""`OnnxNliVerifier`: entailment by a model of text pairs in this process."""

from __future__ import annotations

from collections.abc import Sequence

from kebab_core import ContextOverflowError, Entailment, ModelRef

from kebab_nli.pair_model import PairModel

LABELS = ("entailment", "neutral", "contradiction")
"""Fields of `Entailment`."""
_BATCH_TOKENS = 512


class OnnxNliVerifier:
    """Implements `NliVerifier` with onnxruntime. Nothing is loaded before the first pair; threads may share it.

    A premise that is longer than the window is read in several windows with the whole hypothesis; that with the highest
    entailment counts.

    Args:
        name: Of the model.
        model: Reads premise and hypothesis, of which it cuts the first.
        labels: The meaning of each number that the graph gives, a permutation of `LABELS`.
    """

    def __init__(self, name: str, *, model: PairModel, labels: tuple[str, ...]) -> None:
        self._name = name
        self._model = model
        self._labels = labels

    def model_ref(self) -> ModelRef:
        """Return name and provider of the model."""
        return ModelRef(id=self._name, provider="onnx")

    def verify(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """Return the entailment of the hypothesis by the premise for each pair of them, in order.

        Raises:
            ContextOverflowError: A hypothesis leaves no room for a premise.
            ModelMissingError: A file of the model is not here.
            ModelCorruptError: The model is damaged, or gives other numbers than three probabilities.
        """
        import numpy as np

        for _, hypothesis in pairs:
            tokens = self._model.count(hypothesis)
            if tokens > self._model.room:
                raise ContextOverflowError(
                    "a sentence of {tokens} tokens is too long for the entailment model, which takes {room}",
                    tokens=tokens,
                    room=self._model.room,
                )
        found = []
        for logits in self._model.read(pairs, batch_tokens=_BATCH_TOKENS):
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            windows = (powers / powers.sum(axis=1, keepdims=True)).tolist()
            each = [Entailment(**dict(zip(self._labels, row, strict=True))) for row in windows]
            found.append(max(each, key=lambda one: one.entailment))
        return found
