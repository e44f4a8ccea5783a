"""What every `AnswerRepo` remembers of answers."""

from __future__ import annotations

from datetime import timedelta

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
