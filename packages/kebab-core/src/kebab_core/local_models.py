"""Models on this machine: entries of lists, servers that have chat models, and the result of a download."""

from __future__ import annotations

from typing import Literal

from kebab_core.model import Count, Model, Position


class ModelEntry(Model):
    """One embedding model."""

    name: str
    provider: Literal["bundled", "fastembed"]
    """Value of `models.embedding.provider` for it."""
    state: Literal["here", "pullable", "unavailable", "damaged"]
    """`here`: on this machine. `pullable`: can be downloaded. `unavailable`: installed without weights, as on some
    platforms. `damaged`: installed with a missing or truncated file."""
    in_use: bool
    """Whether the configuration names it."""
    dimensions: Position | None = None
    size_bytes: Count | None = None
    """Size on disk, or approximate size of the download."""
    licence: str
    repository: str | None = None
    """Repository of a pulled model."""
    folder: str | None = None
    """Folder of a model on this machine."""
    precision: Literal["int8", "fp32"] | None = None
    """Arithmetic of the bundled model, as the settings and the CPU choose it; null if it is not known."""


class ChatModelEntry(Model):
    """One chat model."""

    name: str
    """Value of `models.llm.model` for it."""
    in_use: bool
    """Whether the configuration names it."""
    size_bytes: Count | None = None
    """Size on disk, where it is known."""
    kind: str = ""
    """Number of parameters and quantization, where they are known."""


class NliModelEntry(Model):
    """One model that checks the entailment of answers."""

    name: str
    """Value of `models.nli.model` for it."""
    state: Literal["here", "pullable"]
    in_use: bool
    """Whether the configuration names it, and `rag.nli_threshold` is above 0."""
    size_bytes: Count | None = None
    """Approximate size of the download, where it is known."""
    licence: str | None = None
    folder: str | None = None
    """Folder of a model on this machine."""


class RerankerEntry(Model):
    """One cross-encoder."""

    name: str
    """Value of `models.reranker` for it."""
    state: Literal["here", "pullable"]
    in_use: bool
    """Whether the configuration names it."""
    multilingual: bool | None = None
    """Whether it reads other languages than English; null where that is not known."""
    size_bytes: Count | None = None
    """Approximate size of the download, where it is known."""
    licence: str | None = None
    folder: str | None = None
    """Folder of a model on this machine."""


class ChatServer(Model):
    """A model server on this machine."""

    server: str
    """Such as `Ollama`."""
    provider: str
    """Value of `models.llm.provider` for it."""
    endpoint: str | None = None
    """Value of `models.llm.endpoint` for it; null where it needs none."""
    models: tuple[str, ...]
    """Names of its chat models."""


class ModelPull(Model):
    """Result of the download of a model."""

    name: str
    was_here: bool
    """True if no download was needed."""
    folder: str
    repository: str
    revision: str
    """Version of the repository."""
    size_bytes: Count
    licence: str
    dimensions: Position | None = None
    """Value of `models.embedding.dimensions` for it."""
