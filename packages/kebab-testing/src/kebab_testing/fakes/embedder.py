"""An embedder without a model: texts that share words have near vectors."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from math import sqrt

from kebab_core import (
    EmbeddingIdentity,
    EmbeddingKind,
    EmbeddingModelId,
    EmbeddingVersion,
    VectorMatrix,
)

_WORD = re.compile(r"\w+")
_HANGUL = re.compile(r"[가-힣]{2,}")


class BagOfWordsEmbedder:
    """Implements `Embedder`: every word, and every two syllables of Hangul in a row, adds a hashed direction.

    Pure and quick, the same on every platform, and alike for passages and queries. A text without words has the
    same vector as any other such text.

    Args:
        dimensions: Length of the vectors; with many, words hardly ever collide.
        synonyms: Words, or pairs of syllables, that count as another: `{"색인": "index"}` lets a Korean text find
            an English one.
        model_id: Name it gives itself.
        model_version: Version it gives itself.

    Attributes:
        asked: What every call was given, in order.
    """

    def __init__(
        self,
        dimensions: int = 64,
        *,
        synonyms: Mapping[str, str] | None = None,
        model_id: str = "bag-of-words",
        model_version: str = "v1+000000000000",
    ) -> None:
        self._synonyms = dict(synonyms or {})
        self._identity = EmbeddingIdentity(
            model_id=EmbeddingModelId(model_id),
            model_version=EmbeddingVersion(model_version),
            dimensions=dimensions,
        )
        self.asked: list[tuple[tuple[str, ...], EmbeddingKind]] = []

    @property
    def identity(self) -> EmbeddingIdentity:
        """Return what it was made with."""
        return self._identity

    @property
    def texts_embedded(self) -> int:
        """Return how many texts it was given in all calls together."""
        return sum(len(texts) for texts, _ in self.asked)

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return one unit vector for each text, in order; an empty buffer for none."""
        self.asked.append((tuple(texts), kind))
        values = array("f")
        for text in texts:
            values.extend(self._vector(text))
        if not texts:
            return memoryview(b"").cast("f")
        return memoryview(values.tobytes()).cast("f", (len(texts), self._identity.dimensions))

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self._identity.dimensions
        for feature in _features(text):
            at, sign = _direction(self._synonyms.get(feature, feature), len(vector))
            vector[at] += sign
        length = sqrt(sum(value * value for value in vector))
        if length == 0:
            return [1.0, *vector[1:]]
        return [value / length for value in vector]


def _features(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        yield word
        for syllables in _HANGUL.findall(word):
            pairs = (syllables[at : at + 2] for at in range(len(syllables) - 1))
            yield from (pair for pair in pairs if pair != word)


def _direction(feature: str, dimensions: int) -> tuple[int, float]:
    digest = blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return (number >> 1) % dimensions, 1.0 if number & 1 else -1.0
