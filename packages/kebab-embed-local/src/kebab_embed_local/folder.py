"""Embedders of models in a folder: ONNX exports with graph, tokenizer and descriptions, put there by hand or pulled.

Pulled models of fastembed's list go through here too. fastembed itself is only asked which repository holds a model that
kebab does not know: its runtime pads every batch to the longest text and silently cuts what is longer than the window,
so the same files go through kebab's own batches and windows.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kebab_core import (
    ConfigInvalidError,
    DependencyMissingError,
    EmbeddingKind,
    EmbeddingSettings,
    Message,
    ModelCorruptError,
    ModelMissingError,
    Remedy,
)

from kebab_embed_local.catalogue import known_entry
from kebab_embed_local.embedder import OnnxEmbedder, Threads
from kebab_embed_local.families import Family, Pooling, family_of
from kebab_embed_local.graph import Graph, GraphFile
from kebab_embed_local.identity import embedding_identity
from kebab_embed_local.model_files import FolderFiles
from kebab_embed_local.providers import EmbedderResources
from kebab_embed_local.tokenizer import INSTALL_TOKENIZERS


def pulled_embedder(settings: EmbeddingSettings, resources: EmbedderResources) -> OnnxEmbedder:
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
            remedy=INSTALL_TOKENIZERS,
            package="tokenizers",
        )
    name = settings.model.rpartition("/")[2]
    pull = Remedy(kind="pull_model", name=name)
    models_dir = resources.models_dir
    cached = sorted(models_dir.glob(f"models--*--{name}*/snapshots/*"))
    folder = next((each for each in (models_dir / name, *cached) if each.is_dir()), None)
    if folder is None:
        _require_dimensions(settings, name, pull)
        message, remedy = Message("the embedding model {name!r} has not been pulled", name=name), pull
        if known_entry(name) is None:
            message = Message(
                "the embedding model {name!r} is not installed, and not one that kebab knows", name=name
            )
            remedy = Remedy(kind="list_stored", name="models", then=pull)
        raise ModelMissingError(message, remedy=remedy, model=name, folder=str(models_dir))
    return folder_embedder(settings, folder, model_id=name, remedy=pull)


def _require_dimensions(settings: EmbeddingSettings, name: str, pull: Remedy) -> None:
    """Do nothing unless it is known before a download that its vectors have another length than they should.

    Raises:
        ConfigInvalidError: They have.
    """
    entry = known_entry(name)
    if entry is not None and entry.dimensions != settings.dimensions:
        raise ConfigInvalidError(
            "models.embedding.dimensions is {dimensions}, but the vectors of {name!r} have "
            "{model_dimensions}",
            remedy=Remedy(
                kind="set", setting="models.embedding.dimensions", value=entry.dimensions, then=pull
            ),
            key="models.embedding.dimensions",
            _dimensions=settings.dimensions,
            _name=name,
            _model_dimensions=entry.dimensions,
        )


_GRAPHS = ("model.onnx", "onnx/model.onnx")
_TOKENIZER = "tokenizer.json"
_OFFSET_POSITIONS = frozenset({"camembert", "mpnet", "roberta", "xlm-roberta"})
"""Kinds of model whose table of positions has two entries that no token gets."""
_DEFAULT_WINDOW = 512
_LARGEST_WINDOW = 8192
"""Longer windows are slow without being better for passages; some exports state 10^30."""


def local_embedder(settings: EmbeddingSettings, resources: EmbedderResources) -> OnnxEmbedder:
    """Return an embedder of the model in the folder that the settings name.

    Raises:
        ModelMissingError: The folder has no graph or no tokenizer.
        ModelCorruptError: What describes the model cannot be read.
        ConfigInvalidError: The settings name other dimensions than the model has.
    """
    folder = resources.models_dir / Path(settings.model).expanduser()
    remedy = Remedy(
        advice=Message("put the files of the model into {path!r}", path=str(folder)),
        otherwise=Remedy(kind="change_setting", setting="models.embedding.model"),
    )
    return folder_embedder(settings, folder, model_id=folder.name, remedy=remedy)


def folder_settings(settings: EmbeddingSettings, folder: Path) -> EmbeddingSettings | None:
    """Settings for the model in a folder, as far as its `config.json` states them; None if there is no graph in it.

    Raises:
        ModelCorruptError: What describes the model cannot be read.
    """
    if not any((folder / name).is_file() for name in _GRAPHS):
        return None
    config = _read_json(
        folder / "config.json",
        Remedy(advice=Message("put the files of the model into {path!r}", path=str(folder))),
    )
    size = config.get("hidden_size")
    return settings.model_copy(
        update={
            "provider": "onnx",
            "model": str(folder),
            "dimensions": size if isinstance(size, int) else settings.dimensions,
            "endpoint": None,
            "api_key_env": None,
        }
    )


def folder_embedder(
    settings: EmbeddingSettings, folder: Path, *, model_id: str, remedy: Remedy
) -> OnnxEmbedder:
    """Return an embedder of the model in a folder.

    Read are `model.onnx` or `onnx/model.onnx` with external data beside it, `tokenizer.json`, and where they are there
    `config.json`, `tokenizer_config.json` and `1_Pooling/config.json`.

    Args:
        settings: Threads, batches, dimensions and version.
        folder: Where the files are.
        model_id: The model's name; it decides which prefixes are used.
        remedy: Remedy where the model is missing or damaged.

    Returns:
        The embedder; the graph is loaded when it is first used.

    Raises:
        ModelMissingError: The folder has no graph or no tokenizer.
        ModelCorruptError: What describes the model cannot be read.
        ConfigInvalidError: The settings name other dimensions than the model has.
    """
    graph_file = _graph_file(folder, remedy)
    config = _read_json(folder / "config.json", remedy)
    _check_dimensions(settings, config)
    family = _family(folder, model_id, remedy)
    files = FolderFiles(
        graph_file,
        folder / _TOKENIZER,
        family=family,
        pad=int(config.get("pad_token_id") or 0),
        cache_file=folder / ".kebab-hashes.json",
        remedy=remedy,
    )
    return OnnxEmbedder(
        embedding_identity(settings, model_id, files.digest),
        family=family,
        files=files,
        graphs=dict.fromkeys(EmbeddingKind, Graph(GraphFile(graph_file), remedy=remedy)),
        threads=Threads.of(settings),
        window_tokens=_window(config, _read_json(folder / "tokenizer_config.json", remedy)),
        batch_tokens=settings.batch_tokens,
    )


def _graph_file(folder: Path, remedy: Remedy) -> Path:
    found = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
    if found is None or not (folder / _TOKENIZER).is_file():
        missing = _TOKENIZER if found else _GRAPHS[0]
        raise ModelMissingError(
            "the embedding model has no {missing} in {folder!r}",
            remedy=remedy,
            folder=str(folder),
            _missing=missing,
        )
    return found


def _family(folder: Path, model_id: str, remedy: Remedy) -> Family:
    family = family_of(model_id)
    described = _read_json(folder / "1_Pooling" / "config.json", remedy)
    for key, pooling in (
        ("pooling_mode_cls_token", Pooling.CLS),
        ("pooling_mode_lasttoken", Pooling.LAST),
        ("pooling_mode_mean_tokens", Pooling.MEAN),
    ):
        if described.get(key) is True:
            return family._replace(pooling=pooling)
    return family


def _window(config: dict[str, Any], tokenizer_config: dict[str, Any]) -> int:
    positions = config.get("max_position_embeddings") or _DEFAULT_WINDOW
    if config.get("model_type") in _OFFSET_POSITIONS:
        positions -= 2
    stated = tokenizer_config.get("model_max_length") or positions
    return max(8, min(int(positions), int(stated), _LARGEST_WINDOW))


def _check_dimensions(settings: EmbeddingSettings, config: dict[str, Any]) -> None:
    size = config.get("hidden_size")
    if isinstance(size, int) and size != settings.dimensions:
        raise ConfigInvalidError(
            "models.embedding.dimensions is {dimensions}, but the model's vectors have {size}",
            remedy=Remedy(kind="set", setting="models.embedding.dimensions", value=size),
            key="models.embedding.dimensions",
            _dimensions=settings.dimensions,
            _size=size,
        )


def _read_json(file: Path, remedy: Remedy) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelCorruptError(
            "a description of the model cannot be read", remedy=remedy, file=str(file)
        ) from error
    return found if isinstance(found, dict) else {}
