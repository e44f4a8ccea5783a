"""Laws of `AnswerRepo`: sessions and their turns."""

from __future__ import annotations

from datetime import timedelta

import pytest
from kebab_core import (
    AnswerCitation,
    AnswerRepo,
    ChatSession,
    InvalidInputError,
    PageCitation,
    SessionId,
    Turn,
    WorkspacePath,
)

from kebab_testing.fakes.clock import START


class ChatSessionRepoLaws:
    """Subclass it and override the `sessions` fixture with an empty repository."""

    @pytest.fixture
    def sessions(self) -> AnswerRepo:
        """Give an empty repository."""
        raise NotImplementedError

    def test_a_conversation_comes_back_equal(self, sessions: AnswerRepo) -> None:
        session = _session("a", title="규칙", snapshot={"llm.model": "없음"})
        sessions.create_session(session)
        assert sessions.get_session(SessionId("a")) == session
        assert sessions.get_session(SessionId("b")) is None
        assert sessions.list_turns(SessionId("a")) == []

    def test_a_name_is_given_once(self, sessions: AnswerRepo) -> None:
        sessions.create_session(_session("a"))
        with pytest.raises(InvalidInputError):
            sessions.create_session(_session("a", title="other"))
        assert sessions.list_sessions() == [_session("a")]

    def test_turns_are_counted_from_zero_and_kept_in_order(self, sessions: AnswerRepo) -> None:
        for name in ("a", "b"):
            sessions.create_session(_session(name))
        turns = [_turn(hour) for hour in (3, 1, 2)]
        assert [sessions.append_turn(SessionId("a"), turn) for turn in turns] == [0, 1, 2]
        assert sessions.append_turn(SessionId("b"), turns[0]) == 0
        assert sessions.list_turns(SessionId("a")) == turns

    def test_a_turn_for_nobody_is_the_callers_mistake(self, sessions: AnswerRepo) -> None:
        with pytest.raises(InvalidInputError):
            sessions.append_turn(SessionId("nobody"), _turn(0))

    def test_conversations_come_last_used_first(self, sessions: AnswerRepo) -> None:
        for name in ("a", "b", "c"):
            sessions.create_session(_session(name))
        sessions.append_turn(SessionId("b"), _turn(2))
        sessions.append_turn(SessionId("a"), _turn(1))
        assert [session.session_id for session in sessions.list_sessions()] == ["b", "a", "c"]
        assert [session.session_id for session in sessions.list_sessions(limit=1)] == ["b"]

    def test_a_deleted_conversation_takes_its_turns_along(self, sessions: AnswerRepo) -> None:
        sessions.create_session(_session("a"))
        sessions.append_turn(SessionId("a"), _turn(1))
        assert sessions.delete_session(SessionId("a"))
        assert not sessions.delete_session(SessionId("a"))
        sessions.create_session(_session("a"))
        assert sessions.list_turns(SessionId("a")) == []


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
