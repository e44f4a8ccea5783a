"""A pipeline over SQLite's stores with a source and a model in memory, and one paragraph to a chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from kebab_core import (
    CancelToken,
    CanonicalDocument,
    Chunk,
    ChunkerVersion,
    ChunkPolicy,
    CodeIngestSettings,
    DocumentError,
    ExtractContext,
    IngestEvent,
    IngestReport,
    IngestRun as StoredRun,
    IngestScope,
    IngestSettings,
    JobFilter,
    JobId,
    JobKind,
    JobRow,
    JobStatus,
    JsonValue,
    LongDocument,
    MediaType,
    ParserVersion,
    RunId,
    SkipReason,
    SourceSettings,
    TextHash,
    VectorMatrix,
    WorkspaceSettings,
    chunk_id_for,
)
from kebab_ingest import (
    ContentFilter,
    DocumentProcessor,
    EmbeddingResources,
    IngestRequest,
    IngestResources,
    IngestRun,
    Prepare,
    ReadyModel,
    Recipe,
    SourceTarget,
)
from kebab_runtime import TaskLimits
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.fakes.source import MemorySource
from kebab_testing.recipes import recipe_finder
from kebab_testing.temporary_stores import TemporaryStores

ROOT = "/notes"
SOURCE = SourceSettings(id="default", root=ROOT)  # type: ignore[arg-type]
FAILING, EXITING, GENERATED = b"FAILS", b"EXITS", b"generated"


class ParagraphExtractor:
    """One paragraph for each line that is not empty."""

    def supports(self, media_type: MediaType) -> bool:
        return media_type.kind == "markdown"

    def parser_version(self) -> ParserVersion:
        return ParserVersion("md-v1")

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        if FAILING in content:
            raise DocumentError("cannot be parsed")
        if EXITING in content:
            raise SystemExit(3)
        builder = DocumentBuilder(path=str(context.asset.workspace_path), title="Note")
        for line in filter(None, content.decode().splitlines()):
            builder.paragraph(line)
        return builder.build().model_copy(update={"source_asset_id": context.asset.asset_id})


class ParagraphChunker:
    """One chunk for each block."""

    crosses_pages = False

    def chunker_version(self) -> ChunkerVersion:
        return ChunkerVersion("paragraph-v1")

    def policy_hash(self, policy: ChunkPolicy) -> str:
        return policy.hash()

    def chunk(self, document: LongDocument, policy: ChunkPolicy) -> list[Chunk]:
        return [
            Chunk(
                chunk_id=chunk_id_for(
                    doc_id=document.head.doc_id,
                    chunker_version=self.chunker_version(),
                    block_ids=[block.block_id],
                    policy_hash=f"{policy.hash()} {getattr(block, 'text', '')}",
                ),
                doc_id=document.head.doc_id,
                ordinal=ordinal,
                block_ids=(block.block_id,),
                text=getattr(block, "text", ""),
                heading_path=(),
                source_spans=(block.source_span,),
                token_estimate=1,
                chunker_version=self.chunker_version(),
                policy_hash=policy.hash(),
            )
            for ordinal, block in enumerate(document.blocks)
        ]


@dataclass
class Jobs:
    """Implements the part of `JobRepo` that runs use."""

    rows: dict[JobId, JobRow] = field(default_factory=dict)
    unfinished: dict[RunId, StoredRun] = field(default_factory=dict)
    reports: list[IngestReport] = field(default_factory=list)

    def start_run(self, run_id: RunId, scopes: Sequence[IngestScope], *, started_at: datetime) -> None:
        self.unfinished[run_id] = StoredRun(run_id=run_id, scopes=tuple(scopes), started_at=started_at)

    def finish_run(self, report: IngestReport) -> None:
        self.reports.append(report)

    def settle_runs(self, run_ids: Sequence[RunId], *, at: datetime) -> None:
        for run_id in run_ids:
            del self.unfinished[run_id]

    def forget_runs(self, *, keep: int, before: datetime | None) -> int:
        raise NotImplementedError

    def unfinished_runs(self) -> list[StoredRun]:
        return list(self.unfinished.values())

    def list_runs(self, *, limit: int = 20, with_items: bool = True) -> list[StoredRun]:
        raise NotImplementedError

    def create(self, kind: JobKind, payload: Mapping[str, JsonValue], *, at: datetime) -> JobId:
        job_id = JobId(str(len(self.rows)))
        self.rows[job_id] = JobRow(
            job_id=job_id,
            kind=kind,
            status=JobStatus.RUNNING,
            payload=dict(payload),
            created_at=at,
            updated_at=at,
        )
        return job_id

    def update_progress(self, job_id: JobId, progress: Mapping[str, JsonValue], *, at: datetime) -> None:
        self.rows[job_id] = self.rows[job_id].model_copy(
            update={"progress": dict(progress), "updated_at": at}
        )

    def finish(self, job_id: JobId, status: JobStatus, *, at: datetime, error: str | None = None) -> None:
        changes = {"status": status, "finished_at": at, "error": error}
        self.rows[job_id] = self.rows[job_id].model_copy(update=changes)

    def forget(self, kind: JobKind, *, keep: int, before: datetime | None) -> int:
        raise NotImplementedError

    def list(self, criteria: JobFilter) -> list[JobRow]:
        return [
            row
            for row in self.rows.values()
            if criteria.kind in {None, row.kind} and criteria.status in {None, row.status}
        ]


def find_reason(_media: MediaType, content: bytes, _settings: CodeIngestSettings) -> SkipReason | None:
    return SkipReason.GENERATED if content.startswith(GENERATED) else None


def compute_centroids(embed: Any, titles: Iterable[str]) -> bytes:
    matrix: VectorMatrix = embed(["what", *titles])
    return matrix.cast("B").hex().encode()


class Pipeline:
    """The stores and fakes, and runs over them."""

    def __init__(self) -> None:
        self.clock = FixedClock()
        self.source = MemorySource(ROOT, {})
        stores = TemporaryStores(clock=self.clock)
        self.documents = stores.documents
        self.source_files = stores.source_files
        self.jobs = Jobs()
        self.embedder = BagOfWordsEmbedder()
        self.embeddings = stores.embeddings
        self.vectors = stores.open_vector_store()
        self.events: list[IngestEvent] = []
        self.filter_version = "rule@1"

    @property
    def paths(self) -> list[str]:
        return sorted(str(each.doc_path) for each in self.documents.list_entries())

    def read_documents(self) -> Mapping[str, CanonicalDocument]:
        """Read the documents, by path."""
        return {
            str(each.doc_path): self.documents.get_document(each.doc_id)
            for each in self.documents.list_entries()
        }

    def read_vector(self, text_hash: TextHash) -> bytes:
        """Read the vector of a text; empty where there is none."""
        (vector,) = self.embeddings.vectors(self.embedder.identity, [text_hash])
        return vector

    def embedding_resources(self, *, max_cache_bytes: int = 1_000_000) -> EmbeddingResources:
        return EmbeddingResources(
            model=ReadyModel(embedder=self.embedder, identity=self.embedder.identity),
            repo=self.embeddings,
            store=self.vectors,
            documents=self.documents,
            clock=self.clock,
            max_cache_bytes=max_cache_bytes,
            settings_json="{}",
            compute_query_centroids=compute_centroids,
        )

    def ingest(
        self,
        *,
        embed: bool = False,
        cancel: CancelToken | None = None,
        processor: DocumentProcessor | None = None,
        worker_factory: Callable[[], Prepare] | None = None,
        workers: int = 1,
        limits: TaskLimits | None = None,
        **options: bool,
    ) -> IngestReport:
        recipe = Recipe(extractor=ParagraphExtractor(), chunker=ParagraphChunker(), policy=make_policy())
        resources = IngestResources(
            connector=self.source,
            documents=self.documents,
            source_files=self.source_files,
            jobs=self.jobs,
            processor=processor
            or DocumentProcessor(find_recipe=recipe_finder([recipe]), analyzer=WordAnalyzer()),
            worker_factory=worker_factory,
            workers=workers,
            limits=limits or TaskLimits(),
            clock=self.clock,
            content=ContentFilter(
                find_reason=find_reason, version=self.filter_version, settings=CodeIngestSettings()
            ),
            data_dir=Path("/data"),
            workspace=WorkspaceSettings(),
            settings=IngestSettings(),
            embedding=self.embedding_resources() if embed else None,
        )
        request = IngestRequest(
            targets=(SourceTarget(source=SOURCE, root=Path(ROOT)),), is_everything=True, **options
        )
        return IngestRun(resources, request, sink=self.events.append, cancel=cancel or CancelToken()).run()


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline()
