"""Objects of a lake: files of a folder, or objects of a bucket.

Small ones, heads and the lease, are made whole or not at all.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kebab_core import Remedy, StorageError
from kebab_runtime import Bucket


class FolderObjects:
    """Objects as files below a folder, which the first one makes, by the methods of `Bucket`.

    All methods raise `StorageError` where they cannot read or write.

    Args:
        folder: Of the objects.
        lake: Named in errors.
    """

    def __init__(self, folder: Path, *, lake: str) -> None:
        self._folder = folder
        self._lake = lake

    def list_sizes(self) -> dict[str, int]:
        """Return the bytes of all files by their paths, none where there is no folder; drafts, which begin with a dot, left out."""
        with self._errors(writing=False):
            return {
                path.relative_to(self._folder).as_posix(): path.stat().st_size
                for path in self._folder.rglob("*")
                if path.is_file() and not path.name.startswith(".")
            }

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None where it is not there."""
        with self._errors(writing=False), suppress(FileNotFoundError):
            return (self._folder / name).read_bytes()
        return None

    def copy_to(self, name: str, path: Path) -> bool:
        """Copy a file; return False where it is not there."""
        import shutil

        with self._errors(writing=False), suppress(FileNotFoundError):
            shutil.copyfile(self._folder / name, path)
            return True
        return False

    def create(self, name: str, content: bytes) -> bool:
        """Make a file, its content on the disk before its name; return False where it is there already."""
        with self._errors(writing=True), self._draft(name, content) as draft:
            try:
                os.link(draft, self._folder / name)
            except FileExistsError:
                return False
            return True

    def replace(self, name: str, content: bytes) -> None:
        """Write a file, whatever is there."""
        with self._errors(writing=True), self._draft(name, content) as draft:
            draft.replace(self._folder / name)

    def remove(self, name: str) -> None:
        """Remove a file, where it is there."""
        with self._errors(writing=True):
            (self._folder / name).unlink(missing_ok=True)

    @contextmanager
    def _draft(self, name: str, content: bytes) -> Iterator[Path]:
        """Write a file of another name, which is gone after the block.

        Yields:
            Its path.
        """
        path = self._folder / name
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        draft.parent.mkdir(parents=True, exist_ok=True)
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


LakeObjects = Bucket | FolderObjects
"""Objects by name below one place."""


def is_bucket(lake: str) -> bool:
    """Return whether a lake is in a bucket, not in a folder."""
    return "://" in lake


def objects_of(lake: str, folder: str = "") -> LakeObjects:
    """Return the objects below one folder of a lake, or all of it."""
    if is_bucket(lake):
        return Bucket(f"{lake.rstrip('/')}/{folder}")
    return FolderObjects(Path(lake, folder), lake=lake)


def has_conditional_put(objects: LakeObjects) -> bool:
    """Return whether the store refuses to make an object that is there; a trial is made and removed.

    Some stores write over it, so that a committer could write over the revision of another.
    """
    name = f"trial-{secrets.token_hex(8)}"
    try:
        return objects.create(name, b"1") and not objects.create(name, b"2")
    finally:
        objects.remove(name)
