"""Objects of a lake: files of a folder, or objects of a bucket. It is the only module that imports `obstore`.

Small ones, heads and the lease, are made whole or not at all.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kebab_core import Message, Remedy, StorageError

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_MAX_CAUSE = 300
_RETRIES = 4
_PATIENCE = timedelta(seconds=30)
"""For all tries of one request."""

_NO_BUCKET = "bucket does not exist"
"""In the answers of S3 and Google."""


class LakeObjects(Protocol):
    """Objects by name below one place. All methods raise `StorageError` where they cannot read or write."""

    def list_sizes(self) -> dict[str, int]:
        """Return the bytes of all objects by name, those of folders below with slashes; none where there is no such place."""
        ...

    def read(self, name: str) -> bytes | None:
        """Return the content of an object; None where it is not there."""
        ...

    def copy_to(self, name: str, path: Path) -> bool:
        """Write the content of an object to a file; return False where the object is not there."""
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
    """Implements `LakeObjects` by files below a folder, which the first object makes.

    Args:
        folder: Of the objects.
        lake: Named in errors.
    """

    def __init__(self, folder: Path, *, lake: str) -> None:
        self._folder = folder
        self._lake = lake

    def list_sizes(self) -> dict[str, int]:
        """Return the bytes of all files by their paths; drafts, which begin with a dot, left out."""
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
            remedy = Remedy(kind="free_space", otherwise=permissions) if writing else permissions
            unusable = _unusable(self._lake, str(error.strerror), writing=writing, remedy=remedy)
            raise unusable from error


class BucketObjects:
    """Implements `LakeObjects` by objects of a bucket; who may use it is known from the environment.

    Args:
        lake: URL of the lake.
        folder: Of the objects below it; empty: the lake itself.
    """

    def __init__(self, lake: str, folder: str) -> None:
        self._lake = lake
        self._url = f"{lake.rstrip('/')}/{folder}"

    def list_sizes(self) -> dict[str, int]:
        """Return the bytes of all objects by name."""
        import obstore

        with self._errors(writing=False):
            return {each["path"]: each["size"] for batch in obstore.list(self._store) for each in batch}

    def read(self, name: str) -> bytes | None:
        """Return the content of an object; None where it is not there."""
        import obstore

        with suppress(FileNotFoundError), self._errors(writing=False, may_lack=True):
            return bytes(obstore.get(self._store, name).bytes())
        return None

    def copy_to(self, name: str, path: Path) -> bool:
        """Write the content of an object to a file, some megabytes at a time; return False where it is not there."""
        import obstore

        with suppress(FileNotFoundError), self._errors(writing=False, may_lack=True):
            found = obstore.get(self._store, name)
            with path.open("wb") as file:
                for part in found:
                    file.write(part)
            return True
        return False

    def create(self, name: str, content: bytes) -> bool:
        """Make an object; return False where it is there already, with other content.

        With the same content it is the one that a try made whose answer was lost.
        """
        import obstore
        from obstore.exceptions import AlreadyExistsError

        with self._errors(writing=True):
            try:
                obstore.put(self._store, name, content, mode="create")
            except AlreadyExistsError:
                return self.read(name) == content
            return True

    def replace(self, name: str, content: bytes) -> None:
        """Write an object, whatever is there."""
        import obstore

        with self._errors(writing=True):
            obstore.put(self._store, name, content)

    def remove(self, name: str) -> None:
        """Remove an object, where it is there."""
        import obstore

        with suppress(FileNotFoundError), self._errors(writing=True, may_lack=True):
            obstore.delete(self._store, name)

    @cached_property
    def _store(self) -> ObjectStore:
        from obstore.store import from_url

        return from_url(self._url, retry_config={"max_retries": _RETRIES, "retry_timeout": _PATIENCE})

    @contextmanager
    def _errors(self, *, writing: bool, may_lack: bool = False) -> Iterator[None]:
        """Map the errors of obstore, and those of files that are written.

        Raises:
            StorageError: One of them.
            FileNotFoundError: `may_lack`, and the object is not there.
        """
        from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            is_lacking = isinstance(error, FileNotFoundError) and _NO_BUCKET not in str(error)
            if may_lack and is_lacking:
                raise FileNotFoundError from error
            is_refused = isinstance(error, PermissionDeniedError | UnauthenticatedError)
            remedy = Remedy(kind="check_permissions", path=self._lake)
            reason = (str(error).splitlines() or [type(error).__name__])[0][:_MAX_CAUSE]
            remedy = remedy if is_refused else Remedy(kind="retry", otherwise=remedy)
            unusable = _unusable(self._lake, reason, writing=writing, remedy=remedy)
            raise unusable from error


def is_bucket(lake: str) -> bool:
    """Return whether a lake is in a bucket, not in a folder."""
    return "://" in lake


def objects_of(lake: str, folder: str = "") -> LakeObjects:
    """Return the objects below one folder of a lake, or all of it."""
    return BucketObjects(lake, folder) if is_bucket(lake) else FolderObjects(Path(lake, folder), lake=lake)


def has_conditional_put(objects: LakeObjects) -> bool:
    """Return whether the store refuses to make an object that is there; a trial is made and removed.

    Some stores write over it, so that a committer could write over the revision of another.
    """
    name = f"trial-{secrets.token_hex(8)}"
    try:
        return objects.create(name, b"1") and not objects.create(name, b"2")
    finally:
        objects.remove(name)


def _unusable(lake: str, reason: str, *, writing: bool, remedy: Remedy) -> StorageError:
    template = (
        Message("the lake {path!r} cannot be written: {reason}", path=lake, reason=reason)
        if writing
        else Message("the lake {path!r} cannot be read: {reason}", path=lake, reason=reason)
    )
    return StorageError(template, remedy=remedy, path=lake)
