"""Answers in memory."""

from __future__ import annotations

from kebab_core import Answer, TraceId


class InMemoryAnswerRepo:
    """Implements `AnswerRepo`.

    Attributes:
        packed: What each recorded answer was said to be made of, in order of recording.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[str, Answer]] = []
        self.packed: list[object] = []

    def record(self, *, question: str, answer: Answer, packed_chunks: object = None) -> None:
        """Keep one answer."""
        self._rows.append((question, answer))
        self.packed.append(packed_chunks)

    def get(self, trace_id: TraceId) -> tuple[str, Answer] | None:
        """Return the last question and answer under a trace id."""
        return next((row for row in reversed(self._rows) if row[1].retrieval.trace_id == trace_id), None)

    def recent(self, *, limit: int = 20) -> list[tuple[str, Answer]]:
        """Return questions with answers, newest first."""
        newest_last = sorted(self._rows, key=lambda row: row[1].created_at)
        return newest_last[::-1][:limit]
