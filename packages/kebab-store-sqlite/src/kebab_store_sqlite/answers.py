"""The store of answers and of the conversations that they belong to."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from kebab_core import (
    DEFAULT_SOURCE_ID,
    Answer,
    ChatSession,
    InvalidInputError,
    RefusalReason,
    SessionId,
    SourceId,
    TraceId,
    Turn,
    WorkspacePath,
    hash_canonical,
)
from pydantic import JsonValue

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.schema import as_model, insert_statement, json_array, json_text, timestamp

_READ = "SELECT query, answer_json FROM answers"
_DOCUMENT_URI = "substr(json_extract(value, '$.uri'), 1, instr(json_extract(value, '$.uri'), '#') - 1)"
_FIND = f"""
    SELECT trace_id FROM answers
    WHERE (:before IS NULL OR created_at < :before)
      AND (:session IS NULL OR json_extract(answer_json, '$.conversation_id') = :session) AND (:path IS NULL
      OR EXISTS (
        SELECT 1 FROM json_each(citations_json) WHERE json_extract(value, '$.citation.path') = :path
          AND (:source IS NULL OR json_extract(value, '$.citation.source_id') = :source)
      )
      OR EXISTS (
        SELECT 1 FROM json_each(coalesce(packed_chunks_json, '[]'))
        WHERE iif(:source IS NULL, substr({_DOCUMENT_URI}, instr({_DOCUMENT_URI}, ':') + 1), {_DOCUMENT_URI}) = :document_uri
      )
      OR (refusal_reason = '{RefusalReason.LLM_STREAM_ABORTED}' AND packed_chunks_json IS NULL))
    ORDER BY created_at DESC, rowid DESC
"""
_DELETE = "DELETE FROM answers WHERE trace_id = ?"
_DELETE_TURN = """
    DELETE FROM chat_turns WHERE (session_id, turn_index) IN (
      SELECT json_extract(answer_json, '$.conversation_id'), json_extract(answer_json, '$.turn_index')
      FROM answers WHERE trace_id = ?)
"""
_APPEND_TURN = """
    INSERT INTO chat_turns (turn_id, session_id, turn_index, question, answer, citations_json, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_NEXT_TURN_INDEX = "SELECT coalesce(max(turn_index) + 1, 0) FROM chat_turns WHERE session_id = ?"
_SESSION = "SELECT * FROM chat_sessions WHERE session_id = ?"
_SESSIONS = "SELECT * FROM chat_sessions ORDER BY updated_at DESC, rowid DESC LIMIT ?"
_TURNS = """
    SELECT question, answer, citations_json, created_at FROM chat_turns WHERE session_id = ? ORDER BY turn_index
"""
_TOUCH_SESSION = "UPDATE chat_sessions SET updated_at = max(updated_at, ?) WHERE session_id = ?"


class SqliteAnswerRepo:
    """Implements `AnswerRepo`; recording a trace id again replaces its answer, and appending a turn updates the time of last use."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def record(self, *, question: str, answer: Answer, packed_chunks: JsonValue | None = None) -> None:
        """Store one answer."""
        row = _answer_row(question, answer)
        row["packed_chunks_json"] = None if packed_chunks is None else json_text(packed_chunks)
        self._db.write(insert_statement("answers", row, verb="INSERT OR REPLACE"), row)

    def get(self, trace_id: TraceId) -> tuple[str, Answer] | None:
        """Return a question and its answer."""
        return self._db.read_first(f"{_READ} WHERE trace_id = ?", (trace_id,), _answer_of)

    def recent(self, *, limit: int = 20) -> list[tuple[str, Answer]]:
        """Return questions with answers, newest first."""
        return self._db.read_all(
            f"{_READ} ORDER BY created_at DESC, rowid DESC LIMIT ?", (limit,), _answer_of
        )

    def find(
        self,
        *,
        before: datetime | None = None,
        path: WorkspacePath | None = None,
        source_id: SourceId | None = None,
        session_id: SessionId | None = None,
    ) -> list[TraceId]:
        """Return the ids of answers, newest first."""
        parameters = {
            "before": before and timestamp(before),
            "path": path,
            "source": source_id,
            "session": session_id,
            "document_uri": path and _document_uri(source_id, path),
        }
        return self._db.read_all(_FIND, parameters, lambda row: TraceId(row["trace_id"]))

    def delete(self, trace_ids: Sequence[TraceId]) -> int:
        """Delete answers, and the turns of conversations that hold them.

        Returns:
            The number of answers deleted.
        """
        with self._db.writing() as connection:
            connection.executemany(_DELETE_TURN, [(trace_id,) for trace_id in trace_ids])
            count = connection.executemany(_DELETE, [(trace_id,) for trace_id in trace_ids]).rowcount
            self._note_deleted(connection, count)
            return max(count, 0)

    def _note_deleted(self, connection: sqlite3.Connection, count: int) -> None:
        from kebab_store_sqlite.erasure import note_erasure

        if count > 0:
            note_erasure(connection, at=timestamp(self._db.clock.now()))

    def create_session(self, session: ChatSession) -> None:
        """Store a new session.

        Raises:
            InvalidInputError: The id exists.
        """
        row = {
            "session_id": session.session_id,
            "created_at": timestamp(session.created_at),
            "updated_at": timestamp(session.updated_at),
            "title": session.title,
            "config_snapshot_json": json_text(session.config_snapshot),
        }
        if self._db.write(insert_statement("chat_sessions", row) + " ON CONFLICT DO NOTHING", row) == 0:
            raise InvalidInputError(
                "there is a conversation {session_id!r} already", _session_id=session.session_id
            )

    def get_session(self, session_id: SessionId) -> ChatSession | None:
        """Return one session."""
        return self._db.read_first(_SESSION, (session_id,), as_model(ChatSession))

    def list_sessions(self, *, limit: int = 20) -> list[ChatSession]:
        """Return sessions, last used first."""
        return self._db.read_all(_SESSIONS, (limit,), as_model(ChatSession))

    def delete_session(self, session_id: SessionId) -> bool:
        """Delete a session with its turns.

        Returns:
            True if it existed.
        """
        with self._db.writing() as connection:
            count = connection.execute(
                "DELETE FROM chat_sessions WHERE session_id = ?", (session_id,)
            ).rowcount
            self._note_deleted(connection, count)
        return count > 0

    def append_turn(self, session_id: SessionId, turn: Turn) -> int:
        """Store a turn.

        Returns:
            Its index, from 0.

        Raises:
            InvalidInputError: There is no such session.
        """
        stamp = timestamp(turn.created_at)
        citations = json_array([citation.model_dump_json() for citation in turn.citations])
        with self._db.writing() as connection:
            if connection.execute(_TOUCH_SESSION, (stamp, session_id)).rowcount == 0:
                raise InvalidInputError("there is no conversation {session_id!r}", session_id=session_id)
            index = int(connection.execute(_NEXT_TURN_INDEX, (session_id,)).fetchone()[0])
            turn_id = hash_canonical({"kind": "turn", "session_id": session_id, "turn_index": index})[:32]
            connection.execute(
                _APPEND_TURN, (turn_id, session_id, index, turn.question, turn.answer, citations, stamp)
            )
        return index

    def list_turns(self, session_id: SessionId) -> list[Turn]:
        """Return the turns of a session, in order."""
        return self._db.read_all(_TURNS, (session_id,), as_model(Turn))


def _answer_of(row: sqlite3.Row) -> tuple[str, Answer]:
    return row["query"], Answer.model_validate_json(row["answer_json"])


def _document_uri(source_id: SourceId | None, path: WorkspacePath) -> str:
    """Return a document's part of a citation URI; without a source for the default one and for any source."""
    prefix = "" if source_id in {None, DEFAULT_SOURCE_ID} else f"{source_id}:"
    return prefix + quote(path, safe="/")


def _answer_row(question: str, answer: Answer) -> dict[str, object]:
    retrieval, usage = answer.retrieval, answer.usage
    return {
        "trace_id": retrieval.trace_id,
        "query": question,
        "answer": answer.answer,
        "grounded": answer.grounded,
        "refusal_reason": answer.refusal_reason,
        "model_id": answer.model.id,
        "model_provider": answer.model.provider,
        "embedding_model_id": answer.embedding and answer.embedding.id,
        "embedding_dimensions": answer.embedding and answer.embedding.dimensions,
        "prompt_template_version": answer.prompt_template_version,
        "retrieval_mode": retrieval.mode,
        "retrieval_k": retrieval.k,
        "score_gate": retrieval.score_gate,
        "top_score": retrieval.top_score,
        "chunks_returned": retrieval.chunks_returned,
        "chunks_used": retrieval.chunks_used,
        "citations_json": json_array([citation.model_dump_json() for citation in answer.citations]),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "latency_ms": usage.latency_ms,
        "created_at": timestamp(answer.created_at),
        "answer_json": answer.model_dump_json(),
    }
