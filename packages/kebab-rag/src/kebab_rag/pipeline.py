"""`RagPipeline`: answers a question with a grounded answer, or with a refusal that gives the reason.

Steps: retrieve and read, or for a model pack the passages and write the prompt (`prompts`), stream its text (`streaming`),
check it (`verdict`); then store the answer.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from kebab_core import (
    AnswerFinal,
    AnswerReader,
    AnswerToken,
    ClaimCheck,
    FinishReason,
    InvalidInputError,
    KebabError,
    Message,
    NotIndexedError,
    PromptTemplateVersion,
    RefusalReason,
    Remedy,
    RetrievalDone,
    SearchQuery,
    StepLog,
    StorageError,
    Turn,
    VerificationSummary,
)

from kebab_rag.answer_draft import AnswerDraft, best_score, score_of
from kebab_rag.answer_record import AnswerRecord
from kebab_rag.citations import ShownClaims
from kebab_rag.evidence_search import search_evidence
from kebab_rag.passages import pack_passages
from kebab_rag.refusals import (
    introduce_nearest,
    refuse_below_gate,
    refuse_empty,
    refuse_judged,
    refuse_undivided,
)
from kebab_rag.request import answer_language

if TYPE_CHECKING:
    from kebab_core import (
        Analyzer,
        Answer,
        AnswerEvent,
        AnswerReading,
        AnswerRepo,
        Clock,
        DocumentStore,
        Embedder,
        GenerateRequest,
        IndexedChunk,
        LanguageModel,
        ModelRef,
        NliVerifier,
        RagSettings,
        Retriever,
        SearchHit,
        SearchResponse,
        SearchSettings,
        TokenCounter,
    )

    from kebab_rag.claims import PassageReader
    from kebab_rag.passages import PackedPassage
    from kebab_rag.prompts import PromptBuilder
    from kebab_rag.request import AskRequest


_LOG = logging.getLogger("kebab.rag")
_MAX_HISTORY = 1_000
"""Most estimated tokens of earlier turns in a prompt; never more than a quarter of the model's window."""


@dataclass(frozen=True, kw_only=True)
class RagPipeline:
    """Retrieves passages, scores and packs them, and has a reader quote them, or a model write and checks its text.

    Keeps no state of a question, so one pipeline serves many threads if its parts do. Equal questions get equal
    answers if model, index and clock do not change.
    """

    retriever: Retriever
    documents: DocumentStore
    """Gives the whole text of the passages."""
    reader: PassageReader
    """Reads the lines that they come from, to cite those that are quoted."""
    model: LanguageModel | AnswerReader
    """Writes the answer, or chooses what is quoted as one. A reader takes no question apart."""
    answers: AnswerRepo | StorageError | None
    """Stores every answer, refusals and interrupted ones included. None stores nothing; an error says in every answer why
    it is not stored."""
    counter: TokenCounter
    analyzer: Analyzer
    """Tells words of claims by their stems, and content words of follow-up questions."""
    clock: Clock
    sessions: AnswerRepo | None = None
    """Keeps the turns of conversations; None answers every question as a single one."""
    settings: RagSettings
    """Gate, template and limits."""
    search: SearchSettings
    """Default number of passages."""
    embedding: ModelRef | None = None
    """The model whose vectors the search may use; named in answers for which it did."""
    embedder: Embedder | None = None
    """Compares the meaning of claims and sentences; with None, words alone count."""
    nli: NliVerifier | None = None
    """Checks the entailment of claims where `rag.nli_threshold` is above 0; None checks none."""
    rerank: bool = False
    """Whether the retriever is to rerank the first passages."""

    def ask(self, request: AskRequest) -> Answer:
        """Return the answer of the last event of `stream`; raises the same errors."""
        with closing(self.stream(request)) as events:
            return next(event.answer for event in events if isinstance(event, AnswerFinal))

    def stream(self, request: AskRequest) -> Generator[AnswerEvent, None, None]:
        """Return the events of one question: `hop_done` for each round of a multi-hop answer, `retrieval_done`, the text in tokens, and `final`.

        With a template that names sentences, tokens are claims that were checked, and nothing of them is taken back. With any
        other, tokens are not checked yet: `final` may be a refusal although text came before it. It is one if the model
        writes an agreed sentence for "no answer", which is not passed on as tokens. If the stream is closed, even
        before its first event, the model is stopped and the text so far is stored as `llm_stream_aborted`. The same
        happens on an error, unless search rejects the question. An answer that cannot be stored is returned all the
        same.

        Returns:
            Any number of `HopDone` where the request asks for several hops, one `RetrievalDone`, any number of `AnswerToken`, one `AnswerFinal` that says if the answer is stored. All
            errors but that of an empty question are raised by the iteration.

        Raises:
            InvalidInputError: The question is empty, or is to be taken apart by a reader.
            NotIndexedError: The index cannot be searched as it is.
            ContextOverflowError: Instructions and question leave the model no room for evidence.
            ExternalError: The model failed.
        """
        if not request.question.strip():
            raise InvalidInputError("the question is empty", remedy=Remedy(kind="give_question"))
        if request.multi_hop and isinstance(self.model, AnswerReader):
            raise InvalidInputError(
                "the model {provider!r} cannot split a question",
                remedy=Remedy(
                    advice=Message("ask one part at a time, or name a chat model in models.llm.provider")
                ),
                _provider=self.model.model_ref().provider,
            )
        events = self._answer(self._begin(request), request)
        next(events)  # from here on, however the stream ends, a row is stored
        return cast("Generator[AnswerEvent, None, None]", events)

    def _answer(self, draft: AnswerDraft, request: AskRequest) -> Generator[AnswerEvent | None, None, None]:
        """Answer a question.

        Yields:
            None once, then the events.

        Raises:
            InvalidInputError: Search does not understand the question; nothing is stored.
            NotIndexedError: The index cannot be searched as it is; nothing is stored.
        """
        record = AnswerRecord(self.answers, self.sessions, explain=request.explain)
        steps = StepLog(self.clock, is_on=_LOG.isEnabledFor(logging.DEBUG))
        answer: Answer | None = None
        try:
            yield None
            with steps.tracing():
                draft.response = response = self._retrieve(draft, request)
            _LOG.debug("retrieval", extra=steps.extra(mode=draft.mode.value, hits=len(response.hits)))
            answer = self._refusal_before_asking(draft, response)
            _LOG.debug(
                "gate",
                extra=steps.extra(score=draft.top_score, minimum=draft.score_gate, passed=answer is None),
            )
            if answer is None and request.multi_hop and not isinstance(self.model, AnswerReader):
                answer = yield from self._hop(draft, request, self.model)
                _LOG.debug("hops", extra=steps.extra(rounds=len(draft.hops or ()), hits=len(draft.hits)))
            yield RetrievalDone(ts=self.clock.now(), hits=draft.hits, coverage=response.coverage)
            if answer is None:
                stream = self._start(draft, request)
                if steps.is_on:
                    chunk_ids = [str(each.passage.chunk_id) for each in draft.packed]
                    _LOG.debug("packing", extra=steps.extra(passages=len(draft.packed), chunk_ids=chunk_ids))
                yield from stream
                _LOG.debug("generation", extra=steps.extra(pieces=len(draft.pieces)))
                answer = self._judge(draft)
                _LOG.debug(
                    "verification",
                    extra=steps.extra(grounded=answer.grounded, citations=len(answer.citations)),
                )
        except (InvalidInputError, NotIndexedError):
            record.is_wanted = draft.response is not None
            raise
        finally:
            written = record.write(draft, self._break_off(draft) if answer is None else answer)
            _LOG.debug(
                "answer",
                extra=steps.extra(
                    answer_id=str(written.retrieval.trace_id),
                    refusal=written.refusal_reason.value if written.refusal_reason else None,
                    stored=record.is_written,
                ),
            )
        yield AnswerFinal(
            ts=self.clock.now(),
            answer=written,
            persisted=record.is_written,
            unstored_reason=record.failure,
        )

    def _begin(self, request: AskRequest) -> AnswerDraft:
        return AnswerDraft(
            question=request.question,
            lang=answer_language(request.question),
            mode=request.mode,
            k=request.k or self.search.default_k,
            score_gate=self.settings.score_gate,
            model=self.model.model_ref(),
            embedding=self.embedding,
            template=PromptTemplateVersion(self.settings.prompt_template_version),
            clock=self.clock,
            started_ms=self.clock.monotonic_ms(),
            session=request.session if self.sessions else None,
            searched=request.question,
            hops=[] if request.multi_hop else None,
        )

    def _retrieve(self, draft: AnswerDraft, request: AskRequest) -> SearchResponse:
        history = self.sessions.list_turns(draft.session) if self.sessions and draft.session else []
        readings: Sequence[tuple[str, bool]] = [(draft.question, False)]
        if history:
            from kebab_rag.conversation import read_follow_up

            readings = read_follow_up(draft.question, history, self.analyzer) or readings
        best = -1.0
        for text, is_whole in readings:
            query = SearchQuery(
                text=text,
                mode=draft.mode,
                k=draft.k,
                filters=request.filters,
                all_passages=True,
                rerank=self.rerank,
            )
            response = search_evidence(self.retriever, query)
            packed, reading = self._read(
                text, [hit for hit in response.hits if score_of(hit) >= draft.score_gate]
            )
            likely = best_score(response.hits)
            if reading is not None:
                likely = (
                    max((each.probability or 0.0 for each in reading.quotes), default=0.0) + reading.answers
                )
            if likely >= best:
                best, draft.response, draft.searched = likely, response, text
                draft.packed, draft.reading = packed, reading
                draft.history = self._choose_history(history) if is_whole else ()
        return cast("SearchResponse", draft.response)

    def _read(
        self, question: str, hits: Sequence[SearchHit]
    ) -> tuple[tuple[PackedPassage, ...], AnswerReading | None]:
        """Return the passages that a reader is given, and what it chooses; nothing where a model writes."""
        if not isinstance(self.model, AnswerReader) or not hits:
            return (), None
        packed = pack_passages(
            hits,
            self.documents.get_chunks([hit.chunk_id for hit in hits]),
            budget=self.settings.max_context_tokens,
            counter=self.counter,
        )
        return packed, self.model.read(question, [each.passage for each in packed])

    def _choose_history(self, history: Sequence[Turn]) -> tuple[Turn, ...]:
        if isinstance(self.model, AnswerReader):
            return ()
        from kebab_rag.conversation import recent_turns

        budget = min(_MAX_HISTORY, self.model.context_tokens() // 4)
        return recent_turns(history, budget=budget, counter=self.counter)

    def _refusal_before_asking(self, draft: AnswerDraft, response: SearchResponse) -> Answer | None:
        """Return the refusal if there are no hits, or none that reaches the gate, else None."""
        if not response.hits:
            return draft.refused(*refuse_empty(response, lang=draft.lang))
        if draft.evidence:
            return None
        near = draft.near(below=draft.score_gate)
        text = refuse_below_gate(near, gate=draft.score_gate, coverage=response.coverage, lang=draft.lang)
        return draft.refused(RefusalReason.SCORE_GATE, text, near)

    def _hop(
        self, draft: AnswerDraft, request: AskRequest, model: LanguageModel
    ) -> Generator[AnswerEvent, None, Answer | None]:
        """Search the parts of the question; return the refusal where the model could not take it apart, else None.

        Yields:
            A `HopDone` for each round.
        """
        from kebab_rag.hops import HopSearch

        hops = HopSearch(
            draft=draft,
            request=request,
            model=model,
            retriever=self.retriever,
            prompting=self._prompting(model),
            documents=self.documents,
            analyzer=self.analyzer,
            rerank=self.rerank,
            max_depth=self.settings.multi_hop_max_depth,
            max_questions=self.settings.multi_hop_max_sub_queries,
        )
        if (yield from hops.run()):
            return None
        near = draft.near()
        return draft.refused(
            RefusalReason.MULTI_HOP_DECOMPOSE_FAILED, refuse_undivided(near, lang=draft.lang), near
        )

    def _prompting(self, model: LanguageModel) -> PromptBuilder:
        from kebab_rag.prompts import PromptBuilder

        return PromptBuilder(
            counter=self.counter,
            window=model.context_tokens(),
            max_context_tokens=self.settings.max_context_tokens,
        )

    def _chunks(self, draft: AnswerDraft) -> Sequence[IndexedChunk]:
        return self.documents.get_chunks([hit.chunk_id for hit in draft.evidence])

    def _start(self, draft: AnswerDraft, request: AskRequest) -> Iterator[AnswerToken]:
        """Pack the evidence into `draft`, and return the text of the answer as it comes."""
        if isinstance(self.model, AnswerReader):
            return self._quote(draft, cast("AnswerReading", draft.reading))
        from kebab_rag.prompts import TEMPLATES
        from kebab_rag.streaming import stream_text

        if draft.hops is not None:
            draft.begin_hop("synthesize")
        prompting = self._prompting(self.model)
        draft.packed = prompting.pack(draft, self._chunks(draft))
        written = prompting.write(draft, temperature=request.temperature or 0.0, seed=request.seed)
        if not TEMPLATES[draft.template].names_sentences:
            return stream_text(draft, self.model.generate_stream(written))
        return self._write_claims(draft, written, prompting, self.model)

    def _quote(self, draft: AnswerDraft, reading: AnswerReading) -> Iterator[AnswerToken]:
        """Yield the quotes that answer; those that only come near are kept in `draft` alone."""
        draft.claims = ShownClaims("" if reading.answers else introduce_nearest(draft.lang))
        passages = {each.passage.marker: each.passage for each in draft.packed}
        for quote in reading.quotes:
            for piece in draft.claims.add_quote(quote, passages[quote.marker]):
                if reading.answers:
                    now = self.clock.now()
                    yield AnswerToken(
                        ts=now, delta=piece.text, marker=piece.number, header_row=piece.is_header or None
                    )

    def _write_claims(
        self, draft: AnswerDraft, request: GenerateRequest, prompting: PromptBuilder, model: LanguageModel
    ) -> Iterator[AnswerToken]:
        """Yield the claims that pass their checks; `draft` keeps them with the result."""
        from kebab_rag.claim_checks import ClaimChecker
        from kebab_rag.claim_writing import ClaimWriting
        from kebab_rag.evidence_sentences import NumberedEvidence

        checker = ClaimChecker(
            question=draft.searched,
            lang=draft.lang,
            evidence=NumberedEvidence([each.passage for each in draft.packed]),
            analyzer=self.analyzer,
            embedder=self.embedder,
            nli=self.nli,
            nli_threshold=self.settings.nli_threshold,
            sub_questions=draft.sub_questions,
        )
        writing = ClaimWriting(draft=draft, checker=checker, model=model, prompting=prompting)
        draft.claims = writing.shown
        yield from writing.write(request)
        if writing.entailments:
            draft.verification = VerificationSummary(
                nli_score=min(writing.entailments),
                nli_threshold=self.settings.nli_threshold,
                nli_passed=True,
            )

    def _judge(self, draft: AnswerDraft) -> Answer:
        if draft.reading is not None:
            if not draft.reading.quotes:
                return self._refuse(draft, RefusalReason.LLM_SELF_JUDGE)
            return draft.cited(self.reader, None if draft.reading.answers else RefusalReason.WEAK_SUPPORT)
        finish_reason = draft.generation.finish_reason if draft.generation else FinishReason.ABORTED
        if draft.claims is not None:
            return self._judge_claims(draft, finish_reason)
        from kebab_rag.verdict import judge_answer

        refusal = judge_answer(draft.text, draft.passages, finish_reason=finish_reason)
        if refusal is None:
            return draft.cited(self.reader)
        if refusal is RefusalReason.LLM_STREAM_ABORTED:
            return draft.aborted()
        return self._refuse(draft, RefusalReason.LLM_SELF_JUDGE)

    def _judge_claims(self, draft: AnswerDraft, finish_reason: FinishReason) -> Answer:
        """Return the answer of the claims that stand. Where the model was cut, they stay, and the answer is unfinished."""
        is_cut = finish_reason is not FinishReason.STOP
        if draft.claims is not None and draft.claims.claims:
            unproven = None if draft.claims.are_proven else RefusalReason.NOT_PROVEN
            return draft.cited(self.reader, RefusalReason.LLM_STREAM_ABORTED if is_cut else unproven)
        if finish_reason is FinishReason.ABORTED:
            return draft.aborted()
        failed = {each.check for each in draft.review.dropped} if draft.review else set[ClaimCheck]()
        is_unentailed = failed == {ClaimCheck.ENTAILMENT}
        return self._refuse(
            draft,
            RefusalReason.NLI_VERIFICATION_FAILED if is_unentailed else RefusalReason.LLM_SELF_JUDGE,
        )

    def _break_off(self, draft: AnswerDraft) -> Answer:
        """Return the answer so far: claims that were shown keep their citations."""
        if draft.claims is not None and draft.claims.claims:
            with suppress(KebabError):
                return draft.cited(self.reader, RefusalReason.LLM_STREAM_ABORTED)
        return draft.aborted()

    def _refuse(self, draft: AnswerDraft, reason: RefusalReason) -> Answer:
        near = draft.near()
        return draft.refused(reason, refuse_judged(near, lang=draft.lang), near)
