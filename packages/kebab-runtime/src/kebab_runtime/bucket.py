"""Buckets of S3, Google and Azure. It is the only module that imports `obstore`, which the extra `bucket` installs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DependencyMissingError, Message, Remedy, StorageError

if TYPE_CHECKING:
    from datetime import datetime

    from obstore import ObjectMeta
    from obstore.store import ObjectStore

_MAX_CAUSE = 300
_RETRIES = 4
_PATIENCE = timedelta(seconds=30)
"""For all tries of one request."""
_NO_BUCKET = "bucket does not exist"
"""In the answers of S3 and Google."""
_REFUSED = re.compile(r"\b40[13] (?:Forbidden|Unauthorized)")
_CODE = re.compile(r"<Code>(\w+)</Code>")
"""Of an answer in XML."""


class StoredObject(NamedTuple):
    """An object as it is listed."""

    name: str
    byte_len: int
    modified_at: datetime
    version: str
    """Its ETag, which changes with its content."""


class Bucket:
    """Objects by name below a URL. Who may use them is known from the environment.

    All methods raise `StorageError` where the bucket cannot be read or written, and `DependencyMissingError` without obstore.

    Args:
        url: `s3://bucket/folder`, or one of `gs://` and `az://`.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def list_objects(self, below: str = "") -> Iterator[StoredObject]:
        """Yield all objects, or those below a folder, in any order."""
        store = self._store
        with self._errors(writing=False):
            import obstore

            for batch in obstore.list(store, below or None):
                yield from map(_described, batch)

    def list_sizes(self) -> dict[str, int]:
        """Return the bytes of all objects by name."""
        return {each.name: each.byte_len for each in self.list_objects()}

    def find(self, name: str) -> StoredObject | None:
        """Return an object without its content; None where it is not there."""
        store = self._store
        with suppress(FileNotFoundError), self._errors(writing=False, may_lack=True):
            import obstore

            return _described(obstore.head(store, name))
        return None

    def read_object(self, name: str) -> tuple[bytes, StoredObject] | None:
        """Return the content of an object, with how this very content is listed; None where it is not there."""
        store = self._store
        with suppress(FileNotFoundError), self._errors(writing=False, may_lack=True):
            import obstore

            found = obstore.get(store, name)
            return bytes(found.bytes()), _described(found.meta)
        return None

    def read(self, name: str) -> bytes | None:
        """Return the content of an object; None where it is not there."""
        found = self.read_object(name)
        return None if found is None else found[0]

    def copy_to(self, name: str, path: Path) -> bool:
        """Write the content of an object to a file, some megabytes at a time; return False where it is not there."""
        store = self._store
        with suppress(FileNotFoundError), self._errors(writing=False, may_lack=True):
            import obstore

            found = obstore.get(store, name)
            with path.open("wb") as file:
                for part in found:
                    file.write(part)
            return True
        return False

    def create(self, name: str, content: bytes) -> bool:
        """Make an object; return False where it is there already, with other content.

        With the same content it is the one that a try made whose answer was lost.
        """
        store = self._store
        with self._errors(writing=True):
            import obstore
            from obstore.exceptions import AlreadyExistsError

            try:
                obstore.put(store, name, content, mode="create")
            except AlreadyExistsError:
                return self.read(name) == content
            return True

    def replace(self, name: str, content: bytes) -> None:
        """Write an object, whatever is there."""
        store = self._store
        with self._errors(writing=True):
            import obstore

            obstore.put(store, name, content)

    def remove(self, name: str) -> None:
        """Remove an object, where it is there."""
        store = self._store
        with suppress(FileNotFoundError), self._errors(writing=True, may_lack=True):
            import obstore

            obstore.delete(store, name)

    @cached_property
    def _store(self) -> ObjectStore:
        try:
            from obstore.store import from_url
        except ModuleNotFoundError as error:
            raise DependencyMissingError(
                "a bucket needs the package obstore, which is not installed",
                remedy=Remedy(kind="install_packages", name="kebab-cli[bucket]"),
                package="obstore",
            ) from error
        with self._errors(writing=False):
            return from_url(self._url, retry_config={"max_retries": _RETRIES, "retry_timeout": _PATIENCE})

    @contextmanager
    def _errors(self, *, writing: bool, may_lack: bool = False) -> Iterator[None]:
        """Map the errors of obstore, and those of files that are written.

        Raises:
            StorageError: One of them.
            FileNotFoundError: `may_lack`, and the object is not there.
        """
        from obstore.exceptions import BaseError

        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            is_lacking = isinstance(error, FileNotFoundError) and _NO_BUCKET not in str(error)
            if may_lack and is_lacking:
                raise FileNotFoundError from error
            reason, remedy = self._explain(error)
            raise StorageError(
                Message("{url} cannot be written: {reason}", url=self._url, reason=reason)
                if writing
                else Message("{url} cannot be read: {reason}", url=self._url, reason=reason),
                remedy=remedy,
                path=self._url,
            ) from error

    def _explain(self, error: Exception) -> tuple[Message | str, Remedy]:
        """Return the cause of an error, and a remedy. Its text is read, since listing raises one class whatever the cause."""
        from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

        text, permissions = str(error), Remedy(kind="check_permissions", path=self._url)
        if isinstance(error, PermissionDeniedError | UnauthenticatedError) or _REFUSED.search(text):
            code = _CODE.search(text)
            return Message(
                "the credentials in the environment are refused ({code})", code=code[1] if code else "403"
            ), permissions
        if _NO_BUCKET in text or "404 Not Found" in text:
            return Message("there is no such bucket"), Remedy(kind="show_config")
        if "error sending request" in text:
            return Message("the store does not answer"), Remedy(kind="retry")
        cause = (text.splitlines() or [type(error).__name__])[0][:_MAX_CAUSE]
        return cause, Remedy(kind="retry", otherwise=permissions)


def _described(meta: ObjectMeta) -> StoredObject:
    return StoredObject(meta["path"], meta["size"], meta["last_modified"], meta["e_tag"] or "")
