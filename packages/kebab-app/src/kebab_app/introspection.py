"""What this kebab can do and what the knowledge base holds."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kebab_core import ExternalError, InputError, ModelsSettings, StoreStats

from kebab_app.wiring import EXTRACTORS, LANGUAGE_MODELS

if TYPE_CHECKING:
    from kebab_wire import SchemaReport

    from kebab_app.knowledge_base import KnowledgeBase

_EMPTY = StoreStats(
    doc_count=0,
    chunk_count=0,
    asset_count=0,
    failed_file_count=0,
    pending_document_count=0,
    held_document_count=0,
    sqlite_bytes=0,
    asset_bytes=0,
    schema_version=0,
    corpus_revision=0,
)


def describe(base: KnowledgeBase) -> SchemaReport:
    """Return versions, capabilities, models and statistics; opens the database but never makes it."""
    from kebab_wire import WIRE_SCHEMAS, wire_schema_report

    stats = base.documents.stats() if base.has_database else _EMPTY
    return wire_schema_report(
        kebab_version=version("kebab-app"),
        schemas=tuple(sorted(WIRE_SCHEMAS)),
        capabilities=find_capabilities(base, frozenset(WIRE_SCHEMAS)),
        models=_models(base, stats),
        stats=stats,
        stale_document_count=_count_stale(base) if base.has_database else None,
    )


def find_capabilities(base: KnowledgeBase, schemas: frozenset[str]) -> dict[str, bool]:
    """Return what is available, read off what is registered rather than claimed.

    Args:
        base: Its public methods are its use cases.
        schemas: Wire objects that can be printed.
    """
    media = {label.partition("-")[0] for label in EXTRACTORS}
    return {
        "json_mode": "error.v1" in schemas,
        "ingest_progress": "ingest_progress.v1" in schemas,
        "ingest_cancellation": find_spec("kebab_ingest") is not None,
        "incremental_ingest": hasattr(base, "ingest"),
        "single_file_ingest": hasattr(base, "ingest_file"),
        "lexical_search": find_spec("kebab_search") is not None,
        "vector_search": _can_embed(base),
        "bulk_search": "bulk_search_item.v1" in schemas,
        "search_cache": hasattr(base, "search_cache"),
        "ask": hasattr(base, "ask"),
        "streaming_ask": hasattr(base, "ask_stream"),
        "chat_models": len(LANGUAGE_MODELS) > 1,
        "answer_verification": find_spec("kebab_nli") is not None,
        "multi_hop": hasattr(base, "ask_multi_hop"),
        "rag_multi_turn": hasattr(base, "ask_with_history"),
        "mcp_server": find_spec("kebab_mcp") is not None,
        "http_daemon": find_spec("kebab_web") is not None,
        "media_markdown": "md" in media,
        "media_text": "text" in media,
        "media_pdf": "pdf" in media,
        "media_image": "image" in media,
        "media_code": "code" in media,
    }


def _can_embed(base: KnowledgeBase) -> bool:
    """Return whether a model is configured and here, or a server for it; no server is asked."""
    try:
        return base.embedder is not None
    except (ExternalError, InputError):
        return False


def _count_stale(base: KnowledgeBase) -> int:
    threshold = base.loaded.settings.search.stale_threshold_days
    return base.documents.coverage(now=base.clock.now(), stale_threshold_days=threshold).documents_stale


def _models(base: KnowledgeBase, stats: StoreStats) -> dict[str, str | int | list[str] | None]:
    models: ModelsSettings = base.loaded.settings.models
    embeds = models.embedding.provider != "none"
    return {
        "parser_version": next(iter(EXTRACTORS)),
        "chunker_version": next(chunker for _, chunker in EXTRACTORS.values()),
        "active_parsers": list(stats.active_parsers),
        "active_chunkers": list(stats.active_chunkers),
        "analyzer_version": base.analyzer.version,
        "embedding_model": models.embedding.model if embeds else None,
        "prompt_template_version": base.loaded.settings.rag.prompt_template_version,
        "index_version": base.retriever.index_version() if base.has_database else None,
        "corpus_revision": stats.corpus_revision,
    }
