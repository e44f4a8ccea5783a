"""The model that is installed with kebab."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kebab_core import (
    ConfigInvalidError,
    EmbeddingSettings,
    ModelMissingError,
)

from kebab_embed_local.build import Surroundings
from kebab_embed_local.bundled_files import REINSTALL, BundledFiles, damaged
from kebab_embed_local.cores import physical_cores
from kebab_embed_local.embedder import OnnxEmbedder
from kebab_embed_local.families import family_of
from kebab_embed_local.graph import Graph
from kebab_embed_local.identity import embedding_identity
from kebab_embed_local.tokenizer import Tokenizer

_GRAPH, _TOKENIZER = "model.onnx", "tokenizer.bin"
_MANIFEST = {"files": dict, "weights_hash": str, "model_id": str, "dimensions": int, "max_tokens": int}
_HASH_DIGITS = 64
_PULL = 'kebab models pull multilingual-e5-small, then set models.embedding.provider = "fastembed"'


def bundled_embedder(settings: EmbeddingSettings, surroundings: Surroundings) -> OnnxEmbedder:
    """Return an embedder of the model that is installed with kebab.

    Its files have the sizes that its manifest states. Before the first text their content is read, too, unless they are
    known not to have changed since it was; `verify` reads it in any case.

    Raises:
        ModelMissingError: It was installed without weights.
        ModelCorruptError: A file is gone, has another size than it should, or what describes them cannot be read.
        ConfigInvalidError: The settings name another model or other dimensions.
    """
    folder = surroundings.bundled
    if folder is None:
        raise ModelMissingError("the bundled embedding model has no weights on this platform", hint=_PULL)
    manifest = _read_manifest(folder)
    _check_settings(settings, manifest)
    held = BundledFiles(folder, manifest["files"], book=surroundings.hashes)
    held.check_sizes()

    def read_tokenizer() -> Tokenizer:
        held.check()
        return _tokenizer(folder / _TOKENIZER)

    return OnnxEmbedder(
        embedding_identity(settings, manifest["model_id"], manifest["weights_hash"]),
        family=family_of(manifest["model_id"]),
        tokenizer=read_tokenizer,
        graph=Graph(folder / _GRAPH, hint=REINSTALL),
        threads=settings.threads or physical_cores(),
        window_tokens=manifest["max_tokens"],
        batch_tokens=settings.batch_tokens,
        verify=held.verify,
    )


def _tokenizer(file: Path) -> Tokenizer:
    from kebab_embed_local.unigram import UnigramTokenizer

    return UnigramTokenizer(file, hint=REINSTALL)


def _read_manifest(folder: Path) -> dict[str, Any]:
    file = folder / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(file.read_text("utf-8"))
        is_complete = all(_has(manifest.get(key), kind) for key, kind in _MANIFEST.items())
        described = is_complete and all(
            _has(entry["size"], int) and _has(entry["sha256"], str) for entry in manifest["files"].values()
        )
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise damaged(file, "its description cannot be read") from error
    if not described or len(manifest["weights_hash"]) < _HASH_DIGITS:
        raise damaged(file, "its description is incomplete")
    return manifest


def _has(value: object, kind: type) -> bool:
    """Return whether a value is of a kind and says anything."""
    return type(value) is kind and bool(value)


def _check_settings(settings: EmbeddingSettings, manifest: dict[str, Any]) -> None:
    for key in ("model", "dimensions"):
        found = manifest["model_id" if key == "model" else key]
        if getattr(settings, key) != found:
            raise ConfigInvalidError(
                f"models.embedding.{key} is {getattr(settings, key)!r}, but the bundled model has {found!r}",
                hint=f"set models.embedding.{key} = {json.dumps(found)}, or choose another models.embedding.provider",
                key=f"models.embedding.{key}",
            )
