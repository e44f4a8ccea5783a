"""Versions, capabilities and statistics: the use case `schema`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kebab_config import Plugin, list_plugins
from kebab_core import (
    EXTRACTORS_GROUP,
    LANGUAGE_MODELS_GROUP,
    ExternalError,
    InputError,
    ModelsSettings,
    StoreStats,
)
from kebab_diagnose import measure_folder

from kebab_app.ask import find_template
from kebab_app.recipe_rows import RECIPES
from kebab_app.store import table_sizes
from kebab_app.wiring import LANGUAGE_MODELS, build_extractor_services, build_recipe

if TYPE_CHECKING:
    from collections.abc import Sequence

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


@dataclass(frozen=True, kw_only=True)
class ActiveVersions:
    """Versions at work."""

    parser_version: str
    chunker_version: str
    active_parsers: tuple[str, ...]
    """Parsers of the documents in the index."""
    active_chunkers: tuple[str, ...]
    analyzer_version: str
    embedding_model: str | None
    prompt_template_version: str
    index_version: str | None
    corpus_revision: int
    """Rises with every change of what can be found."""


@dataclass(frozen=True, kw_only=True)
class Introspection:
    """Versions, capabilities and statistics of a knowledge base."""

    kebab_version: str
    capabilities: dict[str, bool]
    """By name; those of wire objects are added by the faces."""
    models: ActiveVersions
    stats: StoreStats
    plugins: tuple[Plugin, ...]
    """Parts that other distributions offer."""
    stale_document_count: int | None
    """None where there is no database."""
    data_bytes: dict[str, int]
    """Bytes of each file and folder in the data folder, by name."""
    table_bytes: dict[str, int]
    """Bytes of each table of the database, the largest first; empty where SQLite cannot tell."""


def introspect(base: KnowledgeBase, *, use_cases: frozenset[str]) -> Introspection:
    """Report versions, capabilities, models and statistics; opens the database but never makes it.

    Args:
        base: The knowledge base.
        use_cases: Names of the methods of `App`.
    """
    stats = base.index.documents.stats() if base.has_database else _EMPTY
    plugins = list_plugins()
    return Introspection(
        kebab_version=version("kebab-app"),
        capabilities=_find_capabilities(base, use_cases, plugins),
        models=_find_versions(base, stats),
        stats=stats,
        plugins=plugins,
        stale_document_count=_count_stale(base) if base.has_database else None,
        data_bytes=measure_folder(base.data_dir),
        table_bytes=dict(table_sizes(base.open_for_reading())) if base.has_database else {},
    )


def _find_capabilities(
    base: KnowledgeBase, use_cases: frozenset[str], plugins: Sequence[Plugin]
) -> dict[str, bool]:
    """Derive the capabilities from what is registered and installed."""
    media = {row.media for row in RECIPES} | {p.name for p in plugins if p.group == EXTRACTORS_GROUP}
    writes = bool(LANGUAGE_MODELS) or any(p.group == LANGUAGE_MODELS_GROUP for p in plugins)
    return {
        "ingest_cancellation": find_spec("kebab_ingest") is not None,
        "incremental_ingest": "ingest" in use_cases,
        "single_file_ingest": "ingest_file" in use_cases,
        "lexical_search": find_spec("kebab_search") is not None,
        "vector_search": _can_embed(base),
        "bulk_search": "bulk_search" in use_cases,
        "ask": "ask" in use_cases,
        "streaming_ask": "ask_stream" in use_cases,
        "chat_models": writes,
        "answer_verification": find_spec("kebab_nli") is not None,
        "multi_hop": writes,
        "rag_multi_turn": "ask_stream" in use_cases,
        "mcp_server": find_spec("kebab_mcp") is not None,
        "http_daemon": find_spec("kebab_web") is not None,
        "media_markdown": "markdown" in media,
        "media_text": "text" in media,
        "media_pdf": "pdf" in media,
        "media_office": "office" in media,
        "media_html": "html" in media,
        "media_epub": "epub" in media,
        "media_hwp": "hwp" in media,
        "media_email": "email" in media,
        "media_chat": "chat" in media,
        "media_image": "image" in media,
        "media_subtitles": "subtitles" in media,
        "media_code": "code" in media,
        "media_structured": "structured" in media,
        "media_archive": "archive" in media,
    }


def _can_embed(base: KnowledgeBase) -> bool:
    """Return True where a model is configured and here, or a server for it; no server is asked."""
    try:
        return base.embedder is not None
    except (ExternalError, InputError):
        return False


def _count_stale(base: KnowledgeBase) -> int:
    threshold = base.loaded.settings.search.stale_threshold_days
    return base.index.documents.coverage(now=base.clock.now(), stale_threshold_days=threshold).documents_stale


def _find_versions(base: KnowledgeBase, stats: StoreStats) -> ActiveVersions:
    models: ModelsSettings = base.loaded.settings.models
    embeds = models.embedding.provider != "none"
    markdown = build_recipe(RECIPES[0], base.loaded.settings.ingest, build_extractor_services())
    return ActiveVersions(
        parser_version=markdown.extractor.parser_version(),
        chunker_version=markdown.chunker.chunker_version(),
        active_parsers=tuple(stats.active_parsers),
        active_chunkers=tuple(stats.active_chunkers),
        analyzer_version=base.analyzer.version,
        embedding_model=models.embedding.model if embeds else None,
        prompt_template_version=find_template(base),
        index_version=base.retriever.index_version() if base.has_database else None,
        corpus_revision=stats.corpus_revision,
    )
