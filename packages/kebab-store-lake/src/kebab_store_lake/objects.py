"""Small objects of a lake that are made whole or not at all: files of a folder, or objects of a bucket."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from kebab_core import Remedy, StorageError


class LakeObjects(Protocol):
    """Objects by name below one place. All raise `StorageError` where they cannot be read or written."""

    def list_names(self) -> list[str]:
        """Return the names of all objects, in any order; none where there is no such place."""
        ...

    def read(self, name: str) -> bytes | None:
        """Return the content of an object; None where it is not there."""
        ...

    def create(self, name: str, content: bytes) -> bool:
        """Make an object, its content before its name; return False, and change nothing, where it is there already."""
        ...

    def replace(self, name: str, content: bytes) -> None:
        """Write an object, whatever is there."""
        ...

    def remove(self, name: str) -> None:
        """Remove an object, where it is there."""
        ...


class FolderObjects:
    """Implements `LakeObjects` by files of a folder, which the first object makes.

    Args:
        folder: Of the objects.
        lake: Named in errors.
    """

    def __init__(self, folder: Path, *, lake: str) -> None:
        self._folder = folder
        self._lake = lake

    def list_names(self) -> list[str]:
        """Return the names of all objects, in any order; none where there is no such place."""
        with self._errors(writing=False):
            try:
                return [path.name for path in self._folder.iterdir()]
            except FileNotFoundError:
                return []

    def read(self, name: str) -> bytes | None:
        """Return the content of an object; None where it is not there."""
        with self._errors(writing=False):
            try:
                return (self._folder / name).read_bytes()
            except FileNotFoundError:
                return None

    def create(self, name: str, content: bytes) -> bool:
        """Make an object, its content on the disk before its name; return False where it is there already."""
        with self._errors(writing=True), self._draft(name, content) as draft:
            try:
                os.link(draft, self._folder / name)
            except FileExistsError:
                return False
            return True

    def replace(self, name: str, content: bytes) -> None:
        """Write an object, whatever is there."""
        with self._errors(writing=True), self._draft(name, content) as draft:
            draft.replace(self._folder / name)

    def remove(self, name: str) -> None:
        """Remove an object, where it is there."""
        with self._errors(writing=True):
            (self._folder / name).unlink(missing_ok=True)

    @contextmanager
    def _draft(self, name: str, content: bytes) -> Iterator[Path]:
        """Write a file of another name, which is gone after the block.

        Yields:
            Its path.
        """
        draft = self._folder / f".{name}.{os.getpid()}.{secrets.token_hex(4)}"
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            with draft.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            yield draft
        finally:
            draft.unlink(missing_ok=True)

    @contextmanager
    def _errors(self, *, writing: bool) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            permissions = Remedy(kind="check_permissions", path=self._lake)
            raise StorageError(
                "the lake {path!r} cannot be written: {reason}"
                if writing
                else "the lake {path!r} cannot be read: {reason}",
                remedy=Remedy(kind="free_space", otherwise=permissions) if writing else permissions,
                path=self._lake,
                _reason=error.strerror,
            ) from error


def objects_of(lake: Path, folder: str) -> LakeObjects:
    """Return the objects below one folder of a lake."""
    return FolderObjects(lake / folder, lake=str(lake))
