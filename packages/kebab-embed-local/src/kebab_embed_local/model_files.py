"""Files of embedding models: their tokenizers, and their checks against a manifest or a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kebab_core import Message, ModelCorruptError, ModelMissingError, Remedy

from kebab_embed_local.families import Family
from kebab_embed_local.identity import digest_of_files, file_stamp, read_hash_cache, write_hash_cache

if TYPE_CHECKING:
    from kebab_embed_local.tokenizer import JsonTokenizer
    from kebab_embed_local.unigram import UnigramTokenizer

_DESCRIPTION_NAMES = ("LICENCE", "LICENSE", "NOTICE", "README")
_DESCRIPTION_SUFFIXES = frozenset({".jinja", ".json", ".md", ".model", ".py", ".txt"})
_OTHER_WEIGHTS = frozenset({".gguf", ".h5", ".msgpack", ".onnx", ".ot", ".safetensors"})
REINSTALL = Remedy(kind="reinstall_model", name="kebab-model-e5-small")
"""Makes the files again, also where the copies that uv links them from are damaged too."""


class BundledFiles:
    """The files of the model that is installed with kebab, whose sizes and hashes are known.

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

    def read_tokenizer(self) -> UnigramTokenizer:
        """Read the tokenizer, after a check of all files.

        Raises:
            ModelCorruptError: A file is not what it should be.
        """
        from kebab_embed_local.unigram import UnigramTokenizer

        self.check()
        return UnigramTokenizer(self._folder / "tokenizer.bin", remedy=REINSTALL)

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


class FolderFiles:
    """The files of a model in a folder.

    Args:
        graph: The graph.
        tokenizer: The file `tokenizer.json`.
        family: How the model is used; part of the digest.
        pad: Token that fills up.
        cache_file: The hash cache.
        remedy: Remedy where a file is missing or damaged.

    Raises:
        ModelMissingError: A file cannot be read.
    """

    def __init__(
        self, graph: Path, tokenizer: Path, *, family: Family, pad: int, cache_file: Path, remedy: Remedy
    ) -> None:
        self._graph, self._tokenizer = graph, tokenizer
        self._family, self._pad, self._remedy = family, pad, remedy
        self.digest = self._read_digest(cache_file)
        """Hash of everything that can shape a vector."""

    def verify(self) -> None:
        """Read every byte.

        Raises:
            ModelCorruptError: A file has changed.
            ModelMissingError: One cannot be read.
        """
        if self._read_digest(None) != self.digest:
            folder = str(self._tokenizer.parent)
            raise ModelCorruptError("files of the model have changed", remedy=self._remedy, folder=folder)

    def read_tokenizer(self) -> JsonTokenizer:
        """Read the tokenizer. See `JsonTokenizer` for the errors."""
        from kebab_embed_local.tokenizer import JsonTokenizer

        return JsonTokenizer(self._tokenizer, pad=self._pad, remedy=self._remedy)

    def _read_digest(self, cache_file: Path | None) -> str:
        try:
            files = _model_files(self._graph, self._tokenizer)
            return digest_of_files(files, family=self._family, cache_file=cache_file)
        except OSError as error:
            raise ModelMissingError(
                "a file of the model cannot be read", remedy=self._remedy, file=str(error.filename)
            ) from error


def _model_files(graph_file: Path, tokenizer: Path) -> list[Path]:
    """Every file that can shape a vector: the graph, the tokenizer, and all that the graph may keep its weights in.

    onnxruntime reads external data from the graph's own folder and below, under any name. Hidden files, other graphs,
    descriptions and the weights of other libraries are left out.

    Raises:
        OSError: A folder cannot be read.
    """
    beside = (path for path in graph_file.parent.rglob("*") if path.is_file())
    return [
        graph_file,
        tokenizer,
        *(path for path in beside if path != tokenizer and _may_hold_weights(path)),
    ]


def _may_hold_weights(path: Path) -> bool:
    return not (
        path.name.startswith((".", *_DESCRIPTION_NAMES))
        or path.suffix in _DESCRIPTION_SUFFIXES | _OTHER_WEIGHTS
        or path.name == "pytorch_model.bin"
    )
