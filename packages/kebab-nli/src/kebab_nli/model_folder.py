"""`build_nli_verifier` and `build_reranker`: the model in a folder, put there by hand or pulled."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kebab_core import (
    DependencyMissingError,
    Message,
    ModelCorruptError,
    ModelMissingError,
    NliSettings,
    Remedy,
)

from kebab_nli.pair_model import LABELS, OnnxNliVerifier, OnnxReranker, PairModel

_GRAPHS = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx")
_TOKENIZER = "tokenizer.json"
_DEFAULT_WINDOW = 512
_OFFSET_POSITIONS = frozenset({"camembert", "mpnet", "roberta", "xlm-roberta"})
"""Kinds of model whose table of positions has two entries that no token gets."""


class HubModel(NamedTuple):
    """A model of a hub. There are no hashes here: the hub lists those of its files, and a pull compares them."""

    name: str
    repository: str
    graph: str
    megabytes: int
    """Approximate size of the download."""
    licence: str
    multilingual: bool = True
    """Whether it reads other languages than English."""


DEFAULT_MODEL = HubModel(
    name="mDeBERTa-v3-base-xnli-multilingual-nli-2mil7",
    repository="MoritzLaurer/mDeBERTa-v3-base-xnli-multilingual-nli-2mil7",
    graph="onnx/model.onnx",
    megabytes=1140,
    licence="MIT",
)
"""Korean, English and 25 other languages; size and licence as its owner states them."""
RERANKERS = (
    HubModel(
        name="mmarco-mMiniLMv2-L12-H384-v1",
        repository="cross-encoder/mmarco-mMiniLMv2-L12-H384-v1",
        graph="onnx/model.onnx",
        megabytes=490,
        licence="Apache-2.0",
    ),
    HubModel(
        name="bge-reranker-v2-m3",
        repository="onnx-community/bge-reranker-v2-m3-ONNX",
        graph="onnx/model_quantized.onnx",
        megabytes=590,
        licence="Apache-2.0",
    ),
    HubModel(
        name="ms-marco-MiniLM-L-12-v2",
        repository="Xenova/ms-marco-MiniLM-L-12-v2",
        graph="onnx/model.onnx",
        megabytes=135,
        licence="Apache-2.0",
        multilingual=False,
    ),
)
"""Cross-encoders; likewise. The first was trained on 14 languages without Korean, which its base model reads; the second on Korean,
too, and takes some ten times as long."""


def find_reranker(name: str) -> HubModel | None:
    """Find the cross-encoder of a hub by its name, which may be written with its owner before a slash."""
    short = name.rpartition("/")[2]
    return next((model for model in RERANKERS if model.name == short), None)


def build_reranker(name: str, *, models_dir: Path) -> OnnxReranker:
    """Build the reranker that `models.reranker` names; the graph is loaded when it is first used.

    Args:
        name: A name of `RERANKERS`, or a folder.
        models_dir: Where pulled models are, and where relative names of folders lead.

    Raises:
        DependencyMissingError: What reads its tokenizer is not installed.
        ModelMissingError: The folder has no graph or no tokenizer.
        ModelCorruptError: Its description cannot be read.
    """
    known = find_reranker(name)
    folder = models_dir / (known.name if known else Path(name).expanduser())
    remedy = _remedy(folder, pulled=known)
    model = _build_model(folder, Message("reranker"), cut="second", outputs=1, remedy=remedy)
    return OnnxReranker(folder.name, model=model)


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
    folder = models_dir / Path(settings.model).expanduser()
    remedy = _remedy(folder, pulled=DEFAULT_MODEL if settings.model == DEFAULT_MODEL.name else None)
    role, file = Message("entailment model"), folder / "config.json"
    model = _build_model(folder, role, cut="first", outputs=len(LABELS), remedy=remedy)
    labels = _read_labels(_read_config(file, role, remedy), file, remedy)
    return OnnxNliVerifier(folder.name, model=model, labels=labels)


def _remedy(folder: Path, *, pulled: HubModel | None) -> Remedy:
    """Make the remedy where a file is missing or damaged."""
    if pulled is not None:
        return Remedy(kind="pull_model", name=pulled.name)
    return Remedy(advice=Message("put the files of the model into {path!r}", path=str(folder)))


def _build_model(
    folder: Path, role: Message, *, cut: Literal["first", "second"], outputs: int, remedy: Remedy
) -> PairModel:
    """Build the model of text pairs in a folder. See `PairModel`.

    Raises:
        DependencyMissingError: What reads its tokenizer is not installed.
        ModelMissingError: The folder has no graph or no tokenizer.
        ModelCorruptError: Its description cannot be read.
    """
    if find_spec("tokenizers") is None:
        raise DependencyMissingError(
            "models from a folder need the package `tokenizers`",
            remedy=Remedy(kind="install_packages", name="tokenizers>=0.22,<1", value="kebab-nli[onnx]"),
            package="tokenizers",
        )
    graph = next((folder / name for name in _GRAPHS if (folder / name).is_file()), None)
    if graph is None or not (folder / _TOKENIZER).is_file():
        raise ModelMissingError(
            "the {model} has no {missing} in {folder!r}",
            remedy=remedy,
            folder=str(folder),
            _model=role,
            _missing=_TOKENIZER if graph else _GRAPHS[0],
        )
    config = _read_config(folder / "config.json", role, remedy)
    return PairModel(
        role,
        graph=graph,
        tokenizer=folder / _TOKENIZER,
        window_tokens=_read_window(config),
        pad=_whole(config.get("pad_token_id"), 0),
        cut=cut,
        outputs=outputs,
        remedy=remedy,
    )


def _read_config(file: Path, role: Message, remedy: Remedy) -> dict[str, Any]:
    """Read the description of a model; empty where there is none.

    Raises:
        ModelCorruptError: It cannot be read.
    """
    try:
        config = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelCorruptError(
            "the description of the {model} cannot be read", remedy=remedy, file=str(file), _model=role
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
