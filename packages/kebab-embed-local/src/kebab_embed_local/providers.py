"""`build_embedder`: the embedder of the provider that the settings name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast

from kebab_core import ConfigInvalidError, Embedder, EmbeddingIdentity, EmbeddingSettings


class EmbedderResources(NamedTuple):
    """Folders, files and keys that an embedder may need beside its settings."""

    models_dir: Path
    """Folder of pulled models; relative names of model folders start here."""
    bundled: Path | None = None
    """The files of the model that is installed with kebab; None where it comes without weights."""
    api_key: str | None = None
    """API key, sent to a model server that requires one."""
    hashes: Path | None = None
    """File of the hash cache for the bundled files; None keeps none."""
    cpu_flags: frozenset[str] | None = None
    """Instruction sets of the CPU, by their names in Linux; None are those of this machine."""
    stored: EmbeddingIdentity | None = None
    """The model of the vectors that are there."""


_PROVIDERS = {
    "bundled": "kebab_embed_local.bundled:bundled_embedder",
    "fastembed": "kebab_embed_local.folder:pulled_embedder",
    "ollama": "kebab_embed_local.server_embedder:ollama_embedder",
    "onnx": "kebab_embed_local.folder:local_embedder",
    "openai": "kebab_embed_local.server_embedder:openai_embedder",
}
PROVIDERS = (*_PROVIDERS, "none")
"""Values of `models.embedding.provider` that `build_embedder` takes."""


def build_embedder(
    settings: EmbeddingSettings,
    *,
    models_dir: Path,
    bundled: Path | None = None,
    api_key: str | None = None,
    hashes: Path | None = None,
    cpu_flags: frozenset[str] | None = None,
    stored: EmbeddingIdentity | None = None,
) -> Embedder | None:
    """Return the embedder that the settings ask for; None if they ask for none.

    Cheap: no weights are loaded and no library of models is imported before the first text, but a model in a folder is
    hashed when it is met for the first time.

    Args:
        settings: The section `models.embedding`.
        models_dir: Where pulled models are, and where relative names of folders lead.
        bundled: The files of the model that is installed with kebab; None where it comes without weights.
        api_key: API key, sent to a model server that requires one.
        hashes: The file where it is kept that the bundled files were found whole; without it, or where it cannot be
            written, every new embedder reads them before its first text.
        cpu_flags: Instruction sets of the CPU that decide about the precision of the bundled model; None are those of
            this machine.
        stored: The model of the vectors that are there. If they are in fp32, `precision = "auto"` goes on so.

    Returns:
        The embedder, with `identity` known or, for a model server, asked for when it is read.

    Raises:
        ConfigInvalidError: There is no such provider, or the settings do not fit the model.
        DependencyMissingError: A library that this provider needs is not installed.
        ModelMissingError: The weights are not on this machine.
        ModelCorruptError: They are damaged.
    """
    if settings.provider == "none":
        return None
    if settings.provider not in _PROVIDERS:
        raise ConfigInvalidError(
            "models.embedding.provider: there is no {provider!r}; known are {providers}",
            key="models.embedding.provider",
            _provider=settings.provider,
            _providers=", ".join(PROVIDERS),
        )
    module, _, name = _PROVIDERS[settings.provider].partition(":")
    builder = cast(
        "Callable[[EmbeddingSettings, EmbedderResources], Embedder]", getattr(import_module(module), name)
    )
    return builder(settings, EmbedderResources(models_dir, bundled, api_key, hashes, cpu_flags, stored))
