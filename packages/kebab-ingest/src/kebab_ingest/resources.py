"""The parts that runs work with, as arguments: stores, connector, models, clock. `kebab_app` makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    Clock,
    DocumentId,
    Embedder,
    EmbeddingFailure,
    EmbeddingIdentity,
    EmbeddingRepo,
    IngestSettings,
    KebabError,
    SourceConnector,
    VectorMatrix,
    VectorStore,
    WorkspaceSettings,
)
from kebab_runtime import TaskLimits

if TYPE_CHECKING:
    from kebab_core import (
        AsrIngestSettings,
        DocumentStore,
        IngestFailure,
        JobRepo,
        Locks,
        OcrIdentity,
        OcrIngestSettings,
        OcrText,
        PictureDocument,
        RawAsset,
        SourceFileStore,
        Transcript,
    )

    from kebab_ingest.document_processor import DocumentProcessor
    from kebab_ingest.picture_documents import PictureResources
    from kebab_ingest.picture_selection import PictureSelection
    from kebab_ingest.preparation import ContentFilter, PreparerFactory


@dataclass(frozen=True, kw_only=True)
class ReadyModel:
    """An embedding model that can be used, with its identity."""

    embedder: Embedder
    identity: EmbeddingIdentity


FoundModel = ReadyModel | EmbeddingFailure
"""An embedding model, or why the configured one cannot be used."""


def describe_failure(error: KebabError) -> EmbeddingFailure:
    """Convert an error into the form that reports carry."""
    return EmbeddingFailure(code=error.code, message=error.message, remedy=error.remedy)


@dataclass(frozen=True, kw_only=True)
class EmbeddingResources:
    """Resources of an embedding pass."""

    model: FoundModel
    repo: EmbeddingRepo
    store: VectorStore
    documents: DocumentStore
    """Has the titles that the query centroids are computed of."""
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
    locks: Locks | None = None
    """The locks of the pass; None where no other process writes."""


class PictureTask(NamedTuple):
    """One page, picture or frame to read."""

    asset: RawAsset
    """The file; its bytes are where it is stored."""
    page: int
    """1-based."""
    content: bytes | None = None
    """The bytes, for a worker that does not reach where they are stored."""


class PictureText(NamedTuple):
    """What was read in one, or heard in a part of a recording."""

    text: OcrText | Transcript
    ms: int
    """CPU milliseconds that it took."""


PictureReaderFactory = Callable[[], Callable[[PictureTask], PictureText]]
"""Makes the function that reads pictures, in a worker process; picklable."""


@dataclass(frozen=True, kw_only=True)
class OcrResources:
    """Resources of a pass."""

    find_engine: Callable[[], OcrIdentity | IngestFailure]
    """Finds what reads, or why nothing can; called where there is something to read."""
    reader_factory: PictureReaderFactory
    settings: OcrIngestSettings | AsrIngestSettings
    select: Callable[[Sequence[PictureDocument]], PictureSelection]
    """Tells documents that the settings have read from those that they leave."""
    recordings: bool = False
    """Whether recordings are heard instead of pictures being read."""
    workers: int = 1
    """Number of worker processes."""
    locks: Locks | None = None
    """Released while pictures are read; None where no other process writes."""
    cluster: str | None = None
    """Address of the cluster that the worker processes are on, where they do not reach stored files; None is this machine."""


@dataclass(frozen=True, kw_only=True)
class ClusterResources:
    """Worker processes on other machines."""

    address: str
    """As of `kebab_runtime.RayPool`."""
    factory: PreparerFactory
    """How they prepare files."""
    write: Callable[[str, bytes], None]
    """Writes what they wrote into the data folder, by its place there; raises `StorageError`."""


@dataclass(frozen=True, kw_only=True)
class CaptionResources:
    """Resources of a pass that has captions written."""

    write: Callable[[DocumentId, int], str]
    """Asks the model about a page, from 1; raises what a chat model and a decoder of pictures raise."""
    select: Callable[[Sequence[PictureDocument]], PictureSelection]
    """Tells documents that the settings have described from those that they leave."""
    max_pages: int
    """Of one document."""
    locks: Locks | None = None
    """Released while the model works; None where no other process writes."""


@dataclass(frozen=True, kw_only=True)
class IngestResources:
    """Resources of an ingest run."""

    connector: SourceConnector
    documents: DocumentStore
    source_files: SourceFileStore
    jobs: JobRepo
    processor: DocumentProcessor
    clock: Clock
    content: ContentFilter
    data_dir: Path
    """Left out of every source."""
    workspace: WorkspaceSettings
    settings: IngestSettings
    workers: int = 0
    """Number of worker processes; 0 is one per core."""
    worker_factory: PreparerFactory | None = None
    """How worker processes prepare files; None prepares all files in this process, without limits."""
    limits: TaskLimits = field(default_factory=TaskLimits)
    """Limits of one file that is risky to parse."""
    cluster: ClusterResources | None = None
    """Where many files are prepared; None prepares them by processes of this machine."""
    pictures: PictureResources | None = None
    """What is known of pictures; None where nothing is kept of them."""
    ocr: OcrResources | None = None
    """For the pass over pictures after the commit of all documents; None leaves their text as it is."""
    asr: OcrResources | None = None
    """The same for recordings."""
    captions: CaptionResources | None = None
    """For the pass over pictures after that; None leaves captions as they are."""
    embedding: EmbeddingResources | None = None
    """For the embedding pass after the commit of all documents; None leaves vectors alone."""
