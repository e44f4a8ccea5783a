"""A question that is searched for and answered is embedded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_app.last_question import LastQuestion
from kebab_core import EmbeddingKind, ModelUnreachableError, VectorMatrix
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conftest import Base, Embedding

QUERY, DOCUMENT = EmbeddingKind.QUERY, EmbeddingKind.DOCUMENT


def test_a_question_is_given_to_the_model_once_by_a_search_and_its_answer(
    base: Base, embedding: Embedding
) -> None:
    base.write("a.md", "# Index\n\nThe index is made every night at three.\n")
    base.ingest()
    embedding.embedder.asked.clear()
    base.app.ask(AskRequest(question="when is the index made"))
    asked = [texts for texts, kind in embedding.embedder.asked if kind is QUERY]
    assert [list(texts) for texts in asked].count(["when is the index made"]) == 1


def test_other_questions_and_passages_are_embedded_as_ever() -> None:
    model = BagOfWordsEmbedder()
    last = LastQuestion(model)
    for text in ("one", "two", "one", "one"):
        assert last.embed([text], QUERY).tolist() == BagOfWordsEmbedder().embed([text], QUERY).tolist()
    assert last.embed(["one"], DOCUMENT).tolist() == model.embed(["one"], DOCUMENT).tolist()
    last.embed(["one", "two"], QUERY)
    assert [list(texts) for texts, kind in model.asked if kind is QUERY] == [
        ["one"],
        ["two"],
        ["one"],
        ["one", "two"],
    ]
    assert last.identity == model.identity


def test_a_failure_is_not_remembered() -> None:
    class Failing(BagOfWordsEmbedder):
        def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
            if not self.asked:
                super().embed(texts, kind)
                raise ModelUnreachableError("gone")
            return super().embed(texts, kind)

    last = LastQuestion(Failing())
    with pytest.raises(ModelUnreachableError):
        last.embed(["one"], QUERY)
    assert last.embed(["one"], QUERY).shape[0] == 1
