"""Models of fastembed's list, from where `kebab models pull` puts them.

fastembed itself is only asked which repository holds a model, when one is pulled that kebab does not know. Its
runtime pads every batch to the longest text and cuts what is longer than the window without a word; the same files
go through kebab's own batches and windows here.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from kebab_core import ConfigInvalidError, DependencyMissingError, EmbeddingSettings, ModelMissingError

from kebab_embed_local.build import Surroundings
from kebab_embed_local.embedder import OnnxEmbedder
from kebab_embed_local.extras import TOKENIZERS_HINT
from kebab_embed_local.folder import folder_embedder
from kebab_embed_local.pull.catalogue import known_entry


def pulled_embedder(settings: EmbeddingSettings, surroundings: Surroundings) -> OnnxEmbedder:
    """Return an embedder of a pulled model; nothing is looked for elsewhere than in the models folder.

    A folder as fastembed and the hub's own tools keep their models is taken, too.

    Raises:
        DependencyMissingError: What reads its tokenizer is not installed.
        ModelMissingError: It has not been pulled.
        ModelCorruptError: What describes it cannot be read.
        ConfigInvalidError: The settings name other dimensions than the model has, as far as is known before it is pulled.
    """
    if find_spec("tokenizers") is None:
        raise DependencyMissingError(
            "the provider `fastembed` needs packages that are not installed",
            hint=TOKENIZERS_HINT,
            package="tokenizers",
        )
    name = settings.model.rpartition("/")[2]
    folder = _find_folder(surroundings.models_dir, name)
    if folder is None:
        _require_dimensions(settings, name)
        message, hint = _describe_absence(name)
        raise ModelMissingError(message, hint=hint, model=name, folder=str(surroundings.models_dir))
    return folder_embedder(settings, folder, model_id=name, hint=_pull(name))


def _pull(name: str) -> str:
    return f"kebab models pull {name}"


def _require_dimensions(settings: EmbeddingSettings, name: str) -> None:
    """Do nothing unless it is known before a download that its vectors have another length than they should.

    Raises:
        ConfigInvalidError: They have.
    """
    entry = known_entry(name)
    if entry is not None and entry.dimensions != settings.dimensions:
        raise ConfigInvalidError(
            f"models.embedding.dimensions is {settings.dimensions}, "
            f"but the vectors of {name!r} have {entry.dimensions}",
            hint=f"set models.embedding.dimensions = {entry.dimensions}, then {_pull(name)}",
            key="models.embedding.dimensions",
        )


def _describe_absence(name: str) -> tuple[str, str]:
    """Return what is wrong with a model that is not in the models folder, and what helps."""
    if known_entry(name) is not None:
        return f"the embedding model {name!r} has not been pulled", _pull(name)
    return (
        f"the embedding model {name!r} is not here, and none that kebab knows by itself",
        f"kebab models list; where fastembed's list has it, {_pull(name)}",
    )


def _find_folder(models_dir: Path, name: str) -> Path | None:
    cached = sorted(models_dir.glob(f"models--*--{name}*/snapshots/*"))
    return next((folder for folder in (models_dir / name, *cached) if folder.is_dir()), None)
