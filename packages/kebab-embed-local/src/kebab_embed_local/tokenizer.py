"""Tokenizer of a model from a folder, by the library `tokenizers` and its `tokenizer.json`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kebab_core import DependencyMissingError, ModelCorruptError, ModelMissingError, Remedy


class JsonTokenizer:
    """Cuts texts into the numbers that a model knows.

    Attributes:
        head: Tokens before every text.
        tail: Tokens after every text.
        pad: Token that pads shorter texts of a batch.

    Args:
        path: The file; parsing one of 250,000 pieces takes a second.
        pad: Token that fills up.
        remedy: Remedy where the file is missing or damaged.

    Raises:
        DependencyMissingError: The library is not installed.
        ModelMissingError: The file is not there.
        ModelCorruptError: It is no tokenizer.
    """

    def __init__(self, path: Path, *, pad: int, remedy: Remedy) -> None:
        self.pad = pad
        self._tokenizer = _read(path, remedy)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.head, self.tail = self._special_tokens()

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text, of any length, without head and tail."""
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def _special_tokens(self) -> tuple[list[int], list[int]]:
        plain = self._tokenizer.encode("a", add_special_tokens=False).ids
        whole = self._tokenizer.encode("a", add_special_tokens=True).ids
        starts = (at for at in range(len(whole)) if whole[at : at + len(plain)] == plain)
        start = next(starts, 0)
        return whole[:start], whole[start + len(plain) :]


def _read(path: Path, remedy: Remedy) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise DependencyMissingError(
            "models from a folder need the package `tokenizers`",
            remedy=INSTALL_TOKENIZERS,
            package="tokenizers",
        ) from error
    try:
        return Tokenizer.from_str(path.read_text("utf-8"))
    except OSError as error:
        raise ModelMissingError(
            "the tokenizer of the embedding model is not here", remedy=remedy, file=str(path)
        ) from error
    except Exception as error:  # the library raises plain `Exception` for whatever it cannot parse
        raise ModelCorruptError(
            "the tokenizer of the embedding model is damaged", remedy=remedy, file=str(path)
        ) from error


INSTALL_TOKENIZERS = Remedy(
    kind="install_packages", name="tokenizers>=0.22,<1", value="kebab-embed-local[onnx]"
)
INSTALL_FASTEMBED = Remedy(
    kind="install_packages", name="fastembed>=0.9,<1", value="kebab-embed-local[fastembed]"
)


def require_tokenizers() -> None:
    """Require what models from a folder cannot run without.

    Raises:
        DependencyMissingError: The package `tokenizers` is not installed.
    """
    if find_spec("tokenizers") is None:
        raise DependencyMissingError(
            "models from a folder need the package `tokenizers`",
            remedy=INSTALL_TOKENIZERS,
            package="tokenizers",
        )
