"""The resources of ingest and embedding runs, made from an open knowledge base: its stores, files, models and settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kebab_core import (
    PICTURE_SUFFIXES,
    ExternalError,
    InputError,
    SourceId,
    SurroundedPicture,
    Surroundings,
)
from kebab_ingest import (
    CaptionCache,
    CaptionResources,
    EmbeddingResources,
    IngestResources,
    OcrResources,
    PictureResources,
    ReadingCache,
    ReadyModel,
    describe_failure,
    select_pictures,
    select_recordings,
)
from kebab_runtime import TaskLimits

from kebab_app.asr import MAX_TRANSCRIBERS, SpeechReaderRecipe, find_subtitled, find_transcriber
from kebab_app.content import build_content_filter
from kebab_app.ocr import PictureReaderRecipe, find_ocr_engine
from kebab_app.source_connectors import SourceConnectors
from kebab_app.wiring import PreparerRecipe, build_processor

if TYPE_CHECKING:
    from kebab_core import (
        DocumentId,
        PictureDocument,
        SourceSettings,
        VectorMatrix,
    )
    from kebab_ingest import FoundModel

    from kebab_app.knowledge_base import KnowledgeBase
    from kebab_app.recipe_rows import RecipeRow

BYTES_PER_MB = 1024 * 1024
_MAX_SURROUNDING = 3
"""Documents whose words are those of a picture that they show."""


def build_ingest_resources(
    base: KnowledgeBase,
    *,
    recipes: Sequence[RecipeRow] | None = None,
    embed: bool = True,
    ocr: bool = True,
    cluster: str = "",
) -> IngestResources:
    """Build the resources of a run over the real files and the real store.

    Args:
        base: The knowledge base.
        recipes: Rows of the media that are read; None is the built-in ones.
        embed: Whether vectors are made; chunks wait for them in any case.
        ocr: Whether text in pictures and speech in recordings are recognised; both wait for it in any case.
        cluster: Address of the Ray cluster that does so; empty is none.

    Raises:
        ReadonlyModeError: Writing is switched off.
    """
    resources = _build_local_resources(base, recipes=recipes, embed=embed, ocr=ocr)
    return _move_to_cluster(base, resources, cluster) if cluster else resources


def _move_to_cluster(base: KnowledgeBase, resources: IngestResources, address: str) -> IngestResources:
    """Have a cluster do the work of worker processes and of the bundled model."""
    from kebab_config import secure_cluster

    from kebab_app.cluster import BundledEmbedderRecipe, ClusterEmbedder, build_cluster_resources

    secure_cluster()

    def move(pass_: OcrResources | None) -> OcrResources | None:
        return pass_ and replace(pass_, cluster=address)

    recipe, embedding = resources.worker_factory, resources.embedding
    settings = base.loaded.settings.models.embedding
    if (
        embedding is not None
        and isinstance(model := embedding.model, ReadyModel)
        and settings.provider == "bundled"
    ):
        bundled = BundledEmbedderRecipe(settings, model.identity)
        embedder = ClusterEmbedder(model.embedder, address, bundled)
        embedding = replace(embedding, model=replace(model, embedder=embedder))
    return replace(
        resources,
        cluster=build_cluster_resources(address, recipe) if isinstance(recipe, PreparerRecipe) else None,
        ocr=move(resources.ocr),
        asr=move(resources.asr),
        embedding=embedding,
    )


def _build_local_resources(
    base: KnowledgeBase, *, recipes: Sequence[RecipeRow] | None, embed: bool, ocr: bool
) -> IngestResources:
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
        pictures=build_picture_resources(base),
        ocr=_build_ocr_resources(base) if ocr else None,
        asr=_build_asr_resources(base) if ocr else None,
        captions=_build_caption_resources(base) if ocr and settings.caption.model else None,
        embedding=build_embedding_resources(base, model) if model and embed else None,
    )


def build_picture_resources(base: KnowledgeBase) -> PictureResources:
    """Build what is known of pictures."""
    caption = base.loaded.settings.ingest.caption
    return PictureResources(
        pictures=base.index.pictures,
        readings=ReadingCache(pictures=base.index.pictures, clock=base.clock),
        sources={SourceId(source.id): source for source in _list_sources(base)},
        captions=CaptionCache(pictures=base.index.pictures, clock=base.clock, model=caption.model)
        if caption.model
        else None,
        find_surrounded=partial(_find_surrounded, base),
    )


def _find_surrounded(base: KnowledgeBase) -> dict[DocumentId, SurroundedPicture]:
    if not base.index.pictures.list_shown():
        return {}  # without looking at all documents
    entries = {entry.doc_id: entry for entry in base.index.documents.list_entries()}
    found: dict[DocumentId, SurroundedPicture] = {}
    for doc_id, showing in base.showing.items():
        entry = entries[doc_id]
        if not entry.doc_path.lower().endswith(PICTURE_SUFFIXES):
            continue
        labels = (label for each in showing[:_MAX_SURROUNDING] for label in (each.entry.title, *each.labels))
        tags = sorted({tag for each in showing for tag in each.entry.tags})
        surroundings = Surroundings(
            labels=tuple(dict.fromkeys(labels)),
            tags=tuple(tags),
            shown_in=tuple((each.entry.source_id, each.entry.doc_path) for each in showing),
        )
        found[doc_id] = SurroundedPicture(doc_id, entry.source_id, entry.doc_path, surroundings)
    return found


def _build_ocr_resources(base: KnowledgeBase) -> OcrResources:
    """Build the resources of a pass over pictures."""
    settings = base.loaded.settings.ingest
    return OcrResources(
        find_engine=find_ocr_engine,
        reader_factory=PictureReaderRecipe(data_dir=base.data_dir, pdf=settings.pdf),
        settings=settings.ocr,
        select=partial(select_pictures, settings=settings.ocr, find_shown=partial(find_shown, base)),
        workers=settings.workers or os.cpu_count() or 1,
    )


def _build_caption_resources(base: KnowledgeBase) -> CaptionResources:
    """Build the resources of a pass that has captions written: about pages of PDFs whether or not their text is recognised."""
    from kebab_app.captions import build_captioner

    settings = base.loaded.settings.ingest
    chosen = settings.ocr.model_copy(update={"scans": True})
    return CaptionResources(
        write=build_captioner(base),
        select=partial(select_pictures, settings=chosen, find_shown=partial(find_shown, base)),
        max_pages=settings.caption.max_pages,
    )


def _build_asr_resources(base: KnowledgeBase) -> OcrResources:
    """Build the resources of a pass over recordings."""
    settings = base.loaded.settings.ingest
    return OcrResources(
        find_engine=partial(find_transcriber, settings.asr),
        reader_factory=SpeechReaderRecipe(data_dir=base.data_dir, settings=settings.asr),
        settings=settings.asr,
        select=partial(select_recordings, settings=settings.asr, find_shown=partial(find_subtitled, base)),
        recordings=True,
        workers=min(settings.workers or os.cpu_count() or 1, MAX_TRANSCRIBERS),
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
    from kebab_app.overview import count_passages_that_may_wait

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
