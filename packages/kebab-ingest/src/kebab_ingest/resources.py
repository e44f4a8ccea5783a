"""The parts that runs work with, as arguments: stores, connector, models, clock. `kebab_app` makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field

from kebab_core import (
    AssetStore,
    Clock,
    DerivationCache,
    DocumentStore,
    Embedder,
    EmbeddingFailure,
    EmbeddingIdentity,
    EmbeddingRepo,
    ExternalError,
    IngestRunRepo,
    InputError,
    JobRepo,
    KebabError,
    SourceConnector,
    SourceFileStore,
    SourceScope,
    SourceSettings,
    VectorMatrix,
    VectorStore,
    WorkspacePath,
)
from kebab_runtime import TaskLimits

from kebab_ingest.document_processor import DocumentProcessor
from kebab_ingest.preparation import ContentFilter, PreparerFactory
from kebab_ingest.request import SourceTarget


@dataclass(frozen=True, kw_only=True)
class ReadyModel:
    """An embedding model that can be used, with its identity."""

    embedder: Embedder
    identity: EmbeddingIdentity


FoundModel = ReadyModel | EmbeddingFailure
"""An embedding model, or why the configured one cannot be used."""


def find_model(build: Callable[[], Embedder | None]) -> FoundModel | None:
    """Build the embedding model; None where none is configured.

    A model that is missing, damaged or out of reach is no error here: lexical search works without it.
    """
    try:
        embedder = build()
        return None if embedder is None else ReadyModel(embedder=embedder, identity=embedder.identity)
    except (ExternalError, InputError) as error:
        return describe_failure(error)


def describe_failure(error: KebabError) -> EmbeddingFailure:
    """Convert an error into the form that reports carry."""
    return EmbeddingFailure(code=error.code, message=error.message, remedy=error.remedy)


@dataclass(frozen=True, kw_only=True)
class EmbeddingResources:
    """Resources of an embedding pass."""

    model: FoundModel
    repo: EmbeddingRepo
    store: VectorStore
    cache: DerivationCache
    clock: Clock
    max_cache_bytes: int
    """Size to which the cache is cut when the pass is over."""
    settings_json: str
    """`EmbeddingSettings` of the model."""
    activates: bool = True
    """Whether searches use the model once every passage has its vector; False leaves them with the model they use."""
    compute_query_centroids: Callable[[Callable[[Sequence[str]], VectorMatrix], Iterable[str]], bytes]
    """Encoded centroids of typical queries, from a function that embeds queries and the titles of all documents."""
    count_waiting: Callable[[], int | None] = lambda: None
    """Number of chunks without a vector of a model that cannot be asked for its identity; None where unknown."""
    titles: Callable[[], Iterable[str]] = tuple
    """Titles of all documents."""
    unlocked: Callable[[], AbstractContextManager[None]] = nullcontext
    """Lets other processes write inside the block, where the model works; nothing may be written there. Raises
    `LockedError` where the writer lock could not be taken again."""
    pass_lock: Callable[[], AbstractContextManager[None]] = nullcontext
    """Held while passages are embedded, by one process at a time; raises `LockedError` where another one has it."""


@dataclass(frozen=True, kw_only=True)
class IngestResources:
    """Resources of an ingest run."""

    connector: SourceConnector
    documents: DocumentStore
    source_files: SourceFileStore
    assets: AssetStore
    runs: IngestRunRepo
    jobs: JobRepo
    processor: DocumentProcessor
    clock: Clock
    content: ContentFilter
    scope_of: Callable[[SourceTarget], SourceScope]
    """Scope that the connector gets for a target."""
    settings_at: Callable[[SourceSettings, WorkspacePath], SourceSettings] = lambda source, _: source
    """Settings of a source as they apply to one of its paths, such as with less trust; itself where nothing differs."""
    workers: int = 0
    """Number of worker processes; 0 is one per core."""
    worker_factory: PreparerFactory | None = None
    """How worker processes prepare files; None prepares all files in this process, without limits."""
    limits: TaskLimits = field(default_factory=TaskLimits)
    """Limits of one file that is risky to parse."""
    embedding: EmbeddingResources | None = None
    """For the embedding pass after the commit of all documents; None leaves vectors alone."""
