"""Conversations: listed, shown, and deleted with their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import InvalidInputError, Remedy, SessionId
from kebab_store_sqlite import hold_writer_lock

from kebab_app.stored_answers import Erasure

if TYPE_CHECKING:
    from kebab_core import ChatSession, Turn

    from kebab_app.knowledge_base import KnowledgeBase


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
        from kebab_store_sqlite import SqliteChatSessionRepo

        if not self.base.has_database:
            return []
        return SqliteChatSessionRepo(self.base.open_for_reading()).list_sessions(limit=limit)

    def show(self, name: str) -> Conversation:
        """Return a conversation.

        Raises:
            InvalidInputError: There is none with this name.
        """
        from kebab_store_sqlite import SqliteChatSessionRepo

        repo = SqliteChatSessionRepo(self.base.open_for_reading()) if self.base.has_database else None
        session = repo.get_session(SessionId(name)) if repo else None
        if repo is None or session is None:
            raise InvalidInputError(
                "there is no conversation {session_id!r}",
                remedy=Remedy(kind="list_sessions"),
                session_id=name,
            )
        return Conversation(session, tuple(repo.list_turns(session.session_id)))

    def delete(self, name: str) -> Erasure:
        """Delete a conversation with its answers, and erase them from the files of the database.

        Raises:
            InvalidInputError: There is none with this name.
            ReadonlyModeError: Writing is switched off or impossible.
            LockedError: Another process is writing.
            StorageError: The disk is full.
        """
        from kebab_store_sqlite import SqliteAnswerRepo, SqliteChatSessionRepo, erase_deleted

        self.base.require_writable()
        session_id = self.show(name).session.session_id
        with hold_writer_lock(self.base.data_dir):
            database = self.base.open_for_writing()
            answers = SqliteAnswerRepo(database)
            trace_ids = tuple(answers.find(session_id=session_id))
            answers.delete(trace_ids)
            SqliteChatSessionRepo(database).delete_session(session_id)
            is_erased = erase_deleted(database, compact=True)
        return Erasure(answers=trace_ids, sessions=(session_id,), erased=is_erased)
