"""The files of the model that is installed with kebab, compared with what its manifest says of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kebab_core import ModelCorruptError

from kebab_embed_local.remembered import file_stamp, keep_hashes, read_hashes

REINSTALL = (
    "where kebab was cloned: uv run --reinstall-package kebab-model-e5-small kebab doctor; "
    "else: install the wheel of kebab-model-e5-small again from where kebab came"
)
"""What makes the files anew, also where the copies that uv links them from are damaged with them."""
_BLOCK = 1 << 20


class BundledFiles:
    """Files whose sizes and hashes are known.

    A few bits turned leave every size as it was, and the model gives other vectors without a word.

    Args:
        folder: Where they are.
        stated: Size and SHA-256 of each.
        book: Where it is kept which files have been read and found whole; None where nothing may be kept.
    """

    def __init__(self, folder: Path, stated: Mapping[str, dict[str, Any]], *, book: Path | None) -> None:
        self._folder = folder
        self._stated = stated
        self._book = book
        self._whole: dict[str, str] = {}

    def check_sizes(self) -> None:
        """Do nothing where every file has its size.

        Raises:
            ModelCorruptError: One is gone or has another size.
        """
        for name, wanted in self._stated.items():
            self._check_size(self._folder / name, wanted["size"])

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
        self._compare({**self._read_book(), **self._whole})

    @staticmethod
    def _check_size(file: Path, wanted: int) -> None:
        try:
            size = file.stat().st_size
        except OSError as error:
            raise damaged(file, "a file of it is gone") from error
        if size != wanted:
            raise damaged(file, f"a file of it has {size} bytes instead of {wanted}")

    def _compare(self, known: Mapping[str, str]) -> None:
        self.check_sizes()
        for name, wanted in self._stated.items():
            file = self._folder / name
            try:
                stamp = file_stamp(file)
                is_whole = known.get(stamp) == wanted["sha256"] or _sha256(file) == wanted["sha256"]
            except OSError as error:
                raise damaged(file, "a file of it cannot be read") from error
            if not is_whole:
                self._forget(stamp)
                raise damaged(file, "a file of it has changed")
            self._whole[stamp] = wanted["sha256"]
        self._keep()

    def _keep(self) -> None:
        if self._book is None or not self._book.parent.parent.is_dir():
            return
        kept = self._read_book()
        if not self._whole.items() <= kept.items():
            keep_hashes(self._book, {**kept, **self._whole})

    def _forget(self, stamp: str) -> None:
        """Have other processes read a file that has changed although its time has not."""
        self._whole.pop(stamp, None)
        kept = self._read_book()
        if self._book is not None and kept.pop(stamp, ""):
            keep_hashes(self._book, kept)

    def _read_book(self) -> dict[str, str]:
        return read_hashes(self._book) if self._book else {}


def damaged(file: Path, what: str) -> ModelCorruptError:
    """Return the error that says how the model is mended."""
    return ModelCorruptError(
        f"the bundled embedding model is damaged: {what}", hint=REINSTALL, file=str(file)
    )


def _sha256(file: Path) -> str:
    hasher = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            hasher.update(block)
    return hasher.hexdigest()
