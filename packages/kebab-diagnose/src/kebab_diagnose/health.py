"""Health reports, and the parts of a knowledge base that checks look at. `doctor` runs the checks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import (
        Analyzer,
        AssetStore,
        ChunkId,
        DocumentStore,
        Embedder,
        EmbeddingFailure,
        EmbeddingIdentity,
        EmbeddingRepo,
        IndexId,
        IngestRun,
        KebabError,
        LexicalIndex,
        ModelsSettings,
        Remedy,
        SourceFileStore,
        VectorStore,
    )

NOT_CONFIGURED = "not configured"
"""Detail of a check of something that the settings do without."""
NOTHING_INGESTED = "nothing ingested yet"
NO_DATABASE = "no database yet"


@dataclass(frozen=True)
class Problem:
    """A fault that a check found."""

    detail: str
    remedy: Remedy


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """Result of one check."""

    name: str
    ok: bool
    detail: str
    remedy: Remedy | None = None
    """Only of a check that failed."""


@dataclass(frozen=True, kw_only=True)
class HealthReport:
    """Results of all checks, in a fixed order."""

    checks: tuple[CheckResult, ...]
    repaired: tuple[str, ...] | None = None
    """Repairs before the checks, one sentence each; None where no repair was asked for."""

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.ok for check in self.checks)


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
    require_unprotected: Callable[[], None]
    """Raises where a file of the database is write-protected."""


@dataclass(frozen=True, kw_only=True)
class VectorFiles:
    """The vectors of one model on disk."""

    index_kind: str | None
    """Method of the approximate index; None where every search is exact."""
    recall: float
    """Of the approximate index, 0 to 1, as measured."""
    is_index_used: bool
    """Whether the recall is high enough."""
    fragments: int
    """Pieces of the table."""
    size_bytes: int
    is_matrix_current: bool
    """Whether the matrix that searches read equals the table."""


@dataclass(frozen=True, kw_only=True)
class VectorAccess:
    """The vectors."""

    folder: Path
    store: VectorStore
    index_of: Callable[[EmbeddingIdentity], IndexId]
    read_files: Callable[[IndexId], VectorFiles | None]
    """Reads all vectors of an index; None for a store that keeps nothing on disk."""
    find_lost: Callable[[EmbeddingIdentity], frozenset[ChunkId]]
    """Passages whose vectors are recorded and not there."""


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

    config: str
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
    find_model: Callable[[], EmbeddingIdentity | EmbeddingFailure | None]
    """The model in force, the reason why it cannot be used, or None where none is configured."""
    find_writer: Callable[[], int | None]
    """Process id of the holder of the writer lock."""
    inspect_plugins: Callable[[], Sequence[PluginState]]
    """Imports every plugin."""
    count_asset_files: Callable[[], int]
    """Copies of files in the data folder."""


Check = Callable[[HealthAccess], str | Problem]
"""Returns the detail of a check that passes, or a problem; an error that it raises is a failed check, too."""
