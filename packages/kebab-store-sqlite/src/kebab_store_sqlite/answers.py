"""Every answer given."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from kebab_core import DEFAULT_SOURCE_ID, Answer, RefusalReason, SourceId, TraceId, WorkspacePath
from pydantic import JsonValue

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.erasure import note_erasure
from kebab_store_sqlite.json_fields import json_array, json_text
from kebab_store_sqlite.timestamps import timestamp

_COLUMNS = [
    "trace_id",
    "query",
    "answer",
    "grounded",
    "refusal_reason",
    "model_id",
    "model_provider",
    "embedding_model_id",
    "embedding_dimensions",
    "prompt_template_version",
    "retrieval_mode",
    "retrieval_k",
    "score_gate",
    "top_score",
    "chunks_returned",
    "chunks_used",
    "citations_json",
    "packed_chunks_json",
    "prompt_tokens",
    "completion_tokens",
    "latency_ms",
    "created_at",
    "answer_json",
]
_INSERT = f"INSERT OR REPLACE INTO answers ({', '.join(_COLUMNS)}) VALUES (:{', :'.join(_COLUMNS)})"  # noqa: S608

_PLACE = "substr(json_extract(value, '$.uri'), 1, instr(json_extract(value, '$.uri'), '#') - 1)"
_FIND = f"""
    SELECT trace_id FROM answers
    WHERE (:before IS NULL OR created_at < :before) AND (:path IS NULL
      OR EXISTS (
        SELECT 1 FROM json_each(citations_json) WHERE json_extract(value, '$.citation.path') = :path
          AND (:source IS NULL OR json_extract(value, '$.citation.source_id') = :source)
      )
      OR EXISTS (
        SELECT 1 FROM json_each(coalesce(packed_chunks_json, '[]'))
        WHERE iif(:source IS NULL, substr({_PLACE}, instr({_PLACE}, ':') + 1), {_PLACE}) = :place
      )
      OR (refusal_reason = '{RefusalReason.LLM_STREAM_ABORTED}' AND packed_chunks_json IS NULL))
    ORDER BY created_at DESC, rowid DESC
"""  # noqa: S608 - our own words
_DELETE = "DELETE FROM answers WHERE trace_id = ?"


class SqliteAnswerRepo:
    """Implements `AnswerRepo`; recording a trace id again replaces it."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def record(self, *, question: str, answer: Answer, packed_chunks: JsonValue | None = None) -> None:
        """Store one answer."""
        row = _answer_row(question, answer)
        row["packed_chunks_json"] = None if packed_chunks is None else json_text(packed_chunks)
        with self._db.writing() as connection:
            connection.execute(_INSERT, row)

    def get(self, trace_id: TraceId) -> tuple[str, Answer] | None:
        """Return a question and its answer."""
        found = self._read("WHERE trace_id = ?", trace_id)
        return found[0] if found else None

    def recent(self, *, limit: int = 20) -> list[tuple[str, Answer]]:
        """Return questions with answers, newest first."""
        return self._read("ORDER BY created_at DESC, rowid DESC LIMIT ?", limit)

    def find(
        self,
        *,
        before: datetime | None = None,
        path: WorkspacePath | None = None,
        source_id: SourceId | None = None,
    ) -> list[TraceId]:
        """Return the ids of answers, newest first."""
        parameters = {
            "before": before and timestamp(before),
            "path": path,
            "source": source_id,
            "place": path and _place_of(source_id, path),
        }
        with self._db.reading() as connection:
            return [TraceId(row["trace_id"]) for row in connection.execute(_FIND, parameters)]

    def delete(self, trace_ids: Sequence[TraceId]) -> int:
        """Delete answers.

        Returns:
            How many of them there were.
        """
        with self._db.writing() as connection:
            count = connection.executemany(_DELETE, [(trace_id,) for trace_id in trace_ids]).rowcount
            if count > 0:
                note_erasure(connection, at=timestamp(self._db.clock.now()))
            return max(count, 0)

    def _read(self, which: str, parameter: str | int) -> list[tuple[str, Answer]]:
        with self._db.reading() as connection:
            rows = connection.execute(f"SELECT query, answer_json FROM answers {which}", (parameter,))  # noqa: S608
            return [(row["query"], Answer.model_validate_json(row["answer_json"])) for row in rows]


def _place_of(source_id: SourceId | None, path: WorkspacePath) -> str:
    """Return a document as the URI of a citation names it, without its source where any source will do."""
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
