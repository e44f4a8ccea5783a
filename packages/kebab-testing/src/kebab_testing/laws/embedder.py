"""What every `Embedder` does."""

from __future__ import annotations

import unicodedata
from math import isfinite, sqrt
from typing import cast

import pytest
from kebab_core import Embedder, EmbeddingKind, VectorMatrix

_KINDS = pytest.mark.parametrize("kind", list(EmbeddingKind))
_PASSAGES = (
    "The index is made every night.",
    "My cat likes fish and milk.",
    "색인은 매일 밤에 만든다.",
    "우리 고양이는 생선을 좋아한다.",
    "FastAPI는 Python 3.11 이상에서 돌아간다.",
)
_ODD = {
    "empty": "",
    "blank": " \t\n ",
    "punctuation": "?!… ---",
    "control characters": "a\x00b\x07c\u200b\ufeff",
    "emoji": "👩‍👩‍👧‍👦 🥙",
    "decomposed Hangul": unicodedata.normalize("NFD", "색인은 매일 밤에 만든다."),
    "half a pair of surrogates": "file\udc80name",
    "very long": "The index is made every night. 색인은 매일 밤에 만든다. " * 40,
    "very long word": "가나다라abc" * 120,
}
_odd = pytest.mark.parametrize("name", _ODD)
_SAME = 1e-4
"""How far two vectors of the same text may be apart, in any direction."""


class EmbedderLaws:
    """Subclass it as `Test…` and return an embedder of texts in Korean and English."""

    def make_embedder(self) -> Embedder:
        """Return the embedder under test; it may be the same object each time."""
        raise NotImplementedError

    def test_embedder_has_a_name_a_version_and_dimensions(self) -> None:
        identity = self.make_embedder().identity
        assert identity.model_id
        assert identity.model_version
        assert identity == self.make_embedder().identity

    @_KINDS
    def test_vectors_are_one_read_only_buffer_of_rows(self, kind: EmbeddingKind) -> None:
        embedder = self.make_embedder()
        matrix = embedder.embed(_PASSAGES, kind)
        assert isinstance(matrix, memoryview)
        assert matrix.shape == (len(_PASSAGES), embedder.identity.dimensions)
        assert (matrix.format, matrix.c_contiguous, matrix.readonly) == ("f", True, True)

    @_KINDS
    def test_vectors_have_unit_length(self, kind: EmbeddingKind) -> None:
        for row in _rows(self.make_embedder().embed(_PASSAGES, kind)):
            assert sqrt(_dot(row, row)) == pytest.approx(1, abs=_SAME)

    @_KINDS
    def test_no_texts_give_no_vectors(self, kind: EmbeddingKind) -> None:
        assert self.make_embedder().embed([], kind).nbytes == 0

    @_odd
    @_KINDS
    def test_odd_text_has_a_vector_like_any_other(self, name: str, kind: EmbeddingKind) -> None:
        (row,) = _rows(self.make_embedder().embed([_ODD[name]], kind))
        assert all(map(isfinite, row))
        assert sqrt(_dot(row, row)) == pytest.approx(1, abs=_SAME)

    @_KINDS
    def test_text_has_the_same_vector_whatever_is_embedded_with_it(self, kind: EmbeddingKind) -> None:
        embedder = self.make_embedder()
        texts = [*_PASSAGES, *_ODD.values()]
        together = _rows(embedder.embed(texts, kind))
        backwards = _rows(embedder.embed(texts[::-1], kind))[::-1]
        alone = [_rows(embedder.embed([text], kind))[0] for text in texts]
        for text, first, second, third in zip(texts, together, backwards, alone, strict=True):
            assert first == pytest.approx(second, abs=_SAME), text[:40]
            assert first == pytest.approx(third, abs=_SAME), text[:40]

    @_KINDS
    def test_text_given_twice_has_two_equal_vectors(self, kind: EmbeddingKind) -> None:
        first, _, second = _rows(self.make_embedder().embed([_PASSAGES[0], "…", _PASSAGES[0]], kind))
        assert first == pytest.approx(second, abs=_SAME)

    @pytest.mark.parametrize(
        ("question", "expected"),
        [
            ("When is the index made?", 0),
            ("What does my cat like?", 1),
            ("색인은 언제 만드나요?", 2),
            ("고양이는 무엇을 좋아하나요?", 3),
            ("FastAPI는 Python 몇 버전에서 돌아가나요?", 4),
        ],
    )
    def test_question_is_nearest_to_the_passage_that_answers_it(self, question: str, expected: int) -> None:
        embedder = self.make_embedder()
        (query,) = _rows(embedder.embed([question], EmbeddingKind.QUERY))
        cosines = [_dot(query, row) for row in _rows(embedder.embed(_PASSAGES, EmbeddingKind.DOCUMENT))]
        assert cosines.index(max(cosines)) == expected


def _rows(matrix: VectorMatrix) -> list[list[float]]:
    return cast("list[list[float]]", matrix.tolist())


def _dot(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
