"""A question that is searched for and answered is embedded once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_app.vector_leg import LastQueryEmbedder
from kebab_core import EmbeddingKind, ModelUnreachableError, VectorMatrix
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conftest import Base, Embedding

QUERY, DOCUMENT = EmbeddingKind.QUERY, EmbeddingKind.DOCUMENT


def test_a_question_is_given_to_the_model_once_by_a_search_and_its_answer(
    base: Base, embedding: Embedding
) -> None:
    base.write("a.md", "# 색인\n\n색인은 매일 밤 서버에서 만든다. 색인은 문서를 읽어 서버에서 만든다.\n")
    base.write("b.md", "# 다른 것\n\n고양이는 생선을 좋아한다.\n")
    base.ingest()
    embedding.embedder.asked.clear()
    base.app.ask(AskRequest(question="색인은 어떻게 만드나요?"))
    kinds = [kind for _, kind in embedding.embedder.asked]
    assert kinds == [QUERY, DOCUMENT]


def test_other_questions_and_passages_are_embedded_as_ever() -> None:
    model = BagOfWordsEmbedder()
    last = LastQueryEmbedder(model)
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


def test_a_failure_is_not_kept() -> None:
    class Failing(BagOfWordsEmbedder):
        def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
            if not self.asked:
                super().embed(texts, kind)
                raise ModelUnreachableError("gone")
            return super().embed(texts, kind)

    last = LastQueryEmbedder(Failing())
    with pytest.raises(ModelUnreachableError):
        last.embed(["one"], QUERY)
    assert last.embed(["one"], QUERY).shape[0] == 1
