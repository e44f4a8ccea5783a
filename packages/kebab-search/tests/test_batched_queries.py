"""Vectors of several queries made at once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st
from kebab_core import (
    ContextOverflowError,
    EmbeddingKind,
    KebabError,
    ModelMissingError,
    ModelUnreachableError,
    SearchMode,
    SearchQuery,
    VectorMatrix,
)
from kebab_search import BatchedQueryEmbedder, embedding_texts
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.tables import walk

QUERY = EmbeddingKind.QUERY
TEXTS = st.lists(st.text("가나 ab", max_size=5), min_size=1, max_size=6)


class FailingEmbedder(BagOfWordsEmbedder):
    """Fails with several texts, and with each alone that is named."""

    def __init__(self, failure: KebabError, *, alone: Sequence[str] = ()) -> None:
        super().__init__()
        self.failure = failure
        self.alone = alone

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        vectors = super().embed(texts, kind)
        if len(texts) > 1 or texts[0] in self.alone:
            raise self.failure
        return vectors


@given(texts=TEXTS, asked=TEXTS)
def test_every_text_has_the_vector_that_it_has_alone(texts: list[str], asked: list[str]) -> None:
    plain = BagOfWordsEmbedder()
    batched = BatchedQueryEmbedder(BagOfWordsEmbedder(), texts)
    for text in [*texts, *asked]:
        found, alone = batched.embed([text], QUERY), plain.embed([text], QUERY)
        assert (found.shape, found.tolist()) == (alone.shape, alone.tolist())


@given(texts=TEXTS)
def test_known_texts_go_through_the_model_once_and_together(texts: list[str]) -> None:
    model = BagOfWordsEmbedder()
    batched = BatchedQueryEmbedder(model, texts)
    assert model.asked == []
    for text in texts:
        batched.embed([text], QUERY)
    assert model.asked == [(tuple(dict.fromkeys(texts)), QUERY)]


def test_passages_and_several_texts_go_to_the_model_as_they_are() -> None:
    model = BagOfWordsEmbedder()
    batched = BatchedQueryEmbedder(model, ["가", "나"])
    batched.embed(["가"], EmbeddingKind.DOCUMENT)
    batched.embed(["가", "나"], QUERY)
    assert model.asked == [(("가",), EmbeddingKind.DOCUMENT), (("가", "나"), QUERY)]
    assert batched.identity == model.identity


@walk("failure", [ModelUnreachableError("no answer"), ModelMissingError("no weights")])
def test_a_model_that_is_not_there_is_asked_once_for_all(failure: KebabError) -> None:
    model = FailingEmbedder(failure)
    batched = BatchedQueryEmbedder(model, ["가", "나"])
    for text in ("가", "나"):
        with pytest.raises(type(failure)):
            batched.embed([text], QUERY)
    assert len(model.asked) == 1


def test_a_text_that_is_too_long_is_no_matter_to_the_others() -> None:
    model = FailingEmbedder(ContextOverflowError("too long"), alone=["나"])
    batched = BatchedQueryEmbedder(model, ["가", "나"])
    assert batched.embed(["가"], QUERY).tolist() == BagOfWordsEmbedder().embed(["가"], QUERY).tolist()
    with pytest.raises(ContextOverflowError):
        batched.embed(["나"], QUERY)


def test_what_is_meant_is_what_a_search_embeds() -> None:
    hybrid, vector, lexical = SearchMode.HYBRID, SearchMode.VECTOR, SearchMode.LEXICAL
    asked = [("가 나", hybrid), ('"ab" 가', vector), ("b", lexical), ("  ", hybrid), ("가 나", vector)]
    queries = [SearchQuery(text=text, mode=mode) for text, mode in asked]
    assert [text.split() for text in embedding_texts(queries)] == [["가", "나"], ["ab", "가"]]
