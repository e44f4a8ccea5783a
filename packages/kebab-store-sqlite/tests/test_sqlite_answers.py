"""Answers and conversations: stored, found and deleted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from kebab_core import (
    Answer,
    AnswerCitation,
    ChatSession,
    HopRecord,
    InvalidInputError,
    ModelRef,
    PageCitation,
    RefusalReason,
    SessionId,
    SourceId,
    TraceId,
    Turn,
    VerificationSummary,
    WorkspacePath,
)
from kebab_store_sqlite import SqliteAnswerRepo, SqliteDatabase
from kebab_testing.fakes.clock import START
from kebab_testing.records import build_answer


@pytest.fixture
def answers(database: SqliteDatabase) -> SqliteAnswerRepo:
    return SqliteAnswerRepo(database)


def test_an_answer_comes_back_whole(answers: SqliteAnswerRepo) -> None:
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


def test_a_refusal_is_an_answer_too(answers: SqliteAnswerRepo) -> None:
    answer = build_answer("ret_0000000000000001", refusal=RefusalReason.SCORE_GATE)
    answers.record(question="q", answer=answer)
    assert answers.recent() == [("q", answer)]


def test_an_unknown_trace_is_none(answers: SqliteAnswerRepo) -> None:
    assert answers.get(TraceId("ret_ffffffffffffffff")) is None


def test_recent_answers_come_newest_first(answers: SqliteAnswerRepo) -> None:
    for hour in range(3):
        answer = build_answer(f"ret_{hour:016x}")
        answer = answer.model_copy(update={"created_at": START + timedelta(hours=hour)})
        answers.record(question=str(hour), answer=answer)
    assert [question for question, _ in answers.recent()] == ["2", "1", "0"]
    assert [question for question, _ in answers.recent(limit=1)] == ["2"]


def test_answers_are_found_by_time(answers: SqliteAnswerRepo) -> None:
    for hour in range(3):
        answer = build_answer(f"ret_{hour:016x}")
        answers.record(
            question="", answer=answer.model_copy(update={"created_at": START + timedelta(hours=hour)})
        )
    assert answers.find() == [f"ret_{hour:016x}" for hour in (2, 1, 0)]
    assert answers.find(before=START + timedelta(hours=1)) == ["ret_0000000000000000"]


def test_answers_are_found_by_what_they_cite_or_were_made_of(answers: SqliteAnswerRepo) -> None:
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


def test_an_answer_that_was_broken_off_may_rest_on_anything(answers: SqliteAnswerRepo) -> None:
    broken_off = build_answer("ret_1", refusal=RefusalReason.LLM_STREAM_ABORTED)
    answers.record(question="", answer=broken_off)
    answers.record(question="", answer=_other_id(broken_off, "ret_2"), packed_chunks=[{"uri": "a.md#L1"}])
    assert answers.find(path=WorkspacePath("b.md")) == ["ret_1"]


def test_a_deleted_answer_is_gone_and_others_stay(answers: SqliteAnswerRepo) -> None:
    for trace_id in ("ret_1", "ret_2", "ret_3"):
        answers.record(question=trace_id, answer=build_answer(trace_id))
    assert answers.delete([TraceId("ret_1"), TraceId("ret_3"), TraceId("ret_9")]) == 2
    assert [question for question, _ in answers.recent()] == ["ret_2"]
    assert answers.get(TraceId("ret_1")) is None
    assert answers.delete([]) == 0


def test_a_conversation_comes_back_equal(answers: SqliteAnswerRepo) -> None:
    session = _session("a", title="규칙", snapshot={"llm.model": "없음"})
    answers.create_session(session)
    assert answers.get_session(SessionId("a")) == session
    assert answers.get_session(SessionId("b")) is None
    assert answers.list_turns(SessionId("a")) == []


def test_a_name_is_given_once(answers: SqliteAnswerRepo) -> None:
    answers.create_session(_session("a"))
    with pytest.raises(InvalidInputError):
        answers.create_session(_session("a", title="other"))
    assert answers.list_sessions() == [_session("a")]


def test_turns_are_counted_from_zero_and_kept_in_order(answers: SqliteAnswerRepo) -> None:
    for name in ("a", "b"):
        answers.create_session(_session(name))
    turns = [_turn(hour) for hour in (3, 1, 2)]
    assert [answers.append_turn(SessionId("a"), turn) for turn in turns] == [0, 1, 2]
    assert answers.append_turn(SessionId("b"), turns[0]) == 0
    assert answers.list_turns(SessionId("a")) == turns


def test_a_turn_for_nobody_is_the_callers_mistake(answers: SqliteAnswerRepo) -> None:
    with pytest.raises(InvalidInputError):
        answers.append_turn(SessionId("nobody"), _turn(0))


def test_conversations_come_last_used_first(answers: SqliteAnswerRepo) -> None:
    for name in ("a", "b", "c"):
        answers.create_session(_session(name))
    answers.append_turn(SessionId("b"), _turn(2))
    answers.append_turn(SessionId("a"), _turn(1))
    assert [session.session_id for session in answers.list_sessions()] == ["b", "a", "c"]
    assert [session.session_id for session in answers.list_sessions(limit=1)] == ["b"]


def test_a_deleted_conversation_takes_its_turns_along(answers: SqliteAnswerRepo) -> None:
    answers.create_session(_session("a"))
    answers.append_turn(SessionId("a"), _turn(1))
    assert answers.delete_session(SessionId("a"))
    assert not answers.delete_session(SessionId("a"))
    answers.create_session(_session("a"))
    assert answers.list_turns(SessionId("a")) == []


def _other_id(answer: Answer, trace_id: str) -> Answer:
    retrieval = answer.retrieval.model_copy(update={"trace_id": TraceId(trace_id)})
    return answer.model_copy(update={"retrieval": retrieval})


def _session(name: str, *, title: str | None = None, snapshot: dict[str, str] | None = None) -> ChatSession:
    return ChatSession(
        session_id=SessionId(name),
        created_at=START,
        updated_at=START,
        title=title,
        config_snapshot=snapshot or {},
    )


def _turn(hour: int) -> Turn:
    citation = PageCitation(path=WorkspacePath("논문.pdf"), page=3)
    cited = AnswerCitation(marker=None, citation=citation, indexed_at=START, stale=True)
    return Turn(
        question=f"질문 {hour}", answer="답", citations=(cited,), created_at=START + timedelta(hours=hour)
    )
