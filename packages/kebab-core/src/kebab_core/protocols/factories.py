"""Factories of extractors, chunkers, embedders and language models, and the services that they may use.

The rows of `kebab_app.wiring` and the entry points of other distributions name factories of these types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kebab_core.model import Model
from kebab_core.protocols.models import Embedder, LanguageModel
from kebab_core.protocols.source import (
    Chunker,
    Extractor,
    SourceConnector,
)
from kebab_core.settings import EmbeddingSettings, LlmSettings, SourceSettings
from kebab_core.token_counter import TokenCounter


@dataclass(frozen=True, kw_only=True)
class ExtractorServices:
    """Services that an extractor may use."""

    counter: TokenCounter


@dataclass(frozen=True, kw_only=True)
class EmbedderServices:
    """Services that an embedder may use."""

    models_dir: str
    """Folder of pulled models."""
    api_key: str | None = field(default=None, repr=False)
    """Value of the variable that `EmbeddingSettings.api_key_env` names."""


@dataclass(frozen=True, kw_only=True)
class LanguageModelServices:
    """Services that a language model may use."""

    api_key: str | None = field(default=None, repr=False)
    """Value of the variable that `LlmSettings.api_key_env` names."""
    models_dir: str = ""
    """Folder of model files; relative names start here."""


ExtractorFactory = Callable[[Model | None, ExtractorServices], Extractor]
"""Builds an extractor from the section of `IngestSettings` that its row names, or that of a plugin as its `settings_model`; from
None where it has no settings. Called in every process that reads files; loads nothing heavy.

The factory of a plugin with settings has the attribute `settings_model`, a subclass of `Model`: the section
`[ingest.extractors.<name>]` is checked against it, and values other than its defaults are part of the fingerprint."""

SourceConnectorFactory = Callable[[SourceSettings], SourceConnector]
"""Builds the connector of a source. Called in every process that reads files; reads nothing itself. Raises `ConfigInvalidError`
where it cannot be the connector of such a source."""

ChunkerFactory = Callable[[TokenCounter], Chunker]
"""Builds a chunker that measures sizes with a counter. Called in every process that reads files."""

EmbedderFactory = Callable[[EmbeddingSettings, EmbedderServices], Embedder]
"""Builds an embedder. Loads no weights and calls no server before the first use. Raises `ConfigInvalidError` where the settings do
not fit the model, and `ModelMissingError` where its weights are not on this machine."""

LanguageModelFactory = Callable[[LlmSettings, LanguageModelServices], LanguageModel]
"""Builds a language model; endpoint, name and timeouts are in the settings. Calls no server before the first request. Raises
`ConfigInvalidError` where the settings do not fit the model."""
