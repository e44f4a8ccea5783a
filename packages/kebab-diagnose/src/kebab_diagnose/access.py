"""The parts of a knowledge base that explanations read: its sources, its index, and its search. Nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import IngestFailure, SkipReason, SourceId, StorageError
from kebab_ingest import LONG_FILE_BYTES, FileTask, build_scope, find_parts

from kebab_diagnose.explanation import IngestStage, QueryTerm

if TYPE_CHECKING:
    from kebab_core import (
        Budget,
        ChunkId,
        DocumentId,
        DocumentStore,
        EmbeddingIdentity,
        EmbeddingRepo,
        FolderConnector,
        IndexedDocument,
        IngestSettings,
        JobRepo,
        Remedy,
        SearchQuery,
        SourceEntry,
        SourceFileStore,
        SourceScope,
        SourceSettings,
        WorkspaceSettings,
    )
    from kebab_ingest import DiskFiles, FileCopies, FilePreparer, SourceTarget
    from kebab_search import Nearness, ParsedQuery, PassageExaminer, SearchRetriever, VectorSearch

    from kebab_diagnose.picture_explanation import PictureAccess

_STAGES: tuple[IngestStage, ...] = ("read", "parse", "cut", "analyse", "store")
"""Stages of a file, each ended by one step of `Prepared.steps`."""


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

    targets: tuple[SourceTarget, ...]
    """Every source whole, in the order of the configuration."""
    data_dir: Path
    workspace: WorkspaceSettings
    ingest: IngestSettings
    has_config: bool
    """Whether a configuration file exists."""
    connector: FolderConnector
    preparer: FilePreparer
    """Prepares files in this process; keeps no copies of them."""
    copies: FileCopies
    """The copies of files outside all sources."""
    writer: int | None
    """Process id of the holder of the writer lock."""
    files: bool
    """Whether names may be paths on disk outside of all sources."""
    now: datetime

    @property
    def roots(self) -> dict[SourceId, Path]:
        """Folder of each source, by its id."""
        return {SourceId(target.source.id): target.root for target in self.targets}

    def find_parts(self, path: Path) -> Sequence[SourceTarget]:
        """Find the part of each source that a path on disk names; none outside of all sources."""
        return find_parts(self.targets, path, files=self.files)

    def scope_of(self, target: SourceTarget) -> SourceScope:
        """Return the scope that ingest hands to the scanner."""
        return build_scope(target, data_dir=self.data_dir, workspace=self.workspace, ingest=self.ingest)

    def can_read(self, name: str) -> bool:
        """Return True if any parser takes files of this name, which is the last part of a path."""
        return self.preparer.processor.reads_name(name)

    def find_external_copy(self, path: Path, content: bytes) -> SourceTarget | None:
        """Find the copy of a file outside all sources, by its absolute path and its content."""
        by_user = self.copies.find(path, content, by_agent=False)
        return by_user or self.copies.find(path, content, by_agent=True)

    def try_file(self, entry: SourceEntry, source: SourceSettings) -> FileTrial | None:
        """Ingest a file without storing anything; None for one that is too long or too risky to parse for that.

        Args:
            entry: The file, as a scan finds it.
            source: Its source.
        """
        is_risky = self.preparer.processor.is_isolated(entry.media_type)
        if is_risky or entry.stamp.byte_len >= LONG_FILE_BYTES:
            return None
        task = FileTask(entry=entry, source=source, known_checksum=None, at=self.now, is_timed=True)
        prepared = self.preparer.prepare(task)
        match prepared.outcome:
            case SkipReason() as reason:
                return FileTrial(stage="content", skip=reason)
            case IngestFailure() as failure:
                return FileTrial(stage=_STAGES[len(prepared.steps)], failure=failure)
            case StorageError() as error:
                failure = IngestFailure(code=error.code, message=error.message)
                return FileTrial(stage="store", failure=failure)
        return FileTrial(stage="store")


@dataclass(frozen=True, kw_only=True)
class IndexAccess:
    """The index as it is stored."""

    documents: DocumentStore
    source_files: SourceFileStore
    embeddings: EmbeddingRepo
    jobs: JobRepo
    disk_files: DiskFiles
    now: datetime
    stale_threshold_days: int
    wants_vectors: bool
    """Whether an embedding model is configured."""
    pictures: PictureAccess
    vectors_advice: Remedy
    """How passages get their vectors: by an embedding pass, or by waiting for the run that makes them."""

    def find_embedded(self, chunk_ids: Sequence[ChunkId]) -> frozenset[ChunkId] | None:
        """Find the passages with vectors of the model that searches use; None where no model is configured.

        That is the model that was complete last, or used last: to ask the configured one takes seconds.
        """
        if not self.wants_vectors:
            return None
        active = self.embeddings.active_model()
        latest = self.embeddings.latest_model() if active is None else active.identity
        return frozenset() if latest is None else frozenset(self.embeddings.chunk_vectors(latest, chunk_ids))

    def find_growing_model(self) -> tuple[EmbeddingIdentity, EmbeddingIdentity] | None:
        """Find the model that searches use, and the one whose vectors are being made; None where they are the same."""
        active, latest = self.embeddings.active_model(), self.embeddings.latest_model()
        if active is None or latest is None or active.identity == latest:
            return None
        return active.identity, latest


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

    retriever: SearchRetriever
    examiner: PassageExaminer
    open_vectors: Callable[[], VectorSearch]
    """Opens the search by vectors, which may load a model; raises one of `MODEL_FAILURES` where there is none."""
    score_gate: float
    """The least evidence of an answer."""
    filter_names: Mapping[str, str]
    """The wire's names of the fields of filters."""
    budget: Budget | None
    """The budget of the query; None without one."""

    def find_requirement(self, text: str) -> ParsedQuery | None:
        """Return the query where every hit must hold one of its parts; None where words and meaning may each find one."""
        from kebab_search import is_bound, parse_query

        parsed = parse_query(text)
        return parsed if is_bound(parsed) else None

    def find_terms(
        self, text: str, doc_id: DocumentId, ordinals: Mapping[ChunkId, int]
    ) -> tuple[QueryTerm, ...]:
        """Return the terms of a query, in its order, with their passages in a document, whose ordinals are given.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: The index was made by another analyser.
        """
        return tuple(
            QueryTerm(
                text=term.text,
                kind=term.kind,
                weight=term.weight,
                searched=term.searched,
                in_index=term.in_index,
                passages=tuple(sorted(ordinals[one] for one in term.chunk_ids if one in ordinals)),
            )
            for term in self.examiner.words(text, doc_id)
        )

    def find_similarities(self, text: str, document: IndexedDocument) -> Sequence[Nearness]:
        """Return the similarities of the passages with vectors, by ordinal; raises one of `MODEL_FAILURES` without vectors."""
        return self.examiner.nearness(text, self.open_vectors(), document)

    def check_gate(self, query: SearchQuery, doc_id: DocumentId) -> GateResult | None:
        """Try the evidence gate for the same question; None for full-text syntax, which cannot be asked."""
        from kebab_rag import show_score, show_threshold
        from kebab_search import parse_query

        if parse_query(query.text).raw is not None:
            return None
        found = self.retriever.search(query.model_copy(update={"max_tokens": None, "all_passages": True}))
        best = found.hits[0].score if found.hits else 0.0
        own = max((hit.score for hit in found.hits if hit.doc_id == doc_id), default=0.0)
        return GateResult(
            passed=bool(found.hits) and best >= self.score_gate,
            best=show_score(best),
            own=show_score(own),
            threshold=show_threshold(self.score_gate),
        )
