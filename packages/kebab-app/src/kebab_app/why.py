"""The use case `why`: the parts of a knowledge base that explanations of `kebab_diagnose` ask."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import IngestFailure, SkipReason, StorageError
from kebab_diagnose import (
    FileTrial,
    GateResult,
    IndexAccess,
    QueryTerm,
    RequiredMatch,
    SearchAccess,
    Similarity,
    SourceAccess,
    SourceLocation,
    explain_file,
    find_file,
)
from kebab_ingest import (
    LONG_FILE_BYTES,
    FilePreparer,
    FileTask,
    SourceTarget,
    find_parts,
    is_file_copy,
)
from kebab_store_sqlite import find_writer

from kebab_app.ingest_wiring import build_connector, build_source_scope
from kebab_app.requests import filter_argument
from kebab_app.single_file_ingest import build_file_copies
from kebab_app.vector_leg import build_vector_leg
from kebab_app.wiring import build_content_filter, build_processor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kebab_core import (
        ChunkId,
        DocumentId,
        EmbeddingIdentity,
        IndexedDocument,
        SearchQuery,
        SourceEntry,
        SourceSettings,
    )
    from kebab_diagnose import Explanation, IngestStage, LocatedFile
    from kebab_ingest import DocumentProcessor

    from kebab_app.knowledge_base import KnowledgeBase


_STAGES: tuple[IngestStage, ...] = ("read", "parse", "cut", "analyse", "store")
"""Stages of a file, each ended by one step of `Prepared.steps`."""


def why(base: KnowledgeBase, name: str | Path, *, query: SearchQuery | None) -> Explanation:
    """Explain why a file is found or not. See `kebab_diagnose.explain_file`.

    Args:
        base: The knowledge base; nothing in it is changed.
        name: A path on disk, a path inside a source as hits show it, or the id of a document.
        query: The query that should find it; None asks only whether it can be found.
    """
    with base.open_for_reading().one_state() if base.has_database else nullcontext():  # a run may be at work
        return explain_file(
            str(name),
            query=query,
            sources=build_source_access(base),
            index=_build_index_access(base),
            search=lambda: _build_search_access(base),
        )


def locate_file(base: KnowledgeBase, name: str) -> LocatedFile:
    """Find the file that a name means. See `kebab_diagnose.find_file`."""
    return find_file(name, sources=build_source_access(base), index=_build_index_access(base))


def build_source_access(base: KnowledgeBase) -> SourceAccess:
    """Build the sources as explanations see them."""
    from kebab_source_fs import media_type_of

    settings, sources = base.loaded.settings, base.sources
    return SourceAccess(
        locations=tuple(SourceLocation(source=one.settings, root=one.root) for one in sources),
        workspace=settings.workspace,
        ingest=settings.ingest,
        has_config=base.loaded.config_path is not None,
        find_locations=lambda path: [
            SourceLocation(source=part.source, root=part.root, under=part.under)
            for part in find_parts(base.targets, path, files=base.files)
        ],
        scope_of=lambda location: build_source_scope(
            base, SourceTarget(source=location.source, root=location.root, under=location.under)
        ),
        explainer=build_connector(base),
        can_read=lambda name: build_processor(settings.ingest, analyzer=base.analyzer).supports(
            media_type_of(name)
        ),
        try_file=lambda entry, source: try_file(
            base, entry, source, build_processor(settings.ingest, analyzer=base.analyzer)
        ),
        find_writer=lambda: find_writer(base.data_dir),
        files=base.files,
        is_external=is_file_copy,
        find_external_copy=lambda path, content: _find_copy(base, path, content),
    )


def _find_copy(base: KnowledgeBase, path: Path, content: bytes) -> SourceLocation | None:
    copies = build_file_copies(base)
    found = copies.find(path, content, by_agent=False) or copies.find(path, content, by_agent=True)
    return SourceLocation(source=found.source, root=found.root, under=found.under) if found else None


def try_file(
    base: KnowledgeBase, entry: SourceEntry, source: SourceSettings, processor: DocumentProcessor
) -> FileTrial | None:
    """Ingest a file without storing anything; None for one that is too long or too risky to parse for that.

    Args:
        base: The knowledge base; nothing in it is changed.
        entry: The file, as a scan finds it.
        source: Its source.
        processor: Parses and cuts files.
    """
    from kebab_store_sqlite import pack_document

    if entry.stamp.byte_len >= LONG_FILE_BYTES or processor.is_isolated(entry.media_type):
        return None
    preparer = FilePreparer(
        connector=build_connector(base),
        processor=processor,
        keep_asset=lambda asset, _content: asset,
        pack=pack_document,
        pack_long=lambda record: pack_document(record.describe(0)),
        content=build_content_filter(base.loaded.settings.ingest.code),
        clock=base.clock,
    )
    task = FileTask(entry=entry, source=source, known_checksum=None, at=base.clock.now(), is_timed=True)
    prepared = preparer.prepare(task)
    match prepared.outcome:
        case SkipReason() as reason:
            return FileTrial(stage="content", skip=reason)
        case IngestFailure() as failure:
            return FileTrial(stage=_STAGES[len(prepared.steps)], failure=failure)
        case StorageError() as error:
            failure = IngestFailure(code=error.code, message=error.message)
            return FileTrial(stage="store", failure=failure)
    return FileTrial(stage="store")


def _build_index_access(base: KnowledgeBase) -> IndexAccess | None:
    from kebab_store_sqlite import SqliteIngestRunRepo

    if not base.has_database:
        return None
    return IndexAccess(
        documents=base.documents,
        source_files=base.source_files,
        runs=SqliteIngestRunRepo(base.open_for_reading()),
        find_change=base.open_disk_files().find_change,
        is_stale=base.is_stale,
        find_embedded=lambda chunk_ids: _find_embedded(base, chunk_ids),
        find_growing_model=lambda: _find_growing_model(base),
        advise_on_vectors=base.advise_on_vectors,
    )


def _find_embedded(base: KnowledgeBase, chunk_ids: Sequence[ChunkId]) -> frozenset[ChunkId] | None:
    """Find the passages with vectors of the model that was complete or used last: to ask a model takes seconds."""
    if not base.wants_vectors:
        return None
    active = base.embeddings.active_model()
    latest = base.embeddings.latest_model() if active is None else active.identity
    if latest is None:
        return frozenset()
    return frozenset(base.embeddings.chunk_vectors(latest, chunk_ids))


def _find_growing_model(base: KnowledgeBase) -> tuple[EmbeddingIdentity, EmbeddingIdentity] | None:
    active, latest = base.embeddings.active_model(), base.embeddings.latest_model()
    if active is None or latest is None or active.identity == latest:
        return None
    return active.identity, latest


def _build_search_access(base: KnowledgeBase) -> SearchAccess:
    from kebab_search import PassageExaminer, is_bound, parse_query

    examiner = PassageExaminer(index=base.lexical_index, documents=base.documents, analyzer=base.analyzer)

    def find_terms(text: str, doc_id: DocumentId, ordinals: Mapping[ChunkId, int]) -> tuple[QueryTerm, ...]:
        return tuple(
            QueryTerm(
                text=term.text,
                kind=term.kind,
                weight=term.weight,
                searched=term.searched,
                in_index=term.in_index,
                passages=tuple(sorted(ordinals[one] for one in term.chunk_ids if one in ordinals)),
            )
            for term in examiner.words(text, doc_id)
        )

    def find_requirement(text: str) -> RequiredMatch | None:
        parsed = parse_query(text)
        if not is_bound(parsed):
            return None
        return RequiredMatch(raw=parsed.raw, phrases=parsed.phrases, prefixes=parsed.prefixes)

    def find_similarities(text: str, document: IndexedDocument) -> list[Similarity]:
        leg = build_vector_leg(
            base.question_embedder,
            store=base.vectors,
            repo=base.embeddings,
            advice=base.advise_on_vectors,
        )
        return [
            Similarity(
                chunk_id=one.chunk_id, cosine=one.cosine, z_score=one.z_score, min_z_score=one.min_z_score
            )
            for one in examiner.nearness(text, leg, document)
        ]

    return SearchAccess(
        retriever=base.retriever,
        find_requirement=find_requirement,
        find_terms=find_terms,
        find_similarities=find_similarities,
        check_gate=lambda query, doc_id: _check_gate(base, query, doc_id),
        filter_name=filter_argument,
    )


def _check_gate(base: KnowledgeBase, query: SearchQuery, doc_id: DocumentId) -> GateResult | None:
    from kebab_rag import score_hits, show_score, show_threshold
    from kebab_search import parse_query

    if parse_query(query.text).raw is not None:
        return None
    found = base.retriever.search(query.model_copy(update={"max_tokens": None, "all_passages": True}))
    scores = score_hits(found.hits, documents=found.coverage.documents_indexed, question=query.text)
    own = max(
        (score for hit, score in zip(found.hits, scores, strict=True) if hit.doc_id == doc_id), default=0.0
    )
    threshold = base.loaded.settings.rag.score_gate
    return GateResult(
        passed=bool(scores) and scores[0] >= threshold,
        best=show_score(scores[0] if scores else 0.0),
        own=show_score(own),
        threshold=show_threshold(threshold),
    )
