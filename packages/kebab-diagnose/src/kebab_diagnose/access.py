"""Parts of other packages that explanations and checks use: sources and single-file ingest, index, search, database.

`kebab_app` fills these in. Everything here only reads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import SourceId

if TYPE_CHECKING:
    from kebab_core import (
        Analyzer,
        AssetStore,
        ChunkId,
        DocumentId,
        DocumentStore,
        Embedder,
        EmbeddingFailure,
        EmbeddingIdentity,
        EmbeddingRepo,
        IndexedDocument,
        IngestFailure,
        IngestRun,
        IngestRunRepo,
        IngestSettings,
        KebabError,
        LanguageModel,
        LexicalIndex,
        Message,
        ModelsSettings,
        NliVerifier,
        Remedy,
        Retriever,
        SearchQuery,
        SkipReason,
        SourceEntry,
        SourceExplainer,
        SourceFileStore,
        SourceScope,
        SourceSettings,
        VectorStore,
        WorkspacePath,
        WorkspaceSettings,
    )

    from kebab_diagnose.explanation import FileChange, IngestStage, QueryTerm


@dataclass(frozen=True, kw_only=True)
class SourceLocation:
    """A source, or one path in it."""

    source: SourceSettings
    root: Path
    """Absolute."""
    under: WorkspacePath | None = None

    @property
    def path(self) -> Path:
        """Place on disk, by the spelling of `under`."""
        return self.root / self.under if self.under else self.root

    @property
    def exists(self) -> bool:
        """Whether something lies at `path`, a broken link included."""
        return os.path.lexists(self.path)

    @property
    def has_root(self) -> bool:
        """Whether the source's folder is there; False where looking is forbidden."""
        return os.path.isdir(self.root)  # noqa: PTH112 - does not raise where looking is forbidden


@dataclass(frozen=True, kw_only=True)
class FileTrial:
    """Result of the ingest of one file of which nothing is stored."""

    stage: IngestStage
    """The stage that stopped the file, or the last of all."""
    skip: SkipReason | None = None
    """The reason why its content keeps it out."""
    failure: IngestFailure | None = None


@dataclass(frozen=True, kw_only=True)
class SourceAccess:
    """The configured sources, and ingest of single files in them."""

    locations: tuple[SourceLocation, ...]
    """Every source whole, in the order of the configuration."""
    workspace: WorkspaceSettings
    ingest: IngestSettings
    has_config: bool
    """Whether a configuration file exists."""
    find_locations: Callable[[Path], Sequence[SourceLocation]]
    """The part of each source that a path on disk names; none outside of all sources."""
    scope_of: Callable[[SourceLocation], SourceScope]
    """The scope that ingest hands to the scanner."""
    explainer: SourceExplainer
    can_read: Callable[[str], bool]
    """Whether any parser takes files of this name, which is the last part of a path."""
    try_file: Callable[[SourceEntry, SourceSettings], FileTrial | None]
    """Ingests one file without storing anything; None for one that is too long for that."""
    find_writer: Callable[[], int | None]
    """Process id of the holder of the writer lock."""
    files: bool
    """Whether names may be paths on disk outside of all sources."""
    is_external: Callable[[SourceId, WorkspacePath], bool]
    """Whether a document is the copy of a file that was given by name."""
    find_external_copy: Callable[[Path, bytes], SourceLocation | None]
    """Finds the copy of a file outside all sources, by its absolute path and its content."""

    @property
    def roots(self) -> dict[SourceId, Path]:
        """Folder of each source, by its id."""
        return {SourceId(location.source.id): location.root for location in self.locations}


@dataclass(frozen=True, kw_only=True)
class IndexAccess:
    """The index as it is stored."""

    documents: DocumentStore
    source_files: SourceFileStore
    runs: IngestRunRepo
    find_change: Callable[[SourceId, WorkspacePath], FileChange | None]
    """Change of a document's file since it was indexed, as far as known."""
    is_stale: Callable[[IndexedDocument], bool]
    find_embedded: Callable[[Sequence[ChunkId]], frozenset[ChunkId] | None]
    """The passages that have vectors of the model that searches use; None where no model is configured."""
    find_growing_model: Callable[[], tuple[EmbeddingIdentity, EmbeddingIdentity] | None]
    """The model that searches use, and the one whose vectors are being made; None where they are the same."""
    advise_on_vectors: Callable[[], Remedy]
    """Gives passages their vectors, or waits for the run that does."""


@dataclass(frozen=True, kw_only=True)
class RequiredMatch:
    """Content that every hit of a query must hold: one of these, or none where nothing in the query can be looked up."""

    raw: str | None
    """Full-text syntax."""
    phrases: tuple[str, ...]
    prefixes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """Similarity of one passage to a query."""

    chunk_id: ChunkId
    cosine: float
    z_score: float
    """In standard deviations above the mean of the passage's script."""
    min_z_score: float | None
    """Minimum z-score of a hit that shares no term with the query; None where a hit must share one."""


@dataclass(frozen=True, kw_only=True)
class GateResult:
    """Result of the evidence gate before an answer; scores as users see them."""

    passed: bool
    best: str
    own: str
    """Score of the document's own best hit."""
    threshold: str


@dataclass(frozen=True, kw_only=True)
class SearchAccess:
    """Search, and the examination of single passages."""

    retriever: Retriever
    find_requirement: Callable[[str], RequiredMatch | None]
    """The requirement of a query on every hit; None where words and meaning may each find one."""
    find_terms: Callable[[str, DocumentId, Mapping[ChunkId, int]], tuple[QueryTerm, ...]]
    """Terms of a query, in its order, with their passages in a document, whose ordinals are given; raises
    NotIndexedError where the index was made by another analyser."""
    find_similarities: Callable[[str, IndexedDocument], Sequence[Similarity]]
    """Similarities of the passages with vectors, by ordinal; raises one of `MODEL_FAILURES` without vectors."""
    check_gate: Callable[[SearchQuery, DocumentId], GateResult | None]
    """The evidence gate for the same question; None for full-text syntax, which cannot be asked."""
    filter_name: Callable[[str], str]
    """The wire's name of a field of the filters."""


@dataclass(frozen=True, kw_only=True)
class DatabaseAccess:
    """The database. Each part is opened by the checks that need it, so that a damaged one fails no other."""

    path: Path
    documents: Callable[[], DocumentStore]
    source_files: Callable[[], SourceFileStore]
    assets: Callable[[], AssetStore]
    lexical_index: Callable[[], LexicalIndex]
    embeddings: Callable[[], EmbeddingRepo]
    schema_version: Callable[[], int]
    cache_bytes: Callable[[], int]
    """Size of what models made and is kept."""
    unfinished_runs: Callable[[], Sequence[IngestRun]]
    find_damage: Callable[[], Sequence[str]]
    """Problems of the whole database, one sentence each."""
    find_table_damage: Callable[[], Sequence[str]]
    """Problems outside the full-text indexes, which can be made again from the rest."""
    table_sizes: Callable[[], Mapping[str, int]]
    """Bytes of each table, the largest first; empty where SQLite does not count them."""
    require_unprotected: Callable[[], None]
    """Raises where a file of the database is write-protected."""


@dataclass(frozen=True, kw_only=True)
class VectorFiles:
    """The vectors of one model on disk."""

    recall: float | None
    """Of the approximate index, 0 to 1, as measured; None where every search is exact."""
    is_index_used: bool
    """True if the recall reaches the minimum."""
    is_index_due: bool
    """True if the settings or the number of vectors ask for an approximate index."""
    size_bytes: int
    is_matrix_current: bool
    """True if the matrix that searches read has every vector of the database."""


@dataclass(frozen=True, kw_only=True)
class VectorAccess:
    """The vectors."""

    folder: Path
    store: Callable[[], VectorStore]
    """Opens the database."""
    read_files: Callable[[EmbeddingIdentity], VectorFiles]
    """Describes the files of a model."""


@dataclass(frozen=True, kw_only=True)
class PluginState:
    """A part that another distribution offers."""

    group: str
    """Its entry-point group."""
    name: str
    distribution: str
    problem: KebabError | None
    """Reason why it cannot be used."""


@dataclass(frozen=True, kw_only=True)
class HealthAccess:
    """Parts of a knowledge base that the checks look at; nothing of it is changed."""

    config: Message
    """Where the settings come from, and what is wrong with them."""
    roots: Sequence[Path]
    """Folder of each source."""
    data_dir: Path
    readonly: bool
    models: ModelsSettings
    cache_mb: int
    """Limit of `DatabaseAccess.cache_bytes`."""
    database: DatabaseAccess | None
    """None before the first ingest."""
    vectors: VectorAccess | None
    """None where no model is configured and none ever was."""
    analyzer: Callable[[], Analyzer]
    embedder: Callable[[], Embedder | None]
    chat_model: Callable[[], LanguageModel | None]
    """None where a plugin writes answers or the extractive reader quotes them."""
    nli: Callable[[], NliVerifier | None]
    """The model that checks answers; None where none is configured. Raises where it cannot be used."""
    find_model: Callable[[], EmbeddingIdentity | EmbeddingFailure | None]
    """The model in force, the reason why it cannot be used, or None where none is configured."""
    find_writer: Callable[[], int | None]
    """Process id of the holder of the writer lock."""
    find_embedding_process: Callable[[], int | None]
    """Process id of a process that makes vectors, or else of the holder of the writer lock."""
    inspect_plugins: Callable[[], Sequence[PluginState]]
    """Imports every plugin."""
    count_asset_files: Callable[[], int]
    """Copies of files in the data folder."""
    scratch: Sequence[Path] = ()
    """Folders that exports and imports left when they were killed."""
