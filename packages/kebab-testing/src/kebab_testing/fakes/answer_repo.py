"""Answers in memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from kebab_core import DEFAULT_SOURCE_ID, Answer, RefusalReason, SourceId, TraceId, WorkspacePath


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

    def find(
        self,
        *,
        before: datetime | None = None,
        path: WorkspacePath | None = None,
        source_id: SourceId | None = None,
    ) -> list[TraceId]:
        """Return the ids of answers, newest first."""
        rows = zip(self._rows, self.packed, strict=True)
        found = [
            answer
            for (_, answer), packed in rows
            if (before is None or answer.created_at < before)
            and (path is None or _quotes(answer, packed, path=path, source_id=source_id))
        ]
        found.sort(key=lambda answer: answer.created_at)
        return [answer.retrieval.trace_id for answer in reversed(found)]

    def delete(self, trace_ids: Sequence[TraceId]) -> int:
        """Forget answers.

        Returns:
            How many of them there were.
        """
        kept = [
            place
            for place, (_, answer) in enumerate(self._rows)
            if answer.retrieval.trace_id not in trace_ids
        ]
        gone = len(self._rows) - len(kept)
        self._rows = [self._rows[place] for place in kept]
        self.packed = [self.packed[place] for place in kept]
        return gone


def _quotes(answer: Answer, packed: object, *, path: WorkspacePath, source_id: SourceId | None) -> bool:
    if answer.refusal_reason is RefusalReason.LLM_STREAM_ABORTED and packed is None:
        return True
    cited = [(cited.citation.source_id, quote(cited.citation.path)) for cited in answer.citations]
    uris = [str(chunk["uri"]).partition("#")[0] for chunk in packed] if isinstance(packed, list) else []
    made_of = [tuple(([DEFAULT_SOURCE_ID, *uri.split(":")])[-2:]) for uri in uris]
    return any(place == quote(path) and source_id in {None, source} for source, place in (*cited, *made_of))
