"""A model in a folder, as the usual exports leave it: graph, tokenizer, and what describes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kebab_core import (
    ConfigInvalidError,
    EmbeddingSettings,
    ModelCorruptError,
    ModelMissingError,
)

from kebab_embed_local.build import Surroundings
from kebab_embed_local.cores import physical_cores
from kebab_embed_local.embedder import OnnxEmbedder
from kebab_embed_local.external_data import find_files, read_locations
from kebab_embed_local.families import Family, Pooling, family_of
from kebab_embed_local.graph import Graph
from kebab_embed_local.identity import digest_of_files, embedding_identity
from kebab_embed_local.remembered import file_stamp, keep_hashes, read_hashes
from kebab_embed_local.tokenizer_json import JsonTokenizer

_GRAPHS = ("model.onnx", "onnx/model.onnx")
_TOKENIZER = "tokenizer.json"
_BETWEEN = "\0"
"""Names that are kept in a row."""
_OFFSET_POSITIONS = frozenset({"camembert", "mpnet", "roberta", "xlm-roberta"})
"""Kinds of model whose table of positions has two entries that no token gets."""
_DEFAULT_WINDOW = 512
_LARGEST_WINDOW = 8192
"""Longer windows are slow without being better for passages; some exports state 10^30."""


def local_embedder(settings: EmbeddingSettings, surroundings: Surroundings) -> OnnxEmbedder:
    """Return an embedder of the model in the folder that the settings name.

    Raises:
        ModelMissingError: The folder has no graph or no tokenizer.
        ModelCorruptError: What describes the model cannot be read.
        ConfigInvalidError: The settings name other dimensions than the model has.
    """
    folder = surroundings.models_dir / Path(settings.model).expanduser()
    hint = f"put the files of the model into {str(folder)!r}, or set models.embedding.model to their folder"
    return folder_embedder(settings, folder, model_id=folder.name, hint=hint)


def folder_embedder(settings: EmbeddingSettings, folder: Path, *, model_id: str, hint: str) -> OnnxEmbedder:
    """Return an embedder of the model in a folder.

    Read are `model.onnx` or `onnx/model.onnx` with external data beside it, `tokenizer.json`, and where they are there
    `config.json`, `tokenizer_config.json` and `1_Pooling/config.json`.

    Args:
        settings: Threads, batches, dimensions and version.
        folder: Where the files are.
        model_id: The model's name; it decides which prefixes are used.
        hint: What helps where the model is missing or damaged.

    Returns:
        The embedder; the graph is loaded when it is first used.

    Raises:
        ModelMissingError: The folder has no graph or no tokenizer.
        ModelCorruptError: What describes the model cannot be read.
        ConfigInvalidError: The settings name other dimensions than the model has.
    """
    graph_file = _graph_file(folder, hint)
    config = _read_json(folder / "config.json", hint)
    _check_dimensions(settings, config)
    family = _family(folder, model_id, hint)

    def digest(remembered: Path | None) -> str:
        try:
            files = [graph_file, folder / _TOKENIZER, *_external_data(graph_file, remembered)]
            return digest_of_files(files, family=family, remembered=remembered)
        except OSError as error:
            raise ModelMissingError(
                "a file of the model cannot be read", hint=hint, file=str(error.filename)
            ) from error

    known = digest(folder / ".kebab-hashes.json")

    def verify() -> None:
        if digest(None) != known:
            raise ModelCorruptError("files of the model have changed", hint=hint, folder=str(folder))

    return OnnxEmbedder(
        embedding_identity(settings, model_id, known),
        family=family,
        tokenizer=lambda: JsonTokenizer(
            folder / _TOKENIZER, pad=int(config.get("pad_token_id") or 0), hint=hint
        ),
        graph=Graph(graph_file, hint=hint),
        threads=settings.threads or physical_cores(),
        window_tokens=_window(config, _read_json(folder / "tokenizer_config.json", hint)),
        batch_tokens=settings.batch_tokens,
        verify=verify,
    )


def _graph_file(folder: Path, hint: str) -> Path:
    found = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
    if found is None or not (folder / _TOKENIZER).is_file():
        missing = _TOKENIZER if found else _GRAPHS[0]
        raise ModelMissingError(
            f"the embedding model has no {missing} in {str(folder)!r}", hint=hint, folder=str(folder)
        )
    return found


def _external_data(graph_file: Path, remembered: Path | None) -> list[Path]:
    """Return the files with weights beside a graph: those that are called so, and those that it names.

    Args:
        graph_file: The graph.
        remembered: Where it is kept what it names; None reads it.

    Raises:
        OSError: It cannot be read.
    """
    named = find_files(graph_file, _named_by(graph_file, remembered))
    called = [file for file in graph_file.parent.iterdir() if file.suffix in {".data", ".onnx_data"}]
    return [*called, *(file for file in named if file not in called)]


def _named_by(graph_file: Path, remembered: Path | None) -> set[str]:
    if remembered is None:
        return read_locations(graph_file)
    known, stamp = read_hashes(remembered), f"named by {file_stamp(graph_file)}"
    if stamp not in known:
        known[stamp] = _BETWEEN.join(sorted(read_locations(graph_file)))
        keep_hashes(remembered, known)
    return {name for name in known[stamp].split(_BETWEEN) if name}


def _family(folder: Path, model_id: str, hint: str) -> Family:
    family = family_of(model_id)
    described = _read_json(folder / "1_Pooling" / "config.json", hint)
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
            f"models.embedding.dimensions is {settings.dimensions}, but the model's vectors have {size}",
            hint=f"set models.embedding.dimensions = {size}",
            key="models.embedding.dimensions",
        )


def _read_json(file: Path, hint: str) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelCorruptError(
            "a description of the model cannot be read", hint=hint, file=str(file)
        ) from error
    return found if isinstance(found, dict) else {}
