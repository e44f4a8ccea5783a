"""Embedding models on this machine, and those that can be pulled to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_embed_local import CatalogueEntry, PulledModel
    from kebab_model_e5_small import Manifest

_BYTES_PER_MB = 1_000_000
_UNKNOWN_LICENCE = "see the model's card"


@dataclass(frozen=True, kw_only=True)
class ModelEntry:
    """One model that needs no model server."""

    name: str
    provider: Literal["bundled", "fastembed"]
    """Value of `models.embedding.provider` for it."""
    state: Literal["here", "pullable", "unavailable", "damaged"]
    """On this machine; can be pulled; installed without weights; or installed with a file missing or cut."""
    in_use: bool
    """The configuration names it."""
    dimensions: int | None = None
    size_bytes: int | None = None
    """Size on disk, or about the size of the download."""
    licence: str
    repository: str | None = None
    """Source of the download."""
    folder: Path | None = None
    """Folder of a model on this machine."""


@dataclass(frozen=True, kw_only=True)
class ModelPull:
    """Result of `pull_model`."""

    name: str
    was_here: bool
    """Nothing had to be downloaded."""
    folder: Path
    repository: str
    revision: str
    """Version of the repository."""
    size_bytes: int
    licence: str
    dimensions: int | None = None
    """Value of `models.embedding.dimensions` for it."""


class PullStep(NamedTuple):
    """Progress of a download."""

    file: str
    done_bytes: int
    """Of all files together."""
    total_bytes: int


def list_models(loaded: LoadedSettings) -> tuple[ModelEntry, ...]:
    """List the models that need no server: those on this machine first, then the catalogue, best first; offline."""
    from kebab_embed_local import CATALOGUE

    here = {model.name: model for model in _pulled(loaded.paths.models_dir)}
    known = {entry.name: entry for entry in CATALOGUE}
    return (
        _bundled_entry(loaded),
        *(_pulled_entry(model, known.get(model.name), loaded) for model in here.values()),
        *(_catalogue_entry(entry, loaded) for entry in CATALOGUE if entry.name not in here),
    )


def pull_model(loaded: LoadedSettings, name: str, *, progress: Callable[[PullStep], None]) -> ModelPull:
    """Download a model into the models folder, unless it is there.

    Args:
        loaded: Settings with the paths they resolve to.
        name: A name of `list_models`, or of fastembed's own list.
        progress: Called after every piece.

    Raises:
        InvalidInputError: There is no such model.
        DependencyMissingError: Only fastembed may know it, and that is not installed.
        ModelMissingError: The hub does not have it any more.
        ModelCorruptError: What arrived is not what the hub lists.
        ModelUnreachableError: The hub cannot be reached.
        OperationTimeoutError: It falls silent.
        StorageError: There is no room, or the folder cannot be written.
    """
    import kebab_embed_local

    entry = kebab_embed_local.find_entry(name)
    folder = loaded.paths.models_dir
    was_here = kebab_embed_local.read_pulled(folder / entry.name) is not None
    pulled = kebab_embed_local.pull_model(
        name, models_dir=folder, progress=lambda step: progress(PullStep(*step))
    )
    return ModelPull(
        name=pulled.name,
        was_here=was_here,
        folder=pulled.folder,
        repository=pulled.repository,
        revision=pulled.revision,
        size_bytes=pulled.total_bytes,
        licence=entry.licence,
        dimensions=entry.dimensions or None,
    )


def licence_of(name: str) -> str:
    """Return the licence of a model that can be pulled.

    Raises:
        InvalidInputError: There is no such model.
        DependencyMissingError: Only fastembed may know it, and that is not installed.
    """
    from kebab_embed_local import find_entry

    return find_entry(name).licence


def _pulled(folder: Path) -> Iterator[PulledModel]:
    from kebab_embed_local import read_pulled

    for each in sorted(folder.iterdir()) if folder.is_dir() else ():
        model = None if each.name.startswith(".") else read_pulled(each)
        if model is not None:
            yield model


def _bundled_entry(loaded: LoadedSettings) -> ModelEntry:
    from kebab_core import EmbeddingSettings
    from kebab_model_e5_small import files

    facts, folder = _bundled_facts(), files()
    state: Literal["here", "damaged", "unavailable"] = "unavailable"
    if folder is not None:
        state = "here" if facts is not None and _is_whole(loaded, folder) else "damaged"
    return ModelEntry(
        name=facts["model_id"] if facts else EmbeddingSettings().model,
        provider="bundled",
        state=state,
        in_use=loaded.settings.models.embedding.provider == "bundled",
        dimensions=facts["dimensions"] if facts else None,
        size_bytes=sum(file["size"] for file in facts["files"].values()) if facts and folder else None,
        licence=facts["licence"] if facts else _UNKNOWN_LICENCE,
        folder=folder,
    )


def _bundled_facts() -> Manifest | None:
    """Read the manifest of the bundled model; None where it cannot be read or is damaged."""
    from kebab_model_e5_small import manifest

    try:
        facts = manifest()
        is_readable = all(facts[key] for key in ("model_id", "dimensions", "licence"))
        return facts if is_readable and isinstance(facts["files"], dict) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_whole(loaded: LoadedSettings, folder: Path) -> bool:
    """Return True where all files have their size; their content is checked by `kebab doctor`."""
    from kebab_core import EmbeddingSettings, ModelCorruptError
    from kebab_embed_local import build_embedder

    try:
        build_embedder(EmbeddingSettings(), models_dir=loaded.paths.models_dir, bundled=folder)
    except ModelCorruptError:
        return False
    return True


def _pulled_entry(model: PulledModel, entry: CatalogueEntry | None, loaded: LoadedSettings) -> ModelEntry:

    return ModelEntry(
        name=model.name,
        provider="fastembed",
        state="here",
        in_use=_is_in_use(model.name, loaded),
        dimensions=entry.dimensions if entry else None,
        size_bytes=model.total_bytes,
        licence=entry.licence if entry else _UNKNOWN_LICENCE,
        repository=model.repository,
        folder=model.folder,
    )


def _catalogue_entry(entry: CatalogueEntry, loaded: LoadedSettings) -> ModelEntry:

    return ModelEntry(
        name=entry.name,
        provider="fastembed",
        state="pullable",
        in_use=_is_in_use(entry.name, loaded),
        dimensions=entry.dimensions,
        size_bytes=entry.megabytes * _BYTES_PER_MB,
        licence=entry.licence,
        repository=entry.repository,
    )


def _is_in_use(name: str, loaded: LoadedSettings) -> bool:
    settings = loaded.settings.models.embedding
    return settings.provider == "fastembed" and settings.model.rpartition("/")[2] == name
