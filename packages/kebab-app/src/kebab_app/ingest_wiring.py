"""The resources of ingest and embedding runs, made from an open knowledge base: its stores, files, models and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kebab_ingest import EmbeddingResources, IngestResources, ReadyModel, build_scope, find_model, limit_trust
from kebab_runtime import TaskLimits

from kebab_app.source_connectors import SourceConnectors
from kebab_app.vector_coverage import count_passages_that_may_wait
from kebab_app.wiring import PreparerRecipe, build_content_filter, build_processor

if TYPE_CHECKING:
    from kebab_core import SourceScope, SourceSettings, VectorMatrix
    from kebab_ingest import FoundModel, SourceTarget

    from kebab_app.knowledge_base import KnowledgeBase
    from kebab_app.wiring import RecipeRow

BYTES_PER_MB = 1024 * 1024


def build_ingest_resources(
    base: KnowledgeBase, *, recipes: Sequence[RecipeRow] | None = None, embed: bool = True
) -> IngestResources:
    """Build the resources of a run over the real files and the real store.

    Args:
        base: The knowledge base.
        recipes: Rows of the media that are read; None is the built-in ones.
        embed: Whether vectors are made; chunks wait for them in any case.

    Raises:
        ReadonlyModeError: Writing is switched off.
    """
    from kebab_store_sqlite import SqliteIngestRunRepo, SqliteJobRepo

    settings, database = base.loaded.settings.ingest, base.open_for_writing()
    model = find_model(lambda: base.embedder)
    if isinstance(model, ReadyModel) and not embed:  # an embedding pass does so itself
        base.embeddings.request(model.identity)
    return IngestResources(
        connector=build_connector(base),
        documents=base.documents,
        source_files=base.source_files,
        assets=base.assets,
        runs=SqliteIngestRunRepo(database),
        jobs=SqliteJobRepo(database),
        processor=build_processor(settings, analyzer=base.analyzer, recipes=recipes),
        clock=base.clock,
        content=build_content_filter(settings.code),
        scope_of=partial(build_source_scope, base),
        settings_at=lambda source, path: limit_trust(source, path, settings.external),
        workers=settings.workers,
        worker_factory=PreparerRecipe(
            ingest=settings,
            data_dir=base.data_dir,
            copy_threshold_bytes=database.copy_threshold_bytes,
            sources=_list_sources(base),
            recipes=recipes,
        ),
        limits=TaskLimits(cpu_s=settings.extract_timeout_s, memory_mb=settings.extract_memory_mb),
        embedding=build_embedding_resources(base, model) if model and embed else None,
    )


def build_embedding_resources(base: KnowledgeBase, model: FoundModel) -> EmbeddingResources:
    """Build the resources of an embedding pass.

    Args:
        base: The knowledge base, open for writing.
        model: The configured model, or why it cannot be used.
    """
    return EmbeddingResources(
        model=model,
        repo=base.embeddings,
        store=base.vectors,
        cache=base.derivation_cache,
        clock=base.clock,
        max_cache_bytes=base.loaded.settings.storage.cache_mb * BYTES_PER_MB,
        settings_json=base.loaded.settings.models.embedding.model_dump_json(),
        compute_query_centroids=_compute_query_centroids,
        count_waiting=lambda: count_passages_that_may_wait(base),
        titles=base.documents.list_titles,
    )


def _compute_query_centroids(embed: Callable[[Sequence[str]], VectorMatrix], titles: Iterable[str]) -> bytes:
    from kebab_search import compute_centroids

    return compute_centroids(embed, titles).encode()


def build_source_scope(base: KnowledgeBase, target: SourceTarget) -> SourceScope:
    """Build the scope that the connector gets for a target."""
    settings = base.loaded.settings
    return build_scope(target, data_dir=base.data_dir, workspace=settings.workspace, ingest=settings.ingest)


def build_connector(base: KnowledgeBase) -> SourceConnectors:
    """Build the connector that scans and reads all sources, and explains why a path is taken or left out."""
    return SourceConnectors(_list_sources(base), base.loaded.settings.ingest.code)


def _list_sources(base: KnowledgeBase) -> tuple[SourceSettings, ...]:
    return tuple(source.settings for source in base.sources)
