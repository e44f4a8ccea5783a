"""Embedder of the model that is installed with kebab."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kebab_core import (
    ConfigInvalidError,
    EmbeddingKind,
    EmbeddingSettings,
    Message,
    ModelMissingError,
    Remedy,
)

from kebab_embed_local.embedder import OnnxEmbedder, Threads
from kebab_embed_local.families import family_of
from kebab_embed_local.graph import Graph, GraphFile
from kebab_embed_local.identity import embedding_identity
from kebab_embed_local.model_files import REINSTALL, BundledFiles, damaged
from kebab_embed_local.precision import Precision, choose_precision, cpu_flags, identity_in
from kebab_embed_local.providers import EmbedderResources

_GRAPHS: dict[Precision, str] = {"int8": "model-int8.onnx", "fp32": "model.onnx"}
_MANIFEST = {"files": dict, "weights_hash": str, "model_id": str, "dimensions": int, "max_tokens": int}
_HASH_DIGITS = 64
_PULL = Remedy(
    kind="pull_model",
    name="multilingual-e5-small",
    then=Remedy(kind="set", setting="models.embedding.provider", value="fastembed"),
)


def bundled_embedder(settings: EmbeddingSettings, resources: EmbedderResources) -> OnnxEmbedder:
    """Return an embedder of the model that is installed with kebab.

    Its files have the sizes that its manifest states. Before the first text their content is read, too, unless they are
    known not to have changed since it was; `verify` reads it in any case.

    Raises:
        ModelMissingError: It was installed without weights.
        ModelCorruptError: A file is gone, has another size than it should, or what describes them cannot be read.
        ConfigInvalidError: The settings name another model or other dimensions, or a precision that the CPU has not.
    """
    folder = resources.bundled
    if folder is None:
        raise ModelMissingError("the bundled embedding model has no weights on this platform", remedy=_PULL)
    manifest = _read_manifest(folder)
    _check_settings(settings, manifest)
    held = BundledFiles(folder, manifest["files"], cache_file=resources.hashes)
    held.check_sizes()

    identity = embedding_identity(settings, manifest["model_id"], manifest["weights_hash"])
    file = _find_graph(settings, folder, manifest["files"], resources.cpu_flags)
    graphs = dict.fromkeys(EmbeddingKind, Graph(file, remedy=REINSTALL))
    if settings.precision == "auto" and resources.stored == identity != identity_in(file.precision, identity):
        file = GraphFile(folder / _GRAPHS["fp32"], "fp32")
        graphs[EmbeddingKind.DOCUMENT] = Graph(file, remedy=REINSTALL)
    return OnnxEmbedder(
        identity_in(file.precision, identity),
        family=family_of(manifest["model_id"]),
        files=held,
        graphs=graphs,
        threads=Threads.of(settings),
        window_tokens=manifest["max_tokens"],
        batch_tokens=settings.batch_tokens,
    )


def _find_graph(
    settings: EmbeddingSettings, folder: Path, held: Mapping[str, Any], flags: frozenset[str] | None
) -> GraphFile:
    wanted = choose_precision(settings.precision, cpu_flags() if flags is None else flags)
    if settings.precision == "auto" and _GRAPHS[wanted] not in held:  # nobody asked for it by name
        wanted = "fp32"
    if _GRAPHS[wanted] not in held:
        raise damaged(folder / _GRAPHS[wanted], Message("a file of it is gone"))
    return GraphFile(folder / _GRAPHS[wanted], wanted)


def _read_manifest(folder: Path) -> dict[str, Any]:
    file = folder / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(file.read_text("utf-8"))
        is_complete = all(_has(manifest.get(key), kind) for key, kind in _MANIFEST.items())
        described = is_complete and all(
            _has(entry["size"], int) and _has(entry["sha256"], str) for entry in manifest["files"].values()
        )
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise damaged(file, Message("its description cannot be read")) from error
    if not described or len(manifest["weights_hash"]) < _HASH_DIGITS:
        raise damaged(file, Message("its description is incomplete"))
    return manifest


def _has(value: object, kind: type) -> bool:
    """True if a value is of a kind and says anything."""
    return type(value) is kind and bool(value)


def _check_settings(settings: EmbeddingSettings, manifest: dict[str, Any]) -> None:
    for key in ("model", "dimensions"):
        found = manifest["model_id" if key == "model" else key]
        if getattr(settings, key) != found:
            raise ConfigInvalidError(
                "models.embedding.{name} is {value!r}, but the bundled model has {found!r}",
                remedy=Remedy(
                    kind="set",
                    setting=f"models.embedding.{key}",
                    value=found,
                    otherwise=Remedy(kind="change_setting", setting="models.embedding.provider"),
                ),
                key=f"models.embedding.{key}",
                _name=key,
                _value=getattr(settings, key),
                _found=found,
            )
