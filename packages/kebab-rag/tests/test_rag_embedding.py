from typing import Any

import pytest
from kebab_core import (
    EmbeddingModelId,
    ModelRef,
    RefusalReason,
    SearchMode,
    SearchQuery,
    SearchResponse,
)
from kebab_rag import AskRequest
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.language_model import ScriptedModel
from kebab_testing.fakes.retriever import OverlapRetriever

MODEL = ModelRef(id="e5", provider="bundled", dimensions=384)


class NamingRetriever(OverlapRetriever):
    """Says of every hit which model's vectors took part in finding it."""

    model: EmbeddingModelId | None = None

    def search(self, query: SearchQuery) -> SearchResponse:
        found = super().search(query)
        hits = tuple(hit.model_copy(update={"embedding_model": self.model}) for hit in found.hits)
        return found.model_copy(update={"hits": hits})


def make_pipeline(bench: Any, name: str | None, *, said: str = "At headings [#1].") -> Any:
    made = bench(ScriptedModel([said]))
    retriever = NamingRetriever(made.store, FixedClock())
    retriever.model = None if name is None else EmbeddingModelId(name)
    made = bench(ScriptedModel([said]), retriever=retriever, embedding=MODEL)
    return made.pipeline


@pytest.mark.parametrize(("found_by", "named"), [("e5", MODEL), (None, None)])
def test_answer_names_the_embedding_model_where_its_vectors_took_part(
    bench: Any, found_by: str | None, named: ModelRef | None
) -> None:
    answer = make_pipeline(bench, found_by).ask(AskRequest(question="chunks are cut where"))
    assert answer.grounded
    assert answer.embedding == named


def test_refusal_names_it_too_and_one_without_hits_names_none(bench: Any) -> None:
    pipeline = make_pipeline(bench, "e5", said="Nobody knows.")
    refused = pipeline.ask(AskRequest(question="chunks are cut where", mode=SearchMode.HYBRID))
    assert refused.refusal_reason is not None
    assert refused.embedding == MODEL
    empty = pipeline.ask(AskRequest(question="zebra crossing", mode=SearchMode.HYBRID))
    assert empty.refusal_reason is RefusalReason.NO_CHUNKS
    assert empty.embedding is None
