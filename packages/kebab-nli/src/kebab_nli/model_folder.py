"""`build_nli_verifier`: the verifier of a model in a folder, put there by hand or pulled."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from kebab_core import (
    DependencyMissingError,
    Message,
    ModelCorruptError,
    ModelMissingError,
    NliSettings,
    Remedy,
)

from kebab_nli.verifier import LABELS, OnnxNliVerifier

_GRAPHS = ("model.onnx", "onnx/model.onnx")
_TOKENIZER = "tokenizer.json"
_DEFAULT_WINDOW = 512
_OFFSET_POSITIONS = frozenset({"camembert", "mpnet", "roberta", "xlm-roberta"})
"""Kinds of model whose table of positions has two entries that no token gets."""


class NliModel(NamedTuple):
    """A model of a hub."""

    name: str
    repository: str
    graph: str
    megabytes: int
    """Approximate size of the download."""
    licence: str


DEFAULT_MODEL = NliModel(
    name="mDeBERTa-v3-base-xnli-multilingual-nli-2mil7",
    repository="MoritzLaurer/mDeBERTa-v3-base-xnli-multilingual-nli-2mil7",
    graph="onnx/model.onnx",
    megabytes=1140,
    licence="MIT",
)
"""Korean, English and 25 other languages; size and licence as its owner states them."""


def build_nli_verifier(settings: NliSettings, *, models_dir: Path) -> OnnxNliVerifier:
    """Build the verifier of the model that the settings name; the graph is loaded when it is first used.

    Args:
        settings: The section `models.nli`, with the provider `onnx`.
        models_dir: Where pulled models are, and where relative names of folders lead.

    Raises:
        DependencyMissingError: What reads its tokenizer is not installed.
        ModelMissingError: The folder has no graph or no tokenizer.
        ModelCorruptError: Its description cannot be read, or does not name the three labels.
    """
    if find_spec("tokenizers") is None:
        raise DependencyMissingError(
            "models from a folder need the package `tokenizers`",
            remedy=Remedy(kind="install_packages", name="tokenizers>=0.22,<1", value="kebab-nli[onnx]"),
            package="tokenizers",
        )
    folder = models_dir / Path(settings.model).expanduser()
    remedy = Remedy(advice=Message("put the files of the model into {path!r}", path=str(folder)))
    if settings.model == DEFAULT_MODEL.name:
        remedy = Remedy(kind="pull_model", name=DEFAULT_MODEL.name)
    graph = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
    if graph is None or not (folder / _TOKENIZER).is_file():
        raise ModelMissingError(
            "the entailment model has no {missing} in {folder!r}",
            remedy=remedy,
            folder=str(folder),
            _missing=_TOKENIZER if graph else _GRAPHS[0],
        )
    config = _read_config(folder / "config.json", remedy)
    return OnnxNliVerifier(
        folder.name,
        graph=graph,
        tokenizer=folder / _TOKENIZER,
        labels=_read_labels(config, folder / "config.json", remedy),
        window_tokens=_read_window(config),
        pad=_whole(config.get("pad_token_id"), 0),
        remedy=remedy,
    )


def _read_config(file: Path, remedy: Remedy) -> dict[str, Any]:
    try:
        config = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelCorruptError(
            "the description of the entailment model cannot be read", remedy=remedy, file=str(file)
        ) from error
    return config if isinstance(config, dict) else {}


def _read_labels(config: dict[str, Any], file: Path, remedy: Remedy) -> tuple[str, ...]:
    """Read the meaning of each number of the graph, in their order.

    Raises:
        ModelCorruptError: They are not the three.
    """
    stated = config.get("id2label")
    names = {str(key): str(name).lower() for key, name in stated.items()} if isinstance(stated, dict) else {}
    labels = tuple(names.get(str(position), "") for position in range(len(names)))
    if sorted(labels) != sorted(LABELS):
        raise ModelCorruptError(
            "id2label of the entailment model names {found}, not {labels}",
            remedy=remedy,
            file=str(file),
            _found=", ".join(names.values()) or "-",
            _labels=", ".join(LABELS),
        )
    return labels


def _read_window(config: dict[str, Any]) -> int:
    positions = _whole(config.get("max_position_embeddings"), _DEFAULT_WINDOW)
    if config.get("model_type") in _OFFSET_POSITIONS:
        positions -= 2
    return min(positions, _DEFAULT_WINDOW)


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) and value > 0 else default
