"""Whether the models that the settings name can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import EmbeddingKind, ExternalError, InputError
from kebab_ingest import Verifiable

from kebab_app.doctor.finding import NOT_CONFIGURED, Problem

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def check_embedding_model(base: KnowledgeBase) -> str:
    """Return which model makes vectors, after it has made one.

    Raises:
        Problem: It cannot be used.
    """
    settings = base.loaded.settings.models.embedding
    try:
        embedder = base.embedder
        if embedder is None:
            return NOT_CONFIGURED
        if isinstance(embedder, Verifiable):
            embedder.verify()
        embedder.embed(["kebab"], EmbeddingKind.QUERY)
        identity = embedder.identity
    except (ExternalError, InputError) as error:
        hint = error.hint or 'set provider = "none" in [models.embedding] to search by words only'
        raise Problem(f"{error.message}; search uses words only", hint=hint) from error
    threads = settings.threads or "as many threads as it likes"
    running = f"{threads} threads" if settings.threads else threads
    return f"{settings.provider} {identity.model_id} {identity.model_version}, {identity.dimensions} dimensions, {running}"


def check_nli_model(base: KnowledgeBase) -> str:
    """Return what checks answers.

    Raises:
        Problem: It is not in order.
    """
    provider = base.loaded.settings.models.nli.provider
    if provider == "none":
        return NOT_CONFIGURED
    raise Problem(
        f"provider {provider!r} is not part of this version", hint='set provider = "none" in [models.nli]'
    )


def check_ollama_reachable(base: KnowledgeBase) -> str:
    """Return whether the model server answers."""
    return _require_no_model_server(base)


def check_ollama_model_pulled(base: KnowledgeBase) -> str:
    """Return whether the model server has the model."""
    return _require_no_model_server(base)


def _require_no_model_server(base: KnowledgeBase) -> str:
    settings = base.loaded.settings.models.llm
    if settings.provider == "extractive":
        return NOT_CONFIGURED
    raise Problem(
        f"provider {settings.provider!r} is not part of this version",
        hint='set provider = "extractive" in [models.llm]',
    )
