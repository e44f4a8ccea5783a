from typing import Any

import pytest
from kebab_core import (
    AnswerReader,
    DocumentId,
    Embedder,
    JsonValue,
    LanguageModel,
    ModelRef,
    NliVerifier,
    RagSettings,
    Retriever,
    SearchSettings,
)
from kebab_rag import PassageReader, RagPipeline
from kebab_testing.fakes.analyzer import StemmingAnalyzer
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.counter import WordCounter
from kebab_testing.fakes.retriever import OverlapRetriever
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores

TEXTS = {
    "guide/chunks.md": "Chunks are cut at headings. Tables stay whole.",
    "guide/index.md": "The index of chunks is kept in one file.",
    "노트/규칙.md": "청킹 규칙 은 제목 경계 를 먼저 본다.",
}


class Bench:
    """A pipeline over a few documents, with all that it touches."""

    def __init__(
        self,
        model: LanguageModel | AnswerReader,
        *,
        texts: dict[str, str] | None = None,
        settings: RagSettings | None = None,
        default_k: int = 10,
        stored: bool = True,
        retriever: Retriever | None = None,
        embedding: ModelRef | None = None,
        embedder: Embedder | None = None,
        nli: NliVerifier | None = None,
    ) -> None:
        self.clock = FixedClock()
        stores = TemporaryStores()
        self.answers, self.packed = stores.answers, list[object]()
        """The stored answers, and what each was said to be made of, in order of recording."""
        store_answer = self.answers.record

        def note(*, packed_chunks: JsonValue | None = None, **row: Any) -> None:
            self.packed.append(packed_chunks)
            store_answer(packed_chunks=packed_chunks, **row)

        self.answers.record = note  # type: ignore[method-assign,assignment]
        self.store = stores.documents
        self.lines: dict[DocumentId, str] = {}
        for path, text in (TEXTS if texts is None else texts).items():
            record = build_record(RecordSpec(path=path, paragraphs=(text,)))
            self.lines[record.document.doc_id] = text
            self.store.replace_document(record)
        self.pipeline = RagPipeline(
            retriever=retriever or OverlapRetriever(self.store, self.clock),
            documents=self.store,
            reader=PassageReader(self.store, lambda doc_id: self.lines[doc_id]),
            model=model,
            answers=self.answers if stored else None,
            counter=WordCounter(),
            analyzer=StemmingAnalyzer(),
            embedder=embedder,
            nli=nli,
            clock=self.clock,
            settings=settings or RagSettings(prompt_template_version="rag-v3"),
            search=SearchSettings(default_k=default_k),
            embedding=embedding,
        )


@pytest.fixture
def bench() -> type[Bench]:
    return Bench


@pytest.fixture
def claims() -> RagSettings:
    """Settings by which a model names numbered sentences, whatever the score of the evidence."""
    return RagSettings(prompt_template_version="rag-v4-json", score_gate=0)
