"""How near texts are to a question in meaning, for as many as there is time for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, cast

from kebab_core import MODEL_FAILURES, Embedder, EmbeddingKind, VectorMatrix

BUDGET = 160
"""Estimated tokens of all texts together: one core of 2020 reads them in about 100 ms."""
_QUESTION_CHARS = 2_000
"""What of a question is embedded; search asks by as much of it."""
_PER_TEXT = 5
"""What a model is told around each text."""
_ASCII_PER_TOKEN = 4.0
_OTHERS_PER_TOKEN = 1.6
_LAST_ASCII = "\x7f"

Key = TypeVar("Key")


def cosines(embedder: Embedder, question: str, texts: Sequence[str]) -> list[float] | None:
    """Return the cosine of a question with each text, in order; None where the model cannot be used."""
    if not texts:
        return []
    try:
        (asked,) = _rows(embedder.embed([question[:_QUESTION_CHARS]], EmbeddingKind.QUERY))
        said = _rows(embedder.embed(texts, EmbeddingKind.DOCUMENT))
    except MODEL_FAILURES:
        return None
    return [sum(one * other for one, other in zip(asked, row, strict=True)) for row in said]


def affordable(texts: Iterable[tuple[Key, str]], *, budget: float = BUDGET) -> Mapping[Key, str]:
    """Return the texts that fit a budget of tokens, in order; one that does not fit is passed over."""
    taken: dict[Key, str] = {}
    for key, text in texts:
        cost = estimate_tokens(text)
        if key not in taken and cost <= budget:
            taken[key] = text
            budget -= cost
    return taken


def estimate_tokens(text: str) -> float:
    """Return about how many tokens a text is to a multilingual model."""
    plain = sum(char <= _LAST_ASCII for char in text)
    return _PER_TEXT + plain / _ASCII_PER_TOKEN + (len(text) - plain) / _OTHERS_PER_TOKEN


def _rows(matrix: VectorMatrix) -> list[list[float]]:
    return cast("list[list[float]]", matrix.tolist())  # what the memory of two dimensions gives
