"""The model that is installed with kebab."""

from __future__ import annotations

import hashlib
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
from kebab_embed_local.families import family_of
from kebab_embed_local.graph import Graph
from kebab_embed_local.identity import embedding_identity
from kebab_embed_local.tokenizer import Tokenizer

_GRAPH, _TOKENIZER = "model.onnx", "tokenizer.bin"
_REINSTALL = "pip install --force-reinstall --no-cache-dir kebab-model-e5-small"
_PULL = 'kebab models pull multilingual-e5-small, then set models.embedding.provider = "fastembed"'
_BLOCK = 1 << 20


def bundled_embedder(settings: EmbeddingSettings, surroundings: Surroundings) -> OnnxEmbedder:
    """Return an embedder of the model that is installed with kebab.

    Its files have the sizes that its manifest states; their content is read by `verify`.

    Raises:
        ModelMissingError: It was installed without weights.
        ModelCorruptError: A file is gone, or has another size than it should.
        ConfigInvalidError: The settings name another model or other dimensions.
    """
    folder = surroundings.bundled
    if folder is None:
        raise ModelMissingError("the bundled embedding model has no weights on this platform", hint=_PULL)
    manifest = _read_manifest(folder)
    _check_settings(settings, manifest)
    _check_sizes(folder, manifest["files"])
    return OnnxEmbedder(
        embedding_identity(settings, manifest["model_id"], manifest["weights_hash"]),
        family=family_of(manifest["model_id"]),
        tokenizer=lambda: _tokenizer(folder / _TOKENIZER),
        graph=Graph(folder / _GRAPH, hint=_REINSTALL),
        threads=settings.threads or physical_cores(),
        window_tokens=int(manifest["max_tokens"]),
        batch_tokens=settings.batch_tokens,
        verify=lambda: _verify(folder, manifest["files"]),
    )


def _tokenizer(file: Path) -> Tokenizer:
    from kebab_embed_local.unigram import UnigramTokenizer

    return UnigramTokenizer(file, hint=_REINSTALL)


def _read_manifest(folder: Path) -> dict[str, Any]:
    file = folder / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(file.read_text("utf-8"))
        missing = {"files", "weights_hash", "model_id", "dimensions", "max_tokens"} - manifest.keys()
    except (OSError, ValueError, AttributeError) as error:
        raise _damaged(file, "its description cannot be read") from error
    if missing:
        raise _damaged(file, "its description is incomplete")
    return manifest


def _check_settings(settings: EmbeddingSettings, manifest: dict[str, Any]) -> None:
    for key in ("model", "dimensions"):
        found = manifest["model_id" if key == "model" else key]
        if getattr(settings, key) != found:
            raise ConfigInvalidError(
                f"models.embedding.{key} is {getattr(settings, key)!r}, but the bundled model has {found!r}",
                hint=f"set models.embedding.{key} = {json.dumps(found)}, or choose another models.embedding.provider",
                key=f"models.embedding.{key}",
            )


def _check_sizes(folder: Path, files: dict[str, dict[str, Any]]) -> None:
    for name, wanted in files.items():
        try:
            size = (folder / name).stat().st_size
        except OSError as error:
            raise _damaged(folder / name, "a file of it is gone") from error
        if size != wanted["size"]:
            raise _damaged(folder / name, f"a file of it has {size} bytes instead of {wanted['size']}")


def _verify(folder: Path, files: dict[str, dict[str, Any]]) -> None:
    _check_sizes(folder, files)
    for name, wanted in files.items():
        hasher = hashlib.sha256()
        with (folder / name).open("rb") as stream:
            while block := stream.read(_BLOCK):
                hasher.update(block)
        if hasher.hexdigest() != wanted["sha256"]:
            raise _damaged(folder / name, "a file of it has changed")


def _damaged(file: Path, what: str) -> ModelCorruptError:
    return ModelCorruptError(
        f"the bundled embedding model is damaged: {what}", hint=_REINSTALL, file=str(file)
    )
