"""From a question to a grounded answer, or to a refusal that says why."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import cast

from kebab_core import (
    Answer,
    AnswerEvent,
    AnswerFinal,
    AnswerRepo,
    Clock,
    DocumentStore,
    FinishReason,
    InvalidInputError,
    LanguageDetector,
    LanguageModel,
    ModelRef,
    NotIndexedError,
    PromptTemplateVersion,
    RagSettings,
    RefusalReason,
    RetrievalDone,
    Retriever,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    TokenChunk,
    TokenCounter,
)

from kebab_rag.answering import Answering
from kebab_rag.gate import score_hits
from kebab_rag.prompting import Prompting
from kebab_rag.questions import answer_language
from kebab_rag.record import AnswerRecord
from kebab_rag.refusals import refuse_below_gate, refuse_empty, refuse_judged
from kebab_rag.relay import relay_text
from kebab_rag.request import AskRequest
from kebab_rag.verdict import judge_answer


class RagPipeline:
    """Retrieves, judges the evidence, packs it, has a model write, and checks what it wrote.

    Holds nothing of a question, so that one pipeline serves many threads where its parts do. Equal questions get
    equal answers where model, index and clock stand still.

    Args:
        retriever: Finds passages.
        documents: Holds their whole text.
        model: Writes.
        answers: Keeps every answer, refusals and broken-off ones included; None keeps nothing.
        counter: Estimates what fits the model.
        detector: Tells the language of the question.
        clock: Stamps.
        settings: Gate, template and limits.
        search: How many passages are looked at by default.
        embedding: The model whose vectors may take part in the search; named in answers where they did.
    """

    def __init__(  # noqa: PLR0913  (each is one part that tests replace)
        self,
        *,
        retriever: Retriever,
        documents: DocumentStore,
        model: LanguageModel,
        answers: AnswerRepo | None,
        counter: TokenCounter,
        detector: LanguageDetector,
        clock: Clock,
        settings: RagSettings,
        search: SearchSettings,
        embedding: ModelRef | None = None,
    ) -> None:
        self._retriever = retriever
        self._documents = documents
        self._model = model
        self._answers = answers
        self._counter = counter
        self._detector = detector
        self._clock = clock
        self._settings = settings
        self._search = search
        self._embedding = embedding

    def ask(self, request: AskRequest) -> Answer:
        """Return the answer: that of the last event of `stream`, whose errors these are."""
        with closing(self.stream(request)) as events:
            return next(event.answer for event in events if isinstance(event, AnswerFinal))

    def stream(self, request: AskRequest) -> Generator[AnswerEvent, None, None]:
        """Return `retrieval_done`, the text as it comes with markers as they are shown, and `final`.

        The text is what the model says before it is checked; `final` may be a refusal all the same, and is where the
        model says in the agreed words that there is no answer, which are not passed on. Closing the
        stream, at its very beginning too, stops the model and keeps what there is as `llm_stream_aborted`; an error
        after the question was understood does so too. An answer that cannot be stored is given all the same.

        Returns:
            One `RetrievalDone`, any number of `AnswerToken`, one `AnswerFinal` that says whether it is stored. What
            follows is raised by the events.

        Raises:
            InvalidInputError: The question is empty.
            NotIndexedError: The index cannot be searched as it is.
            ContextOverflowError: Instructions and question leave the model no room for evidence.
            ExternalError: The model failed.
        """
        if not request.question.strip():
            raise InvalidInputError("the question is empty", hint='kebab ask "…"')
        events = self._answer(self._begin(request), request)
        next(events)  # from here on whatever ends it leaves a row
        return cast("Generator[AnswerEvent, None, None]", events)

    def _answer(self, run: Answering, request: AskRequest) -> Generator[AnswerEvent | None, None, None]:
        """Answer a question.

        Yields:
            None once, then the events.

        Raises:
            InvalidInputError: Search does not understand the question; nothing is stored.
            NotIndexedError: The index cannot be searched as it is; nothing is stored.
        """
        record = AnswerRecord(self._answers, explain=request.explain)
        answer: Answer | None = None
        try:
            yield None
            run.found = found = self._retrieve(run, request)
            yield RetrievalDone(ts=self._clock.now(), hits=found.hits, coverage=found.coverage)
            answer = self._refusal_before_asking(run, found)
            if answer is None:
                yield from relay_text(run, self._start(run, request))
                answer = _judge(run)
        except (InvalidInputError, NotIndexedError):
            record.is_wanted = run.found is not None
            raise
        finally:
            record.write(run, run.aborted() if answer is None else answer)
        yield AnswerFinal(
            ts=self._clock.now(),
            answer=answer,
            persisted=record.is_written,
            unstored_reason=record.failure,
        )

    def _begin(self, request: AskRequest) -> Answering:
        return Answering(
            question=request.question,
            lang=answer_language(request.question, self._detector),
            mode=request.mode,
            k=request.k or self._search.default_k,
            score_gate=self._settings.score_gate,
            model=self._model.model_ref(),
            embedding=self._embedding,
            template=PromptTemplateVersion(self._settings.prompt_template_version),
            clock=self._clock,
            started_ms=self._clock.monotonic_ms(),
        )

    def _retrieve(self, run: Answering, request: AskRequest) -> SearchResponse:
        query = SearchQuery(text=run.question, mode=run.mode, k=run.k, filters=request.filters)
        found = self._retriever.search(query)
        documents = found.coverage.documents_indexed
        run.scores = score_hits(found.hits, question_lang=run.lang, documents=documents)
        return found

    def _refusal_before_asking(self, run: Answering, found: SearchResponse) -> Answer | None:
        """Return the refusal where there is nothing, or nothing good enough, to show a model."""
        if not found.hits:
            return run.refused(*refuse_empty(found, lang=run.lang))
        if run.top_score >= run.score_gate:
            return None
        near = run.near(below=run.score_gate)
        text = refuse_below_gate(near, gate=run.score_gate, coverage=found.coverage, lang=run.lang)
        return run.refused(RefusalReason.SCORE_GATE, text, near)

    def _start(self, run: Answering, request: AskRequest) -> Iterator[TokenChunk]:
        """Return the model's stream for the evidence, which `run` keeps."""
        prompting = Prompting(
            counter=self._counter,
            window=self._model.context_tokens(),
            max_context_tokens=self._settings.max_context_tokens,
        )
        chunks = self._documents.get_chunks([hit.chunk_id for hit in run.hits])
        run.packed = prompting.pack(run, chunks)
        return self._model.generate_stream(
            prompting.write(run, temperature=request.temperature or 0.0, seed=request.seed)
        )


def _judge(run: Answering) -> Answer:
    finish_reason = run.done.finish_reason if run.done else FinishReason.ABORTED
    verdict = judge_answer(run.text, run.passages, finish_reason=finish_reason)
    if verdict.refusal is None:
        return run.grounded(verdict.cited)
    if verdict.refusal is RefusalReason.LLM_STREAM_ABORTED:
        return run.aborted()
    near = run.near()
    return run.refused(verdict.refusal, refuse_judged(near, lang=run.lang), near)
