"""Examples of answers, refusals, events of a stream, and explanations of `kebab why`."""

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
    ChatSession,
    Claim,
    ClaimCheck,
    ClaimReview,
    ClaimSource,
    ClaimVerdict,
    DroppedClaim,
    HopDone,
    HopRecord,
    LineCitation,
    LineSpan,
    ModelRef,
    PromptTemplateVersion,
    RefusalReason,
    RetrievalDone,
    RuleOrigin,
    ScoreKind,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SessionId,
    SkipReason,
    TokenUsage,
    TraceId,
    Turn,
    WorkspacePath,
)
from kebab_wire import (
    LegFailureV1,
    WhyDocumentV1,
    WhyFailureV1,
    WhyLegV1,
    WhyPassageV1,
    WhyRuleV1,
    WhyStepV1,
    WhyTermV1,
    WhyV1,
    WireObject,
    wire_agent_answer,
    wire_answer,
    wire_answer_event,
    wire_answer_list,
    wire_answer_record,
    wire_query,
    wire_session,
    wire_session_list,
)

from tools.wire.examples.documents import CHUNK_IDS, DOC_ID, EARLIER, ROOT, START
from tools.wire.examples.searches import COVERAGE, HIT

_QUESTION = "코드 블록은 언제 나누나요?"
_TEXT = "코드 블록과 표는 되도록 통째로 둔다. [1]\n상한을 넘을 때만 나눈다. [1]"
_LINES = LineCitation(path=HIT.doc_path, start=11, end=11, section="규칙")
_QUOTE = "코드 블록과 표는 되도록 통째로 둔다."
_ANSWER = Answer(
    answer=_TEXT,
    markers=tuple(
        AnswerMarker(number=1, start=found.start(), end=found.end()) for found in finditer(r"\[1\]", _TEXT)
    ),
    citations=(
        AnswerCitation(
            marker="[1]",
            citation=_LINES,
            passage=HIT.citation,
            indexed_at=START,
            stale=False,
            score=0.88,
        ),
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
_NEAREST = "확실하지 않습니다. 가장 가까운 내용:"
_NOT_SURE = _REFUSAL.model_copy(
    update={
        "answer": f"{_NEAREST}\n{_QUOTE} [1]",
        "markers": (AnswerMarker(number=1, start=77, end=80),),
        "citations": (
            AnswerCitation(
                marker="[1]",
                citation=_LINES,
                passage=HIT.citation,
                indexed_at=START,
                stale=False,
                score=0.41,
            ),
        ),
        "refusal_reason": RefusalReason.WEAK_SUPPORT,
    }
)


_SESSION = ChatSession(session_id=SessionId("가계부"), created_at=EARLIER, updated_at=START, title=_QUESTION)
_TURN = Turn(question=_QUESTION, answer=_TEXT, citations=_ANSWER.citations, created_at=START)
_CLAIM = Claim(
    text=_QUOTE,
    sources=(ClaimSource(marker="[1]", citation=_LINES, quote=f"- {_QUOTE}"),),
    verdict=ClaimVerdict.QUOTED,
)
_REVIEW = ClaimReview(
    written=2,
    dropped=(DroppedClaim(text="표는 40줄마다 나눈다.", check=ClaimCheck.FIGURE, detail="40"),),
    repaired=True,
)

_HOP = HopRecord(
    iter=0,
    kind="decompose",
    sub_queries=("표는 어디에서 나누나요?",),
    context_chunks_added=2,
    llm_call_ms=900,
)


def _events() -> tuple[AnswerEvent, ...]:
    return (
        HopDone(ts=START, hop=_HOP),
        RetrievalDone(ts=START, hits=(HIT,), coverage=COVERAGE),
        AnswerToken(ts=START, delta="[1]", marker=1),
        AnswerFinal(ts=START, answer=_ANSWER),
    )


def build_answers() -> dict[str, WireObject]:
    """Return answers stored and not stored, refusals, and an event of every kind by name."""
    answered = _ANSWER.model_copy(update={"claims": (_CLAIM,)})
    return {
        "answer": wire_answer(answered, coverage=COVERAGE),
        "answer.refusal": wire_answer(_REFUSAL),
        "answer.not_sure": wire_answer(_NOT_SURE),
        "answer.explained": wire_answer(answered.model_copy(update={"review": _REVIEW}), hits=[HIT]),
        "answer.not_persisted": wire_answer(answered, persisted=False),
        "answer_brief": wire_agent_answer(_ANSWER, coverage=COVERAGE),
        "answer_brief.refusal": wire_agent_answer(_REFUSAL),
        **{f"answer_event.{event.kind}": wire_answer_event(event, coverage=COVERAGE) for event in _events()},
        "answer_record": wire_answer_record(_QUESTION, answered),
        "session": wire_session(_SESSION, [_TURN]),
        "session_list": wire_session_list([_SESSION]),
        "answer_list": wire_answer_list([("매출은 얼마인가요?", _REFUSAL), (_QUESTION, _ANSWER)]),
    }


_SOURCE = WhyStepV1(name="source", state="ok", detail=f"default: {ROOT}")
_RULES = WhyStepV1(name="rules", state="ok", detail="no rule leaves it out")


def build_explanations() -> dict[str, WireObject]:
    """Return examples of `why.v1` by name."""
    return {"why": _left_out(), "why.failed": _failed(), "why.query": _filtered_out()}


def _left_out() -> WhyV1:
    detail = "the folder 초안 is ignored by line 2 of .gitignore: 초안/"
    fix = "delete line 2 of .gitignore, or add the line !/초안/ at its end; then kebab ingest"
    return WhyV1(
        asked="초안/청킹.md",
        verdict="left_out",
        summary=f"초안/청킹.md is not found: {detail}",
        fix=fix,
        steps=(_SOURCE, WhyStepV1(name="rules", state="stop", detail=detail, fix=fix)),
        source_id="default",
        doc_path="초안/청킹.md",
        disk_path=f"{ROOT}/초안/청킹.md",
        rule=WhyRuleV1(
            reason=SkipReason.GITIGNORE,
            path=WorkspacePath("초안"),
            is_folder=True,
            origin=RuleOrigin.IGNORE_FILE,
            name=".gitignore",
            pattern="초안/",
            line=2,
        ),
    )


def _failed() -> WhyV1:
    detail = "it could not be read at 2026-03-02 09:30 UTC: Permission denied"
    return WhyV1(
        asked="잠김.md",
        verdict="failed",
        summary=f"잠김.md is not found: {detail}",
        fix="mend the file or leave it out; then kebab ingest 잠김.md",
        steps=(_SOURCE, _RULES, WhyStepV1(name="ingest", state="stop", detail=detail)),
        source_id="default",
        doc_path="잠김.md",
        disk_path=f"{ROOT}/잠김.md",
        failure=WhyFailureV1(stage="read", code="io_error", message="Permission denied", at=START),
    )


def _filtered_out() -> WhyV1:
    query = SearchQuery(
        text="청크 크기", mode=SearchMode.HYBRID, filters=SearchFilters.model_validate({"lang": ("en",)})
    )
    failure = LegFailureV1(code="not_indexed", message="no passage has a vector yet", hint="kebab embed")
    return WhyV1(
        asked=str(DOC_ID),
        query=wire_query(query),
        verdict="filtered_out",
        summary="설계/청킹.md is not found: kept out by --lang (the file has ko)",
        fix="search without --lang",
        steps=(
            _SOURCE,
            _RULES,
            WhyStepV1(
                name="filters",
                state="stop",
                detail="kept out by --lang (the file has ko)",
                fix="search without --lang",
            ),
            WhyStepV1(name="order", state="ok", detail="it is hit 1 of 12 without these filters"),
        ),
        source_id="default",
        doc_path="설계/청킹.md",
        disk_path=f"{ROOT}/설계/청킹.md",
        document=WhyDocumentV1(
            doc_id=DOC_ID,
            title="청킹",
            lang="ko",
            media="markdown",
            indexed_at=EARLIER,
            stale=True,
            change="edited",
            is_external=False,
            passage_count=1,
            embedded_count=0,
        ),
        passages=(
            WhyPassageV1(
                chunk_id=CHUNK_IDS[0],
                ordinal=0,
                heading_path=("청킹", "크기"),
                uri="%EC%84%A4%EA%B3%84/%EC%B2%AD%ED%82%B9.md#L5-L9",
                source_spans=(LineSpan(start=5, end=9),),
                token_estimate=120,
                has_vector=False,
                terms=("청크", "크기"),
            ),
        ),
        terms=(
            WhyTermV1(text="청크", kind="term", weight=2.31, searched=True, in_index=14, passages=(0,)),
            WhyTermV1(text="크기", kind="term", weight=3.02, searched=True, in_index=5, passages=(0,)),
        ),
        legs=(
            WhyLegV1(
                mode=SearchMode.LEXICAL,
                rank=1,
                score=7.9,
                score_kind=ScoreKind.BM25,
                chunk_id=CHUNK_IDS[0],
                looked_at=12,
                matches=True,
                filtered=False,
            ),
            WhyLegV1(
                mode=SearchMode.VECTOR, rank=None, looked_at=0, matches=False, filtered=False, failure=failure
            ),
        ),
    )
