"""Factories of extractors, chunkers, embedders and language models, and the services that they may use.

The rows of `kebab_app.wiring` and the entry points of other distributions name factories of these types.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kebab_core.model import Model
    from kebab_core.protocols.models import Embedder, LanguageModel
    from kebab_core.protocols.source import (
        Chunker,
        Extractor,
        LanguageDetector,
        SourceConnector,
        TokenCounter,
    )
    from kebab_core.settings import EmbeddingSettings, LlmSettings, SourceSettings


@dataclass(frozen=True, kw_only=True)
class ExtractorServices:
    """Services that an extractor may use."""

    detector: LanguageDetector
    counter: TokenCounter


class ExtractorFactory(Protocol):
    """Builds an extractor. Called in every process that reads files; loads nothing heavy.

    The factory of a plugin with settings has the attribute `settings_model`, a subclass of `Model`: the section
    `[ingest.extractors.<name>]` is checked against it, and values other than its defaults are part of the fingerprint.
    """

    def __call__(self, settings: Model | None, services: ExtractorServices, /) -> Extractor:
        """Return the extractor.

        Args:
            settings: The section of `IngestSettings` that its row names, or that of a plugin as its `settings_model`;
                None for an extractor without settings.
            services: Services that it may use.
        """
        ...


class SourceConnectorFactory(Protocol):
    """Builds the connector of a source. Called in every process that reads files; reads nothing itself."""

    def __call__(self, source: SourceSettings, /) -> SourceConnector:
        """Return the connector of the source.

        Raises:
            ConfigInvalidError: It cannot be the connector of such a source.
        """
        ...


class ChunkerFactory(Protocol):
    """Builds a chunker. Called in every process that reads files."""

    def __call__(self, counter: TokenCounter, /) -> Chunker:
        """Return the chunker; `counter` measures sizes."""
        ...


@dataclass(frozen=True, kw_only=True)
class EmbedderServices:
    """Services that an embedder may use."""

    models_dir: str
    """Folder of pulled models."""
    api_key: str | None = field(default=None, repr=False)
    """Value of the variable that `EmbeddingSettings.api_key_env` names."""


class EmbedderFactory(Protocol):
    """Builds an embedder. Loads no weights and calls no server before the first use."""

    def __call__(self, settings: EmbeddingSettings, services: EmbedderServices, /) -> Embedder:
        """Return the embedder.

        Raises:
            ConfigInvalidError: The settings do not fit the model.
            ModelMissingError: Its weights are not on this machine.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class LanguageModelServices:
    """Services that a language model may use."""

    api_key: str | None = field(default=None, repr=False)
    """Value of the variable that `LlmSettings.api_key_env` names."""
    models_dir: str = ""
    """Folder of model files; relative names start here."""


class LanguageModelFactory(Protocol):
    """Builds a language model. Calls no server before the first request."""

    def __call__(self, settings: LlmSettings, services: LanguageModelServices, /) -> LanguageModel:
        """Return the model; endpoint, name and timeouts are in `settings`.

        Raises:
            ConfigInvalidError: The settings do not fit the model.
        """
        ...
