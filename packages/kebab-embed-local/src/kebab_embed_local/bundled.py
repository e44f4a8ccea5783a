"""Embedder of the model that is installed with kebab, and the check of its files against their manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kebab_core import (
    ConfigInvalidError,
    EmbeddingKind,
    EmbeddingSettings,
    Message,
    ModelCorruptError,
    ModelMissingError,
    Remedy,
)

from kebab_embed_local.embedder import OnnxEmbedder, Threads
from kebab_embed_local.families import family_of
from kebab_embed_local.graph import Graph, GraphFile
from kebab_embed_local.identity import embedding_identity, file_stamp, read_hash_cache, write_hash_cache
from kebab_embed_local.precision import Precision, choose_precision, cpu_flags, identity_in
from kebab_embed_local.providers import EmbedderResources

if TYPE_CHECKING:
    from kebab_embed_local.unigram import UnigramTokenizer

REINSTALL = Remedy(kind="reinstall_model", name="kebab-model-e5-small")
"""Makes the files again, also where the copies that uv links them from are damaged too."""


class BundledFiles:
    """Files whose sizes and hashes are known.

    A few bits turned leave every size as it was, and the model gives other vectors without a word.

    Args:
        folder: Where they are.
        stated: Size and SHA-256 of each.
        cache_file: The hash cache of files that were read and found whole; None keeps none.
    """

    def __init__(
        self, folder: Path, stated: Mapping[str, dict[str, Any]], *, cache_file: Path | None
    ) -> None:
        self._folder = folder
        self._stated = stated
        self._cache_file = cache_file
        self._whole: dict[str, str] = {}

    def check_sizes(self) -> None:
        """Do nothing where every file has its size.

        Raises:
            ModelCorruptError: One is gone or has another size.
        """
        for name, wanted in self._stated.items():
            self._check_size(self._folder / name, wanted["size"])

    @staticmethod
    def _check_size(file: Path, wanted: int) -> None:
        try:
            size = file.stat().st_size
        except OSError as error:
            raise damaged(file, Message("a file of it is gone")) from error
        if size != wanted:
            raise damaged(
                file, Message("a file of it has {size} bytes instead of {wanted}", size=size, wanted=wanted)
            )

    def verify(self) -> None:
        """Read every byte.

        Raises:
            ModelCorruptError: A file is not what it should be.
        """
        self._compare({})

    def check(self) -> None:
        """Read the files, but those that are known to have been found whole and not to have changed since.

        Raises:
            ModelCorruptError: A file is not what it should be.
        """
        self._compare({**self._read_cache(), **self._whole})

    def _compare(self, known: Mapping[str, str]) -> None:
        self.check_sizes()
        for name, wanted in self._stated.items():
            file = self._folder / name
            try:
                stamp = file_stamp(file)
                is_whole = known.get(stamp) == wanted["sha256"] or _sha256(file) == wanted["sha256"]
            except OSError as error:
                raise damaged(file, Message("a file of it cannot be read")) from error
            if not is_whole:
                self._forget(stamp)
                raise damaged(file, Message("a file of it has changed"))
            self._whole[stamp] = wanted["sha256"]
        kept = self._read_cache()
        is_cached = self._cache_file is not None and self._cache_file.parent.parent.is_dir()
        if self._cache_file and is_cached and not self._whole.items() <= kept.items():
            write_hash_cache(self._cache_file, {**kept, **self._whole})

    def _forget(self, stamp: str) -> None:
        """Have other processes read a file that has changed although its time has not."""
        self._whole.pop(stamp, None)
        kept = self._read_cache()
        if self._cache_file is not None and kept.pop(stamp, ""):
            write_hash_cache(self._cache_file, kept)

    def _read_cache(self) -> dict[str, str]:
        return read_hash_cache(self._cache_file) if self._cache_file else {}


def damaged(file: Path, what: Message) -> ModelCorruptError:
    """Return the error that says how the model is mended."""
    return ModelCorruptError(
        "the bundled embedding model is damaged: {what}", remedy=REINSTALL, file=str(file), _what=what
    )


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


_GRAPHS: dict[Precision, str] = {"int8": "model-int8.onnx", "fp32": "model.onnx"}
_TOKENIZER = "tokenizer.bin"
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

    def read_tokenizer() -> UnigramTokenizer:
        from kebab_embed_local.unigram import UnigramTokenizer

        held.check()
        return UnigramTokenizer(folder / _TOKENIZER, remedy=REINSTALL)

    identity = embedding_identity(settings, manifest["model_id"], manifest["weights_hash"])
    file = _find_graph(settings, folder, manifest["files"], resources.cpu_flags)
    graphs = dict.fromkeys(EmbeddingKind, Graph(file, remedy=REINSTALL))
    if settings.precision == "auto" and resources.stored == identity != identity_in(file.precision, identity):
        file = GraphFile(folder / _GRAPHS["fp32"], "fp32")
        graphs[EmbeddingKind.DOCUMENT] = Graph(file, remedy=REINSTALL)
    return OnnxEmbedder(
        identity_in(file.precision, identity),
        family=family_of(manifest["model_id"]),
        tokenizer=read_tokenizer,
        graphs=graphs,
        threads=Threads.of(settings),
        window_tokens=manifest["max_tokens"],
        batch_tokens=settings.batch_tokens,
        verify=held.verify,
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
