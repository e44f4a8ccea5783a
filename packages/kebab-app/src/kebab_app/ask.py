"""Asking: grounded answers from the knowledge base, or refusals that say why."""

from __future__ import annotations

import unicodedata
from contextlib import closing
from typing import TYPE_CHECKING

from kebab_config import EXTRACTIVE_PROVIDER
from kebab_core import (
    MODEL_FAILURES,
    AnswerFinal,
    InvalidInputError,
    ModelRef,
    PromptTemplateVersion,
    Remedy,
    SearchMode,
    TokenCounter,
)

from kebab_app.requests import choose_mode
from kebab_app.search import search

if TYPE_CHECKING:
    from collections.abc import Generator

    from kebab_core import (
        Answer,
        AnswerEvent,
        AnswerReader,
        AnswerRepo,
        CancelToken,
        Embedder,
        EmbeddingSettings,
        IndexVersion,
        LanguageModel,
        LlmSettings,
        SearchQuery,
        SearchResponse,
        StorageError,
    )
    from kebab_rag import AskRequest, PassageReader, RagPipeline

    from kebab_app.knowledge_base import KnowledgeBase

_RAW_PREFIX = "raw:"
_OF_MARKED_TEXT = frozenset({"rag-v1", "rag-v2", "rag-v3"})
"""Templates after which a model writes text with markers; those of later versions name sentences."""


def build_request(base: KnowledgeBase, question: str) -> AskRequest:
    """Build a request from the question alone, in the default mode."""
    from kebab_rag import AskRequest

    return AskRequest(question=question, mode=choose_mode(base))


def ask(
    base: KnowledgeBase, request: AskRequest | str, *, keep: bool = True, cancel: CancelToken | None = None
) -> Answer:
    """Answer a question with citations that can be opened, or refuse. See `ask_stream`."""
    asked = build_request(base, request) if isinstance(request, str) else request
    with closing(ask_stream(base, asked, keep=keep, cancel=cancel)) as events:
        return next(event.answer for event in events if isinstance(event, AnswerFinal))


def ask_stream(
    base: KnowledgeBase, request: AskRequest, *, keep: bool = True, cancel: CancelToken | None = None
) -> Generator[AnswerEvent, None, None]:
    """Stream an answer as it is written. See `kebab_rag.RagPipeline.stream`.

    Where nothing can be written, the answer is not stored. Temperature and seed that the request leaves open are those
    of the settings.

    Args:
        base: The knowledge base.
        request: The question.
        keep: Store the answer where that is possible.
        cancel: Stops its searches.

    Returns:
        The events; close them to stop.

    Raises:
        InvalidInputError: There is no word in the question, or it is full-text syntax, which is for search; or it is to be
            taken apart, which the extractive reader cannot do.
        NotIndexedError: Nothing has been indexed yet, or not in the way that the mode asks for.
        ConfigInvalidError: There is no such model of answers as is configured, the mode asks for vectors and the
            settings do not fit their model, or `rag.nli_threshold` asks for a check without a model.
        ModelMissingError: The model of that check, or the reranker, is not on this machine.
        ModelCorruptError: It is damaged.
        WorkCancelledError: It was cancelled.
    """
    _require_words(request.question)
    pipeline = build_rag(base, request.mode, keep=keep, cancel=cancel)
    return pipeline.stream(_complete(request, base.loaded.settings.models.llm))


def build_rag(
    base: KnowledgeBase, mode: SearchMode, *, keep: bool, cancel: CancelToken | None = None
) -> RagPipeline:
    """Build the pipeline that answers questions. See `ask_stream` for its errors.

    Args:
        base: The knowledge base.
        mode: Mode of its searches.
        keep: Store the answers where that is possible.
        cancel: Stops its searches.
    """
    from kebab_rag import RagPipeline

    settings, embedder = base.loaded.settings, _find_embedder(base, mode)
    return RagPipeline(
        retriever=_UseCaseRetriever(base, cancel),
        documents=base.index.documents,
        reader=build_passage_reader(base),
        model=_build_model(base, embedder),
        answers=_find_answers(base) if keep else None,
        sessions=base.history.answers if keep else None,
        counter=TokenCounter(),
        analyzer=base.analyzer,
        clock=base.clock,
        settings=settings.rag.model_copy(update={"prompt_template_version": find_template(base)}),
        search=settings.search,
        embedder=embedder,
        embedding=None if embedder is None else _name_embedding(embedder, settings.models.embedding),
        nli=base.nli_verifier if settings.rag.nli_threshold > 0 else None,
        rerank=base.reranker is not None,
    )


def build_passage_reader(base: KnowledgeBase) -> PassageReader:
    """Build the reader of the passages that answers cite."""
    from kebab_documents import read_text
    from kebab_rag import PassageReader

    documents = base.index.documents
    return PassageReader(documents, lambda doc_id: read_text(doc_id, documents))


def _build_model(base: KnowledgeBase, embedder: Embedder | None) -> LanguageModel | AnswerReader:
    settings = base.loaded.settings.models.llm
    if settings.provider == EXTRACTIVE_PROVIDER:
        from kebab_extractive import ExtractiveReader

        centroids = None
        if embedder is not None:
            from kebab_app.vector_leg import read_centroids

            centroids = read_centroids(base.index.embeddings, embedder.identity).questions
        return ExtractiveReader(
            analyzer=base.analyzer, index=base.index.terms, embedder=embedder, centroids=centroids
        )
    from kebab_core import LanguageModelServices

    from kebab_app.wiring import build_model

    services = LanguageModelServices(
        api_key=base.loaded.llm_api_key, models_dir=str(base.loaded.paths.models_dir)
    )
    return build_model(settings, services)


def find_template(base: KnowledgeBase) -> PromptTemplateVersion:
    """Return the template in force; the extractive reader has no prompt, so its answers name one of marked text."""
    settings = base.loaded.settings
    is_chat = settings.models.llm.provider != EXTRACTIVE_PROVIDER
    version = settings.rag.prompt_template_version
    return PromptTemplateVersion(version if is_chat or version in _OF_MARKED_TEXT else "rag-v3")


def _name_embedding(embedder: Embedder, settings: EmbeddingSettings) -> ModelRef:
    identity = embedder.identity
    return ModelRef(id=identity.model_id, provider=settings.provider, dimensions=identity.dimensions)


def _find_embedder(base: KnowledgeBase, mode: SearchMode) -> Embedder | None:
    """Return the embedding model of the search, None where it is lexical or the model cannot be used."""
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
            "`{prefix}` is full-text syntax; ask in plain words",
            remedy=Remedy(kind="show_usage", name="search"),
            _prefix=_RAW_PREFIX,
        )
    if not any(char.isalnum() or unicodedata.category(char)[0] == "S" for char in text):
        raise InvalidInputError("the question has no words", remedy=Remedy(kind="give_question"))


def _complete(request: AskRequest, settings: LlmSettings) -> AskRequest:
    configured = {"temperature": settings.temperature, "seed": settings.seed}
    left_open = {name: value for name, value in configured.items() if getattr(request, name) is None}
    return request.model_copy(update=left_open)


def keeps_answers(base: KnowledgeBase) -> bool:
    """Return True where answers are stored: not where writing is switched off or impossible."""
    return not base.readonly and not base.open_for_reading().readonly


def _find_answers(base: KnowledgeBase) -> AnswerRepo | StorageError | None:
    """Return the store of answers, or why they cannot be stored; None where they are not to be."""
    database = base.open_for_reading()
    if base.unwritable is not None:
        return base.unwritable
    return None if database.readonly else base.history.answers


class _UseCaseRetriever:
    """The search use case as a `Retriever`: with files that have changed on disk since."""

    def __init__(self, base: KnowledgeBase, cancel: CancelToken | None) -> None:
        self._base = base
        self._cancel = cancel

    def search(self, query: SearchQuery) -> SearchResponse:
        """Find passages. See `kebab_app.search.search`; a question in single quotes is a question, not syntax.

        Raises:
            InvalidInputError: It has no word, or is full-text syntax.
        """
        text = query.text.strip().strip("'")
        _require_words(text)
        return search(self._base, query.model_copy(update={"text": text}), cancel=self._cancel)

    def index_version(self) -> IndexVersion:
        """Return the label of the index."""
        return self._base.retriever.index_version()
