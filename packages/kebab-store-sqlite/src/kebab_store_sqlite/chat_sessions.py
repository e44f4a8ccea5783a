"""Conversations."""

from __future__ import annotations

import json
import sqlite3

from kebab_core import ChatSession, InvalidInputError, SessionId, Turn, hash_canonical

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.json_fields import json_array, json_text
from kebab_store_sqlite.timestamps import timestamp

_CREATE = """
    INSERT INTO chat_sessions (session_id, created_at, updated_at, title, config_snapshot_json)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_APPEND = """
    INSERT INTO chat_turns (turn_id, session_id, turn_index, question, answer, citations_json, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_NEXT_INDEX = "SELECT coalesce(max(turn_index) + 1, 0) FROM chat_turns WHERE session_id = ?"
_USED = "UPDATE chat_sessions SET updated_at = max(updated_at, ?) WHERE session_id = ?"


class SqliteChatSessionRepo:
    """Implements `ChatSessionRepo`; a turn makes its conversation the last used."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def create_session(self, session: ChatSession) -> None:
        """Store a new conversation.

        Raises:
            InvalidInputError: There is one with this id.
        """
        row = (
            session.session_id,
            timestamp(session.created_at),
            timestamp(session.updated_at),
            session.title,
            json_text(session.config_snapshot),
        )
        with self._db.writing() as connection:
            if connection.execute(_CREATE, row).rowcount == 0:
                raise InvalidInputError(f"there is a conversation {session.session_id!r} already")

    def get_session(self, session_id: SessionId) -> ChatSession | None:
        """Return one conversation."""
        with self._db.reading() as connection:
            row = connection.execute(
                "SELECT * FROM chat_sessions WHERE session_id = ?", (session_id,)
            ).fetchone()
            return None if row is None else _session_of(row)

    def list_sessions(self, *, limit: int = 20) -> list[ChatSession]:
        """Return conversations, last used first."""
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM chat_sessions ORDER BY updated_at DESC, rowid DESC LIMIT ?", (limit,)
            )
            return [_session_of(row) for row in rows]

    def delete_session(self, session_id: SessionId) -> bool:
        """Delete a conversation with its turns.

        Returns:
            Whether it existed.
        """
        with self._db.writing() as connection:
            gone = connection.execute(
                "DELETE FROM chat_sessions WHERE session_id = ?", (session_id,)
            ).rowcount
        return gone > 0

    def append_turn(self, session_id: SessionId, turn: Turn) -> int:
        """Store a turn.

        Returns:
            Its index, from 0.

        Raises:
            InvalidInputError: There is no such conversation.
        """
        stamp = timestamp(turn.created_at)
        citations = json_array([citation.model_dump_json() for citation in turn.citations])
        with self._db.writing() as connection:
            if connection.execute(_USED, (stamp, session_id)).rowcount == 0:
                raise InvalidInputError(f"there is no conversation {session_id!r}", session_id=session_id)
            index = int(connection.execute(_NEXT_INDEX, (session_id,)).fetchone()[0])
            turn_id = hash_canonical({"kind": "turn", "session_id": session_id, "turn_index": index})[:32]
            connection.execute(
                _APPEND, (turn_id, session_id, index, turn.question, turn.answer, citations, stamp)
            )
        return index

    def list_turns(self, session_id: SessionId) -> list[Turn]:
        """Return a conversation's turns in order."""
        with self._db.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM chat_turns WHERE session_id = ? ORDER BY turn_index", (session_id,)
            )
            return [_turn_of(row) for row in rows]


def _session_of(row: sqlite3.Row) -> ChatSession:
    return ChatSession(
        session_id=row["session_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        title=row["title"],
        config_snapshot=json.loads(row["config_snapshot_json"]),
    )


def _turn_of(row: sqlite3.Row) -> Turn:
    return Turn(
        question=row["question"],
        answer=row["answer"],
        citations=json.loads(row["citations_json"]),
        created_at=row["created_at"],
    )
