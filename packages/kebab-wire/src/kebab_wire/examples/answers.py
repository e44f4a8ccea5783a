"""An answer, refusals, and the events of a stream."""

from __future__ import annotations

from re import finditer

from kebab_core import (
    Answer,
    AnswerCitation,
    AnswerEvent,
    AnswerFinal,
    AnswerMarker,
    AnswerRetrievalSummary,
    AnswerToken,
    LineCitation,
    ModelRef,
    PromptTemplateVersion,
    RefusalReason,
    RetrievalDone,
    SearchMode,
    TokenUsage,
    TraceId,
    WorkspacePath,
)

from kebab_wire.answer import (
    wire_answer,
    wire_answer_claim,
    wire_answer_event,
    wire_answer_list,
    wire_answer_record,
)
from kebab_wire.base import WireObject
from kebab_wire.examples.places import EARLIER, START
from kebab_wire.examples.searches import COVERAGE, HIT

_QUESTION = "코드 블록은 언제 나누나요?"
_TEXT = "코드 블록과 표는 되도록 통째로 둔다. [1]\n상한을 넘을 때만 나눈다. [1]"
_ANSWER = Answer(
    answer=_TEXT,
    markers=tuple(
        AnswerMarker(number=1, start=found.start(), end=found.end()) for found in finditer(r"\[1\]", _TEXT)
    ),
    citations=(
        AnswerCitation(marker="[1]", citation=HIT.citation, indexed_at=START, stale=False, score=0.88),
    ),
    grounded=True,
    model=ModelRef(id="extractive", provider="extractive"),
    prompt_template_version=PromptTemplateVersion("rag-v3"),
    retrieval=AnswerRetrievalSummary(
        trace_id=TraceId("ret_4a8b2c1e90d37f56"),
        mode=SearchMode.LEXICAL,
        k=10,
        score_gate=0.3,
        top_score=0.88,
        chunks_returned=8,
        chunks_used=3,
    ),
    usage=TokenUsage(prompt_tokens=612, completion_tokens=31, latency_ms=48),
    created_at=START,
)
_LINES = LineCitation(path=HIT.doc_path, start=11, end=11, section="규칙")
_QUOTE = "코드 블록과 표는 되도록 통째로 둔다."
_NEAR = LineCitation(path=WorkspacePath("가계부/2025.md"), start=1, end=8, section="지출")
_REFUSAL = _ANSWER.model_copy(
    update={
        "answer": "근거가 부족합니다. 찾은 문서에는 이 질문의 답이 없습니다.",
        "markers": (),
        "citations": (
            AnswerCitation(marker=None, citation=_NEAR, indexed_at=EARLIER, stale=True, score=0.21),
        ),
        "grounded": False,
        "refusal_reason": RefusalReason.SCORE_GATE,
        "retrieval": _ANSWER.retrieval.model_copy(update={"top_score": 0.21, "chunks_used": 0}),
        "usage": TokenUsage(latency_ms=14),
    }
)


def _events() -> tuple[AnswerEvent, ...]:
    return (
        RetrievalDone(ts=START, hits=(HIT,), coverage=COVERAGE),
        AnswerToken(ts=START, delta="[1]", marker=1),
        AnswerFinal(ts=START, answer=_ANSWER),
    )


def build_answers() -> dict[str, WireObject]:
    """Return answers stored and not stored, refusals, and an event of every kind by name."""
    return {
        "answer": wire_answer(_ANSWER, coverage=COVERAGE),
        "answer.refusal": wire_answer(_REFUSAL),
        "answer.explained": wire_answer(
            _ANSWER, claims=[wire_answer_claim(_QUOTE, [("[1]", _LINES, f"- {_QUOTE}")])], hits=[HIT]
        ),
        "answer.not_persisted": wire_answer(_ANSWER, persisted=False),
        **{f"answer_event.{event.kind}": wire_answer_event(event, coverage=COVERAGE) for event in _events()},
        "answer_record": wire_answer_record(_QUESTION, _ANSWER),
        "answer_list": wire_answer_list([("매출은 얼마인가요?", _REFUSAL), (_QUESTION, _ANSWER)]),
    }
