"""The use case `why`: the parts of a knowledge base that explanations of `kebab_diagnose` read."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import SearchFilters
from kebab_diagnose import IndexAccess, SearchAccess, SourceAccess, explain_file, find_file
from kebab_ingest import FilePreparer

from kebab_app.content import build_content_filter
from kebab_app.ingest_wiring import build_connector
from kebab_app.picture_readings import build_picture_access
from kebab_app.requests import filter_argument
from kebab_app.single_file_ingest import build_file_copies
from kebab_app.store import find_writer
from kebab_app.vector_leg import build_vector_leg
from kebab_app.wiring import build_processor

if TYPE_CHECKING:
    from kebab_core import SearchQuery
    from kebab_diagnose import Explanation, LocatedFile

    from kebab_app.knowledge_base import KnowledgeBase


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
            search=_build_search_access(base, query) if query is not None and base.has_database else None,
        )


def locate_file(base: KnowledgeBase, name: str) -> LocatedFile:
    """Find the file that a name means. See `kebab_diagnose.find_file`."""
    return find_file(name, sources=build_source_access(base), index=_build_index_access(base))


def build_source_access(base: KnowledgeBase) -> SourceAccess:
    """Build the sources as explanations see them."""
    from kebab_app.store import pack_document

    settings, connector = base.loaded.settings, build_connector(base)
    return SourceAccess(
        targets=base.targets,
        data_dir=base.data_dir,
        workspace=settings.workspace,
        ingest=settings.ingest,
        has_config=base.loaded.config_path is not None,
        connector=connector,
        preparer=FilePreparer(
            connector=connector,
            processor=build_processor(settings.ingest, analyzer=base.analyzer),
            keep_asset=lambda asset, _content: asset,
            pack=pack_document,
            pack_long=lambda record: pack_document(record.describe(0)),
            content=build_content_filter(settings.ingest.code),
            clock=base.clock,
        ),
        copies=build_file_copies(base),
        writer=find_writer(base.data_dir),
        files=base.files,
        now=base.clock.now(),
    )


def _build_index_access(base: KnowledgeBase) -> IndexAccess | None:
    if not base.has_database:
        return None
    return IndexAccess(
        documents=base.index.documents,
        source_files=base.index.source_files,
        embeddings=base.index.embeddings,
        jobs=base.history.jobs,
        disk_files=base.open_disk_files(),
        now=base.clock.now(),
        stale_threshold_days=base.loaded.settings.search.stale_threshold_days,
        wants_vectors=base.wants_vectors,
        pictures=build_picture_access(base),
        vectors_advice=base.advise_on_vectors(),
    )


def _build_search_access(base: KnowledgeBase, query: SearchQuery) -> SearchAccess:
    from kebab_search import PassageExaminer

    from kebab_app.search import build_budget

    settings = base.loaded.settings
    return SearchAccess(
        retriever=base.retriever,
        examiner=PassageExaminer(
            index=base.index.terms, documents=base.index.documents, analyzer=base.analyzer
        ),
        open_vectors=lambda: build_vector_leg(
            base.question_embedder,
            store=base.vectors,
            repo=base.index.embeddings,
            advice=base.advise_on_vectors,
        ),
        score_gate=settings.rag.score_gate,
        filter_names={field: filter_argument(field) for field in SearchFilters.model_fields},
        budget=build_budget(base, query),
    )
