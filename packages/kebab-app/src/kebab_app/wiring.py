"""The composition root: the only place where adapters are made.

Built-in adapters stand in a literal table and are imported when first needed, so that a command pays only for
the parts it uses.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from kebab_config import EXTRACTIVE_PROVIDER
from kebab_core import CHAT_PROVIDERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kebab_config import LoadedSettings
    from kebab_core import (
        ActiveModel,
        Analyzer,
        ChunkingSettings,
        ChunkPolicy,
        Clock,
        Embedder,
        EmbeddingIdentity,
        EmbeddingRepo,
        Extractor,
        ExtractorFactory,
        ExtractorServices,
        IngestSettings,
        LanguageModel,
        LanguageModelFactory,
        LanguageModelServices,
        LlmSettings,
        Model,
        SourceSettings,
        TokenCounter,
        VectorIndex,
    )
    from kebab_ingest import DocumentProcessor, Prepare, Recipe
    from kebab_store_vector import MatrixVectorStore

    from kebab_app.recipe_rows import RecipeRow
    from kebab_app.recipes import Recipes
    from kebab_app.store import SqliteDatabase


LANGUAGE_MODELS: Mapping[str, str] = dict.fromkeys(CHAT_PROVIDERS, "kebab_llm_local:build_language_model")
"""Provider to the `LanguageModelFactory`; the extractive reader is none of them."""
ANSWER_PROVIDERS = (EXTRACTIVE_PROVIDER, *LANGUAGE_MODELS)
"""Values of `models.llm.provider` that are built in."""

VECTORS_FOLDER = "vectors"
"""Below the data folder: files that are made from the database."""
MODEL_HASHES = Path("cache", "model-files.json")
"""Below the data folder: hashes of the model files that were verified."""
_BYTES_PER_MB = 1024 * 1024


def load_object(reference: str) -> object:
    """Return the object that `module:name` refers to, imported now."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def build_policy(settings: ChunkingSettings, counter: TokenCounter) -> ChunkPolicy:
    """Build the chunk sizes in force."""
    from kebab_core import ChunkPolicy

    return ChunkPolicy(
        target_tokens=settings.target_tokens,
        max_tokens=settings.max_tokens,
        overlap_tokens=settings.overlap_tokens,
        token_counter=counter.label,
    )


def build_analyzer() -> Analyzer:
    """Build the analyser that index and query share."""
    from kebab_analysis import KoreanEnglishAnalyzer

    return KoreanEnglishAnalyzer()


def build_extractor_services() -> ExtractorServices:
    """Build the services that extractors may use."""
    from kebab_core import ExtractorServices, TokenCounter

    return ExtractorServices(counter=TokenCounter())


def build_processor(
    settings: IngestSettings,
    *,
    analyzer: Analyzer,
    recipes: Sequence[RecipeRow] | None = None,
) -> DocumentProcessor:
    """Build the processor of files.

    Args:
        settings: Sizes of chunks, and sections of extractors.
        analyzer: Makes the terms.
        recipes: Rows of the media that it reads; None is the built-in ones.
    """
    from kebab_ingest import DocumentProcessor, NameFiles

    from kebab_app.content import find_media, find_names, list_other_parsers, read_names

    return DocumentProcessor(
        find_recipe=build_recipes(settings, recipes).find,
        find_media=find_media,
        list_other_parsers=list_other_parsers,
        name_files=NameFiles(find=find_names, read=read_names),
        analyzer=analyzer,
    )


def build_recipes(settings: IngestSettings, rows: Sequence[RecipeRow] | None = None) -> Recipes:
    """Build the recipes of media, by default those that are built in; each is made when it is first looked for."""
    from kebab_app.recipe_rows import RECIPES
    from kebab_app.recipes import Recipes

    services = build_extractor_services()
    built_in = [
        (row.media, partial(build_recipe, row, settings, services))
        for row in (RECIPES if rows is None else rows)
    ]
    return Recipes(built_in, settings, services, build_policy(settings.chunking, services.counter))


def build_extractor(row: RecipeRow, settings: IngestSettings, services: ExtractorServices) -> Extractor:
    """Build the extractor that a row names."""
    made = load_object(row.extractor)
    if isinstance(made, type):
        return cast("Extractor", made())  # the table's promise
    make = cast("ExtractorFactory", made)
    return make(getattr(settings, row.settings) if row.settings else None, services)


def build_recipe(row: RecipeRow, settings: IngestSettings, services: ExtractorServices) -> Recipe:
    """Build the parts that a row names."""
    from kebab_chunk import build_chunker
    from kebab_ingest import Recipe

    from kebab_app.recipe_rows import FALLBACKS

    section: Model | None = getattr(settings, row.settings) if row.settings else None
    extractor = build_extractor(row, settings, services)
    fallback = FALLBACKS.get(row.media, row)
    return Recipe(
        extractor=extractor,
        chunker=build_chunker(row.chunker, services.counter),
        policy=build_policy(row.policy or settings.chunking, services.counter),
        settings=section,
        isolated=getattr(extractor, "isolated", False),
        fallback=None if fallback == row else build_recipe(fallback, settings, services),
    )


def open_store(loaded: LoadedSettings, *, clock: Clock, readonly: bool) -> SqliteDatabase:
    """Open the database of the data folder; one that is missing is made unless `readonly`."""
    from kebab_app.store import open_database

    return open_database(
        loaded.paths.data_dir,
        clock=clock,
        copy_threshold_bytes=loaded.settings.storage.copy_threshold_mb * _BYTES_PER_MB,
        readonly=readonly,
    )


def require_provider(key: str, name: str) -> None:
    """Check that a setting names a part that is there; keys of other settings pass.

    Raises:
        ConfigInvalidError: There is no such provider; the remedy has the nearest.
        PluginConflictError: Several distributions offer it.
    """
    from kebab_config import require_plugin
    from kebab_core import EMBEDDERS_GROUP, LANGUAGE_MODELS_GROUP
    from kebab_embed_local import PROVIDERS

    groups = {
        "models.embedding.provider": (EMBEDDERS_GROUP, PROVIDERS),
        "models.llm.provider": (LANGUAGE_MODELS_GROUP, ANSWER_PROVIDERS),
    }
    group, built_in = groups.get(key, ("", (name,)))
    if name not in built_in:
        require_plugin(group, name, key=key, built_in=built_in)


def build_embedder(
    loaded: LoadedSettings, *, readonly: bool = False, stored: EmbeddingIdentity | None = None
) -> Embedder | None:
    """Build the embedder that the settings name, None where they name none; nothing heavy is loaded yet.

    Args:
        loaded: The settings.
        readonly: Do not store the hashes of the model's files.
        stored: The model of the vectors that are there.

    Raises:
        ConfigInvalidError: There is no such provider, or the settings do not fit the model.
        PluginConflictError: Several distributions offer the provider, or the plugin cannot be used.
        DependencyMissingError: A library that its provider needs is not installed.
        ModelMissingError: Its weights are not on this machine.
        ModelCorruptError: They are damaged.
    """
    settings = loaded.settings.models.embedding
    if settings.provider == "none":
        return None
    from kebab_embed_local import PROVIDERS, build_embedder as build

    if settings.provider not in PROVIDERS:
        from kebab_config import require_plugin
        from kebab_core import EMBEDDERS_GROUP, Embedder, EmbedderServices

        plugin = require_plugin(
            EMBEDDERS_GROUP, settings.provider, key="models.embedding.provider", built_in=PROVIDERS
        )
        services = EmbedderServices(models_dir=str(loaded.paths.models_dir), api_key=loaded.embedding_api_key)
        return cast("Embedder", plugin.build(settings, services, protocol=Embedder))
    bundled = None
    if settings.provider == "bundled":
        from kebab_model_e5_small import files

        bundled = files()
    return build(
        settings,
        models_dir=loaded.paths.models_dir,
        bundled=bundled,
        api_key=loaded.embedding_api_key,
        hashes=None if readonly else loaded.paths.data_dir / MODEL_HASHES,
        stored=stored,
    )


def build_former_embedder(loaded: LoadedSettings, active: ActiveModel) -> Embedder | None:
    """Build the embedder for queries over a model that is not in force any more; None where that cannot be done."""
    from kebab_core import EmbeddingKind, EmbeddingSettings, KebabError

    try:
        embedding = EmbeddingSettings.model_validate_json(active.settings_json)
        is_same_key = embedding.api_key_env == loaded.settings.models.embedding.api_key_env
        models = loaded.settings.models.model_copy(update={"embedding": embedding})
        former = replace(
            loaded,
            settings=loaded.settings.model_copy(update={"models": models}),
            embedding_api_key=loaded.embedding_api_key if is_same_key else None,  # a key is for one server
        )
        embedder = build_embedder(former, readonly=True)
        if embedder is not None and embedder.identity != active.identity:
            other = getattr(embedder, "for_queries_over", lambda _: None)
            embedder = other(active.identity)
        if embedder is None:
            return None
        embedder.embed(["."], EmbeddingKind.QUERY)  # its server or its files may be gone
    except (KebabError, ValueError):
        return None
    return embedder


def build_vector_store(
    data_dir: Path, source: EmbeddingRepo, *, index: VectorIndex, readonly: bool
) -> MatrixVectorStore:
    """Build the vector store of a data folder; nothing is made or read before its first use."""
    from kebab_config import quiet_libraries
    from kebab_store_vector import LanceVectorStore

    quiet_libraries()
    rows = max_exact_rows(index)
    return LanceVectorStore(data_dir / VECTORS_FOLDER, source, readonly=readonly, exact_rows=rows)


def max_exact_rows(index: VectorIndex) -> int:
    """Return the number of vectors above which an approximate index is used."""
    from kebab_store_vector import EXACT_ROWS

    return {"matrix": sys.maxsize, "lancedb": 0, "auto": EXACT_ROWS}[index]


def count_json(value: Model) -> int:
    """Estimate the tokens of a value as JSON."""
    from kebab_core import TokenCounter

    return TokenCounter().count(value.model_dump_json())


def build_model(settings: LlmSettings, services: LanguageModelServices) -> LanguageModel:
    """Build the model that writes answers.

    Raises:
        ConfigInvalidError: There is no such model.
        PluginConflictError: Several distributions offer it, or the plugin cannot be used.
    """
    reference = LANGUAGE_MODELS.get(settings.provider)
    if reference is None:
        from kebab_config import require_plugin
        from kebab_core import LANGUAGE_MODELS_GROUP, LanguageModel

        plugin = require_plugin(
            LANGUAGE_MODELS_GROUP,
            settings.provider,
            key="models.llm.provider",
            built_in=ANSWER_PROVIDERS,
        )
        return cast("LanguageModel", plugin.build(settings, services, protocol=LanguageModel))
    make = cast("LanguageModelFactory", load_object(reference))  # the table's promise
    return make(settings, services)


def build_chat_model(loaded: LoadedSettings) -> LanguageModel | None:
    """Build the chat model that the settings name; None where a plugin writes answers or the extractive reader quotes them.

    Raises:
        ConfigInvalidError: The settings do not fit the provider.
        DependencyMissingError: A library that its provider needs is not installed.
    """
    from kebab_llm_local import PROVIDERS, build_chat_model as build

    settings = loaded.settings.models.llm
    if settings.provider not in PROVIDERS:
        return None
    return build(settings, models_dir=loaded.paths.models_dir, api_key=loaded.llm_api_key)


@dataclass(frozen=True, kw_only=True)
class PreparerRecipe:
    """Everything that the preparation of files depends on, as values that can be pickled for a worker process."""

    ingest: IngestSettings
    data_dir: Path
    copy_threshold_bytes: int
    sources: Sequence[SourceSettings] = ()
    recipes: Sequence[RecipeRow] | None = None
    """None is the built-in ones."""

    def __call__(self) -> Prepare:
        """Make the function that prepares files in this process."""
        from kebab_ingest import FilePreparer

        from kebab_app.content import build_content_filter
        from kebab_app.ocr import read_stored
        from kebab_app.source_connectors import SourceConnectors
        from kebab_app.store import AssetFiles, pack_document, pack_long

        assets = AssetFiles(self.data_dir, copy_threshold_bytes=self.copy_threshold_bytes)
        preparer = FilePreparer(
            connector=SourceConnectors(self.sources, self.ingest.code),
            processor=build_processor(self.ingest, analyzer=build_analyzer(), recipes=self.recipes),
            keep_asset=lambda asset, content: asset.model_copy(
                update={"stored": assets.keep(asset, content)}
            ),
            read_asset=lambda asset: read_stored(assets, asset),
            pack=pack_document,
            pack_long=partial(pack_long, data_dir=self.data_dir),
            content=build_content_filter(self.ingest.code),
            clock=SystemClock(),
            ends_without_memory=True,
        )
        return preparer.prepare


class SystemClock:
    """`kebab_core.Clock` over the operating system."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - the one reader of the clock

    def monotonic_ms(self) -> int:
        """Return milliseconds from an arbitrary start."""
        return time.monotonic_ns() // 1_000_000
