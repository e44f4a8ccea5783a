"""The resources of ingest and embedding runs, made from an open knowledge base: its stores, files, models and settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kebab_core import ExternalError, InputError
from kebab_ingest import (
    EmbeddingResources,
    IngestResources,
    OcrResources,
    ReadingCache,
    ReadyModel,
    describe_failure,
)
from kebab_runtime import TaskLimits

from kebab_app.ocr import PictureReaderRecipe, find_ocr_engine
from kebab_app.source_connectors import SourceConnectors
from kebab_app.wiring import PreparerRecipe, build_content_filter, build_processor

if TYPE_CHECKING:
    from kebab_core import (
        DocumentId,
        OcrReading,
        PictureDocument,
        SourceSettings,
        TrackedFile,
        VectorMatrix,
    )
    from kebab_ingest import FoundModel

    from kebab_app.knowledge_base import KnowledgeBase
    from kebab_app.wiring import RecipeRow

BYTES_PER_MB = 1024 * 1024


def build_ingest_resources(
    base: KnowledgeBase,
    *,
    recipes: Sequence[RecipeRow] | None = None,
    embed: bool = True,
    ocr: bool = True,
) -> IngestResources:
    """Build the resources of a run over the real files and the real store.

    Args:
        base: The knowledge base.
        recipes: Rows of the media that are read; None is the built-in ones.
        embed: Whether vectors are made; chunks wait for them in any case.
        ocr: Whether text in pictures is recognised; pictures wait for it in any case.

    Raises:
        ReadonlyModeError: Writing is switched off.
    """
    settings, database = base.loaded.settings.ingest, base.open_for_writing()
    model = _find_model(base)
    if isinstance(model, ReadyModel) and not embed:  # an embedding pass does so itself
        base.index.embeddings.request(model.identity)
    return IngestResources(
        connector=build_connector(base),
        documents=base.index.documents,
        source_files=base.index.source_files,
        jobs=base.history.jobs,
        processor=build_processor(settings, analyzer=base.analyzer, recipes=recipes),
        clock=base.clock,
        content=build_content_filter(settings.code),
        data_dir=base.data_dir,
        workspace=base.loaded.settings.workspace,
        settings=settings,
        workers=settings.workers,
        worker_factory=PreparerRecipe(
            ingest=settings,
            data_dir=base.data_dir,
            copy_threshold_bytes=database.copy_threshold_bytes,
            sources=_list_sources(base),
            recipes=recipes,
        ),
        limits=TaskLimits(cpu_s=settings.extract_timeout_s, memory_mb=settings.extract_memory_mb),
        find_readings=partial(_find_readings, base),
        ocr=_build_ocr_resources(base) if ocr else None,
        embedding=build_embedding_resources(base, model) if model and embed else None,
    )


def _find_readings(base: KnowledgeBase, file: TrackedFile) -> Mapping[int, OcrReading]:
    """Find what the document of a file was built with."""
    pages = base.index.pictures.get_pages(file.doc_id)
    return _build_reading_cache(base).load_stored(file.checksum, pages)


def _build_reading_cache(base: KnowledgeBase) -> ReadingCache:
    return ReadingCache(cache=base.index.derivation_cache, clock=base.clock)


def _build_ocr_resources(base: KnowledgeBase) -> OcrResources:
    """Build the resources of a pass over pictures."""
    settings = base.loaded.settings.ingest
    return OcrResources(
        find_engine=find_ocr_engine,
        reader_factory=PictureReaderRecipe(data_dir=base.data_dir, pdf=settings.pdf),
        pictures=base.index.pictures,
        readings=_build_reading_cache(base),
        settings=settings.ocr,
        find_shown=partial(find_shown, base),
        workers=settings.workers or os.cpu_count() or 1,
    )


def find_shown(base: KnowledgeBase, pictures: Collection[PictureDocument]) -> frozenset[DocumentId]:
    """Select those of some pictures that a note or another document shows or links to."""
    return frozenset(picture.doc_id for picture in pictures if picture.doc_id in base.showing)


def _find_model(base: KnowledgeBase) -> FoundModel | None:
    """Find the embedding model; None where none is configured.

    A model that is missing, damaged or out of reach is no error here: lexical search works without it.
    """
    try:
        embedder = base.embedder
        return None if embedder is None else ReadyModel(embedder=embedder, identity=embedder.identity)
    except (ExternalError, InputError) as error:
        return describe_failure(error)


def build_embedding_resources(
    base: KnowledgeBase, model: FoundModel, *, activates: bool = True
) -> EmbeddingResources:
    """Build the resources of an embedding pass.

    Args:
        base: The knowledge base, open for writing.
        model: The configured model, or why it cannot be used.
        activates: Whether searches use the model once every passage has its vector.
    """
    from kebab_app.coverage import count_passages_that_may_wait

    return EmbeddingResources(
        model=model,
        repo=base.index.embeddings,
        store=base.vectors,
        documents=base.index.documents,
        clock=base.clock,
        max_cache_bytes=base.loaded.settings.storage.cache_mb * BYTES_PER_MB,
        settings_json=base.loaded.settings.models.embedding.model_dump_json(),
        compute_query_centroids=_compute_query_centroids,
        activates=activates,
        count_waiting=lambda: count_passages_that_may_wait(base),
    )


def _compute_query_centroids(embed: Callable[[Sequence[str]], VectorMatrix], titles: Iterable[str]) -> bytes:
    from kebab_search import compute_centroids

    return compute_centroids(embed, titles).encode()


def build_connector(base: KnowledgeBase) -> SourceConnectors:
    """Build the connector that scans and reads all sources, and explains why a path is taken or left out."""
    return SourceConnectors(_list_sources(base), base.loaded.settings.ingest.code)


def _list_sources(base: KnowledgeBase) -> tuple[SourceSettings, ...]:
    return tuple(source.settings for source in base.sources)
