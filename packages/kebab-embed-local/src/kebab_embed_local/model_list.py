"""List of the embedding models that need no server: the installed one, those on this machine, and the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from kebab_core import EmbeddingSettings, ModelCorruptError, ModelEntry

from kebab_embed_local.bundled import bundled_embedder
from kebab_embed_local.catalogue import CATALOGUE, CatalogueEntry
from kebab_embed_local.model_pull import PulledModel, read_pulled
from kebab_embed_local.precision import Precision
from kebab_embed_local.providers import EmbedderResources

_BYTES_PER_MB = 1_000_000
_UNKNOWN_LICENCE = "see the model's card"


def list_models(
    settings: EmbeddingSettings,
    *,
    models_dir: Path,
    bundled: Path | None,
    manifest: Mapping[str, Any] | None,
) -> tuple[ModelEntry, ...]:
    """List the models that need no server: those on this machine first, then the catalogue, best first; offline.

    Args:
        settings: The model in use.
        models_dir: Folder of the models that were pulled.
        bundled: Files of the installed model; None if it was installed without weights.
        manifest: Of the installed model; None where it cannot be read.

    Raises:
        ConfigInvalidError: The settings name a precision that the CPU has not.
    """
    here = {model.name: model for model in _find_pulled(models_dir)}
    known = {entry.name: entry for entry in CATALOGUE}
    return (
        _bundled_entry(settings, bundled, _check_facts(manifest), models_dir),
        *(_pulled_entry(model, known.get(model.name), settings) for model in here.values()),
        *(_catalogue_entry(entry, settings) for entry in CATALOGUE if entry.name not in here),
    )


def _find_pulled(folder: Path) -> Iterator[PulledModel]:
    for each in sorted(folder.iterdir()) if folder.is_dir() else ():
        model = None if each.name.startswith(".") else read_pulled(each)
        if model is not None:
            yield model


def _check_facts(facts: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the manifest of the installed model; None where it is damaged."""
    try:
        is_readable = facts and all(facts[key] for key in ("model_id", "dimensions", "licence"))
        return facts if facts and is_readable and isinstance(facts["files"], dict) else None
    except (KeyError, TypeError):
        return None


def _bundled_entry(
    settings: EmbeddingSettings, folder: Path | None, facts: Mapping[str, Any] | None, models_dir: Path
) -> ModelEntry:
    state: Literal["here", "damaged", "unavailable"] = "unavailable"
    precision = None
    if folder is not None:
        precision = _read_precision(settings, folder, models_dir)
        state = "here" if facts is not None and precision is not None else "damaged"
    return ModelEntry(
        name=facts["model_id"] if facts else EmbeddingSettings().model,
        provider="bundled",
        state=state,
        in_use=settings.provider == "bundled",
        dimensions=facts["dimensions"] if facts else None,
        size_bytes=sum(file["size"] for file in facts["files"].values()) if facts and folder else None,
        licence=facts["licence"] if facts else _UNKNOWN_LICENCE,
        folder=str(folder) if folder else None,
        precision=precision,
    )


def _read_precision(settings: EmbeddingSettings, folder: Path, models_dir: Path) -> Precision | None:
    """Precision of the installed model; None unless all files have their size. Health checks read their content."""
    wanted = EmbeddingSettings(precision=settings.precision)
    try:
        return bundled_embedder(wanted, EmbedderResources(models_dir, folder)).precision
    except ModelCorruptError:
        return None


def _pulled_entry(
    model: PulledModel, entry: CatalogueEntry | None, settings: EmbeddingSettings
) -> ModelEntry:
    return ModelEntry(
        name=model.name,
        provider="fastembed",
        state="here",
        in_use=_is_in_use(model.name, settings),
        dimensions=entry.dimensions if entry else None,
        size_bytes=model.total_bytes,
        licence=entry.licence if entry else _UNKNOWN_LICENCE,
        repository=model.repository,
        folder=str(model.folder),
    )


def _catalogue_entry(entry: CatalogueEntry, settings: EmbeddingSettings) -> ModelEntry:
    return ModelEntry(
        name=entry.name,
        provider="fastembed",
        state="pullable",
        in_use=_is_in_use(entry.name, settings),
        dimensions=entry.dimensions,
        size_bytes=entry.megabytes * _BYTES_PER_MB,
        licence=entry.licence,
        repository=entry.repository,
    )


def _is_in_use(name: str, settings: EmbeddingSettings) -> bool:
    return settings.provider == "fastembed" and settings.model.rpartition("/")[2] == name
