"""`session.v1` and `session_list.v1`: conversations, and their turns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from kebab_core import ChatSession, Turn

from kebab_wire.answer import AnswerCitationV1, wire_answer_citation
from kebab_wire.base import Timestamp, WireObject, WirePart, mirror
from kebab_wire.search import FileFinder


class SessionEntryV1(WirePart):
    """A conversation."""

    session_id: str
    """Its name."""
    title: str | None
    """Its first question."""
    created_at: Timestamp
    updated_at: Timestamp
    """Time of its last turn."""


class SessionListV1(WireObject):
    """Conversations, last used first."""

    schema_version: Literal["session_list.v1"] = "session_list.v1"
    sessions: tuple[SessionEntryV1, ...]


class SessionTurnV1(Turn, WirePart):
    """A question and its answer."""

    citations: tuple[AnswerCitationV1, ...]  # type: ignore[assignment]  # with the paths of their files


class SessionV1(WireObject):
    """A conversation with its turns, oldest first."""

    schema_version: Literal["session.v1"] = "session.v1"
    session: SessionEntryV1
    turns: tuple[SessionTurnV1, ...]


def wire_session_list(sessions: Iterable[ChatSession]) -> SessionListV1:
    """Return conversations for the wire, in the order given."""
    return SessionListV1(sessions=tuple(mirror(SessionEntryV1, session) for session in sessions))


def wire_session(
    session: ChatSession, turns: Iterable[Turn], *, find_file: FileFinder | None = None
) -> SessionV1:
    """Return a conversation for the wire."""
    return SessionV1(
        session=mirror(SessionEntryV1, session),
        turns=tuple(
            mirror(
                SessionTurnV1,
                turn,
                citations=tuple(wire_answer_citation(each, find_file) for each in turn.citations),
            )
            for turn in turns
        ),
    )
