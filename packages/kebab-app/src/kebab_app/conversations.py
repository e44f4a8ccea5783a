"""Conversations: listed, shown, and deleted with their answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import ChatSession, InvalidInputError, Remedy, SessionId, Turn

from kebab_app.store import begin_erasure, end_erasure, erase_deleted, hold_writer_lock
from kebab_app.stored_answers import Erasure, list_answers, show_answer

if TYPE_CHECKING:
    from kebab_core import Answer

    from kebab_app.knowledge_base import KnowledgeBase

_NAME_CHARS = 40


_ANSWERS = 500
"""Newest stored answers, among which those of a conversation are looked up."""


class Conversation(NamedTuple):
    """A conversation with its turns, oldest first."""

    session: ChatSession
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class Conversations:
    """The conversations of a knowledge base."""

    base: KnowledgeBase

    def list(self, *, limit: int = 20) -> list[ChatSession]:
        """List conversations, last used first; none where there is no database yet."""
        if not self.base.has_database:
            return []
        return self.base.history.answers.list_sessions(limit=limit)

    def show(self, name: str) -> Conversation:
        """Return a conversation.

        Raises:
            InvalidInputError: There is none with this name.
        """
        repo = self.base.history.answers if self.base.has_database else None
        session = repo.get_session(SessionId(name)) if repo else None
        if repo is None or session is None:
            raise InvalidInputError(
                "there is no conversation {session_id!r}",
                remedy=Remedy(kind="list_stored", name="sessions"),
                session_id=name,
            )
        return Conversation(session, tuple(repo.list_turns(session.session_id)))

    def find_answers(self, conversation: Conversation) -> tuple[Answer | None, ...]:
        """Return the answer of each turn of a conversation; None where it is no longer stored."""
        stored = {
            (question, each.created_at): each for question, each in list_answers(self.base, limit=_ANSWERS)
        }
        return tuple(stored.get((each.question, each.created_at)) for each in conversation.turns)

    def begin(self, trace_id: str) -> SessionId:
        """Begin a conversation with a stored answer as its first turn, and return its name: the question, or its beginning.

        Raises:
            InvalidInputError: No answer is stored under this id.
            ReadonlyModeError: Writing is switched off or impossible.
            LockedError: Another process is writing.
        """
        self.base.require_writable()
        question, answer = show_answer(self.base, trace_id)
        with hold_writer_lock(self.base.data_dir):
            self.base.open_for_writing()
            repo, start = self.base.history.answers, " ".join(question.split())[:_NAME_CHARS].strip()
            names = chain([start], (f"{start} {number}" for number in count(2)))
            name = next(SessionId(each) for each in names if repo.get_session(SessionId(each)) is None)
            at = answer.created_at
            repo.create_session(ChatSession(session_id=name, created_at=at, updated_at=at, title=question))
            citations = answer.citations if answer.grounded else ()
            repo.append_turn(
                name, Turn(question=question, answer=answer.answer, citations=citations, created_at=at)
            )
        return name

    def delete(self, name: str) -> Erasure:
        """Delete a conversation with its answers, and erase them from the files of the database.

        Raises:
            InvalidInputError: There is none with this name.
            ReadonlyModeError: Writing is switched off or impossible.
            LockedError: Another process is writing.
            StorageError: The disk is full.
        """
        self.base.require_writable()
        session_id = self.show(name).session.session_id
        with hold_writer_lock(self.base.data_dir):
            database, history = self.base.open_for_writing(), self.base.history
            begin_erasure(database, at=self.base.clock.now())
            trace_ids = tuple(history.answers.find(session_id=session_id))
            history.answers.delete(trace_ids)
            history.answers.delete_session(session_id)
            if is_erased := erase_deleted(database, compact=True):
                end_erasure(database)
        return Erasure(answers=trace_ids, sessions=(session_id,), erased=is_erased)
