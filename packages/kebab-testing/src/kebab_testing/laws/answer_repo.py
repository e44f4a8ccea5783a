"""Laws of `AnswerRepo`: storing, finding and deleting answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from kebab_core import (
    Answer,
    AnswerCitation,
    AnswerRepo,
    AnswerRetrievalSummary,
    HopRecord,
    LineCitation,
    ModelRef,
    PromptTemplateVersion,
    RefusalReason,
    SearchMode,
    SessionId,
    SourceId,
    TokenUsage,
    TraceId,
    VerificationSummary,
    WorkspacePath,
)

from kebab_testing.fakes.clock import START


class AnswerRepoLaws:
    """Subclass it and override the `answers` fixture with an empty repository."""

    @pytest.fixture
    def answers(self) -> AnswerRepo:
        """Give an empty repository."""
        raise NotImplementedError

    def test_an_answer_comes_back_whole(self, answers: AnswerRepo) -> None:
        answer = build_answer("ret_0000000000000001").model_copy(
            update={
                "embedding": ModelRef(id="e5", provider="local", dimensions=384),
                "conversation_id": SessionId("s"),
                "turn_index": 0,
                "hops": (HopRecord(iter=0, kind="decompose", sub_queries=("가",)),),
                "verification": VerificationSummary(nli_score=0.5, nli_threshold=0.25, nli_passed=True),
            }
        )
        answers.record(question="무엇?", answer=answer, packed_chunks=[{"chunk": 1}])
        assert answers.get(answer.retrieval.trace_id) == ("무엇?", answer)

    def test_a_refusal_is_an_answer_too(self, answers: AnswerRepo) -> None:
        answer = build_answer("ret_0000000000000001", refusal=RefusalReason.SCORE_GATE)
        answers.record(question="q", answer=answer)
        assert answers.recent() == [("q", answer)]

    def test_an_unknown_trace_is_none(self, answers: AnswerRepo) -> None:
        assert answers.get(TraceId("ret_ffffffffffffffff")) is None

    def test_recent_answers_come_newest_first(self, answers: AnswerRepo) -> None:
        for hour in range(3):
            answer = build_answer(f"ret_{hour:016x}")
            answer = answer.model_copy(update={"created_at": START + timedelta(hours=hour)})
            answers.record(question=str(hour), answer=answer)
        assert [question for question, _ in answers.recent()] == ["2", "1", "0"]
        assert [question for question, _ in answers.recent(limit=1)] == ["2"]

    def test_answers_are_found_by_time(self, answers: AnswerRepo) -> None:
        for hour in range(3):
            answer = build_answer(f"ret_{hour:016x}")
            answers.record(
                question="", answer=answer.model_copy(update={"created_at": START + timedelta(hours=hour)})
            )
        assert answers.find() == [f"ret_{hour:016x}" for hour in (2, 1, 0)]
        assert answers.find(before=START + timedelta(hours=1)) == ["ret_0000000000000000"]

    def test_answers_are_found_by_what_they_cite_or_were_made_of(self, answers: AnswerRepo) -> None:
        path, other = WorkspacePath("가 나.md"), WorkspacePath("나.md")
        answers.record(question="cites", answer=build_answer("ret_1"))
        refusal = build_answer("ret_2", refusal=RefusalReason.SCORE_GATE)
        answers.record(question="rests on nothing", answer=refusal)
        for trace_id, uri in (("ret_3", "%EB%82%98.md#L1-L2"), ("ret_4", "work:%EB%82%98.md#L1-L2")):
            packed: Any = [{"uri": "b.md#L1"}, {"uri": uri}]
            answers.record(question="read", answer=_other_id(refusal, trace_id), packed_chunks=packed)
        assert answers.find(path=path) == ["ret_1"]
        assert answers.find(path=path, source_id=SourceId("default")) == ["ret_1"]
        assert answers.find(path=path, source_id=SourceId("work")) == []
        assert set(answers.find(path=other)) == {"ret_3", "ret_4"}
        assert answers.find(path=other, source_id=SourceId("default")) == ["ret_3"]
        assert answers.find(path=other, source_id=SourceId("work")) == ["ret_4"]
        assert answers.find(path=WorkspacePath("md")) == []

    def test_an_answer_that_was_broken_off_may_rest_on_anything(self, answers: AnswerRepo) -> None:
        broken_off = build_answer("ret_1", refusal=RefusalReason.LLM_STREAM_ABORTED)
        answers.record(question="", answer=broken_off)
        answers.record(question="", answer=_other_id(broken_off, "ret_2"), packed_chunks=[{"uri": "a.md#L1"}])
        assert answers.find(path=WorkspacePath("b.md")) == ["ret_1"]

    def test_a_deleted_answer_is_gone_and_others_stay(self, answers: AnswerRepo) -> None:
        for trace_id in ("ret_1", "ret_2", "ret_3"):
            answers.record(question=trace_id, answer=build_answer(trace_id))
        assert answers.delete([TraceId("ret_1"), TraceId("ret_3"), TraceId("ret_9")]) == 2
        assert [question for question, _ in answers.recent()] == ["ret_2"]
        assert answers.get(TraceId("ret_1")) is None
        assert answers.delete([]) == 0


def _other_id(answer: Answer, trace_id: str) -> Answer:
    retrieval = answer.retrieval.model_copy(update={"trace_id": TraceId(trace_id)})
    return answer.model_copy(update={"retrieval": retrieval})


def build_answer(trace_id: str, *, refusal: RefusalReason | None = None) -> Answer:
    """Return an answer with one citation, or a refusal without."""
    citation = LineCitation(path=WorkspacePath("가 나.md"), start=3, end=9, section="규칙")
    cited = AnswerCitation(marker="[1]", citation=citation, indexed_at=START, stale=False)
    return Answer(
        answer="답 [1]",
        citations=() if refusal else (cited,),
        grounded=refusal is None,
        refusal_reason=refusal,
        model=ModelRef(id="extractive", provider="extractive"),
        prompt_template_version=PromptTemplateVersion("rag-v3"),
        retrieval=AnswerRetrievalSummary(
            trace_id=TraceId(trace_id),
            mode=SearchMode.LEXICAL,
            k=10,
            score_gate=0.3,
            top_score=0.75,
            chunks_returned=4,
            chunks_used=2,
        ),
        usage=TokenUsage(prompt_tokens=100, completion_tokens=20, latency_ms=5),
        created_at=START,
    )
