"""Asking as a use case: grounded answers from the knowledge base, or refusals that say why."""

from __future__ import annotations

import unicodedata
from contextlib import closing
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    AnswerFinal,
    InvalidInputError,
    SearchMode,
    StorageError,
    TraceId,
)

from kebab_app.search import search
from kebab_app.wiring import build_rag

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from kebab_core import (
        Answer,
        AnswerEvent,
        AnswerRepo,
        Embedder,
        IndexVersion,
        LlmSettings,
        SearchQuery,
        SearchResponse,
    )
    from kebab_rag import AskRequest

    from kebab_app.knowledge_base import KnowledgeBase

_RAW_PREFIX = "raw:"


def ask(base: KnowledgeBase, request: AskRequest) -> Answer:
    """Return an answer whose every citation can be opened, or a refusal. See `ask_stream`."""
    with closing(ask_stream(base, request)) as events:
        return next(event.answer for event in events if isinstance(event, AnswerFinal))


def ask_stream(
    base: KnowledgeBase, request: AskRequest, *, keep: bool = True
) -> Generator[AnswerEvent, None, None]:
    """Return an answer as it comes about. See `kebab_rag.RagPipeline.stream`.

    Where nothing can be written, the answer is given all the same and not stored. Temperature and seed that the
    request leaves open are those of the settings.

    Args:
        base: The knowledge base.
        request: What is asked.
        keep: Store the answer where that is possible.

    Returns:
        The events; close them to stop.

    Raises:
        InvalidInputError: There is no word in the question, or it is full-text syntax, which is for search.
        NotIndexedError: Nothing has been indexed yet, or not in the way that the mode asks for.
        ConfigInvalidError: There is no such model of answers as is configured, or the mode asks for vectors and the
            settings do not fit their model.
    """
    _require_words(request.question)
    pipeline = build_rag(
        base.loaded.settings,
        retriever=_UseCaseRetriever(base),
        documents=base.documents,
        index=base.lexical_index,
        analyzer=base.analyzer,
        answers=_find_answers(base) if keep else None,
        clock=base.clock,
        embedder=_find_embedder(base, request.mode),
    )
    return pipeline.stream(_complete(request, base.loaded.settings.models.llm))


def _find_embedder(base: KnowledgeBase, mode: SearchMode) -> Embedder | None:
    """Return the model of the search, None where it is by words alone or the model cannot be used."""
    if mode is SearchMode.LEXICAL or not base.has_vectors:
        return None
    try:
        embedder = base.question_embedder
        _ = embedder and embedder.identity  # asks a model server whether it is there
    except MODEL_FAILURES:
        return None
    return embedder


def _require_words(question: str) -> None:
    text = question.strip()
    if text.startswith(_RAW_PREFIX):
        raise InvalidInputError(
            f"`{_RAW_PREFIX}` is full-text syntax, which `search` understands; ask in words",
            hint="kebab search --help",
        )
    if not any(char.isalnum() or unicodedata.category(char)[0] == "S" for char in text):
        raise InvalidInputError("the question has no words", hint='kebab ask "…"')


def _complete(request: AskRequest, settings: LlmSettings) -> AskRequest:
    configured = {"temperature": settings.temperature, "seed": settings.seed}
    left_open = {name: value for name, value in configured.items() if getattr(request, name) is None}
    return request.model_copy(update=left_open)


def keeps_answers(base: KnowledgeBase) -> bool:
    """Return whether answers are stored: not where writing is switched off or impossible."""
    return not base.readonly and not base.open_for_reading().readonly


def list_answers(base: KnowledgeBase, *, limit: int) -> list[tuple[str, Answer]]:
    """Return questions and answers that were stored, newest first; none where there is no database yet."""
    from kebab_store_sqlite import SqliteAnswerRepo

    return SqliteAnswerRepo(base.open_for_reading()).recent(limit=limit) if base.has_database else []


def show_answer(base: KnowledgeBase, trace_id: str) -> tuple[str, Answer]:
    """Return a question and its answer.

    Args:
        base: The knowledge base.
        trace_id: The id of the answer, or a beginning that only this id has.

    Raises:
        InvalidInputError: No answer is stored under this trace id, or several are.
    """
    from kebab_store_sqlite import SqliteAnswerRepo

    from kebab_app.stored_answers import find_answer

    repo = SqliteAnswerRepo(base.open_for_reading()) if base.has_database else None
    found = repo.get(find_answer(repo, trace_id)) if repo else None
    if found is None:
        raise InvalidInputError(
            f"no answer is stored as {trace_id!r}", hint="kebab answers list", trace_id=trace_id
        )
    return found


def _find_answers(base: KnowledgeBase) -> AnswerRepo | None:
    from kebab_store_sqlite import SqliteAnswerRepo

    database = base.open_for_reading()
    if base.unwritable is not None:
        return _NoRoom(base.unwritable.message)
    return None if database.readonly else SqliteAnswerRepo(database)


class _NoRoom:
    """Implements `AnswerRepo` where the disk takes nothing more."""

    def __init__(self, why: str) -> None:
        self._why = why

    def record(self, *, question: str, answer: Answer, packed_chunks: object = None) -> None:  # noqa: ARG002
        """Store nothing.

        Raises:
            StorageError: Always.
        """
        raise StorageError(self._why)

    def get(self, trace_id: TraceId) -> None:
        """Return nothing."""

    def recent(self, *, limit: int = 20) -> list[tuple[str, Answer]]:  # noqa: ARG002
        """Return nothing."""
        return []

    def find(self, **_conditions: object) -> list[TraceId]:
        """Return nothing."""
        return []

    def delete(self, trace_ids: Sequence[TraceId]) -> int:  # noqa: ARG002
        """Delete nothing.

        Returns:
            0.
        """
        return 0


class _UseCaseRetriever:
    """Search as users know it, which also tells what has changed on disk since."""

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return hits. See `kebab_app.search.search`; a question in single quotes is a question, not syntax."""
        return search(self._base, query.model_copy(update={"text": query.text.strip().strip("'")}))

    def index_version(self) -> IndexVersion:
        """Return the label of the index."""
        return self._base.retriever.index_version()
