"""The head of a lake: which versions of its tables belong together, one file for each revision.

A revision is published by making its file, which fails where the file is there already. So of two committers that began at one
revision only one comes through, and a reader that has read a head finds the tables as they were, whatever is written meanwhile.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from kebab_core import (
    AnalyzerVersion,
    DatabaseCorruptError,
    EmbeddingIdentity,
    LockedError,
    Model,
    Remedy,
    StorageError,
    UtcDatetime,
)

FORMAT = 1
"""Version of the tables. Raise it with a change that earlier releases cannot read."""
FOLDER = "head"
_NAME = re.compile(r"(\d{12})\.json")


class Head(Model):
    """One revision of a lake."""

    format: int = FORMAT
    revision: int
    tables: dict[str, int]
    """Version of each table."""
    corpus_revision: int = 0
    """Rises with every change of search results."""
    content_version: str = ""
    """Of the passages and vectors, as in `EmbeddingRepo`."""
    documents: int = 0
    documents_pending: int = 0
    """Documents with a passage that has no vector of the model in force."""
    asset_bytes: int = 0
    passages: int = 0
    vectors: int = 0
    """Passages with a vector of the model."""
    analyzer_version: AnalyzerVersion | None = None
    model: EmbeddingIdentity | None = None
    """Model of the vectors."""
    is_complete: bool = False
    """Whether every passage has a vector of it."""
    model_settings: str = "{}"
    """`EmbeddingSettings` by which its embedder can be built."""
    query_centroids: str | None = None
    query_centroids_version: str | None = None
    published_at: UtcDatetime
    writer: str
    """Machine and process that published it."""
    requires: str
    """Version of LanceDB that wrote the tables."""


EMPTY = 0
"""The revision of a lake before the first one."""


@contextmanager
def _reading(lake: Path) -> Iterator[None]:
    """Map errors of reading.

    Raises:
        FileNotFoundError: The file is not there.
        StorageError: It cannot be read.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(
            "the lake {path!r} cannot be read: {reason}",
            remedy=Remedy(kind="check_permissions", path=str(lake)),
            path=str(lake),
            _reason=error.strerror,
        ) from error


def list_revisions(lake: Path) -> list[int]:
    """List the revisions whose heads are kept, the oldest first; none where there is no lake.

    Raises:
        StorageError: It cannot be read.
    """
    try:
        with _reading(lake):
            names = [path.name for path in (lake / FOLDER).iterdir()]
    except FileNotFoundError:
        return []
    return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))


def read_head(lake: Path, revision: int) -> Head | None:
    """Read the head of a revision; None where it is not kept, or is not yet.

    Raises:
        DatabaseCorruptError: It cannot be understood.
        StorageError: It cannot be read, or was written in a later format.
    """
    try:
        with _reading(lake):
            content = _path(lake, revision).read_bytes()
    except FileNotFoundError:
        return None
    try:
        head = Head.model_validate_json(content)
    except ValueError as error:
        raise DatabaseCorruptError(
            "the head of revision {revision} of the lake is damaged", path=str(lake), revision=revision
        ) from error
    if head.format > FORMAT:
        raise StorageError(
            "the lake was written by a newer kebab (format {format}; this one reads {known})",
            path=str(lake),
            _format=head.format,
            _known=FORMAT,
        )
    return head


def read_newest_head(lake: Path) -> Head | None:
    """Read the newest head; None where there is no lake."""
    for revision in reversed(list_revisions(lake)):
        if (head := read_head(lake, revision)) is not None:
            return head
    return None


def put_head(lake: Path, head: Head) -> None:
    """Publish a revision; its content is on the disk before its name is.

    Raises:
        LockedError: Another committer has published it first.
        StorageError: It cannot be written.
    """
    path = _path(lake, head.revision)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("xb") as file:
            file.write(head.model_dump_json().encode())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    except FileExistsError as error:
        stale = stale_head(head.revision)
        raise stale from error
    except OSError as error:
        raise StorageError(
            "the lake {path!r} cannot be written: {reason}",
            remedy=Remedy(kind="free_space", otherwise=Remedy(kind="check_permissions", path=str(lake))),
            path=str(lake),
            _reason=error.strerror,
        ) from error


def stale_head(revision: int) -> LockedError:
    """Return the error of a committer that another one was faster than."""
    return LockedError(
        "another process has published revision {revision} of the lake meanwhile",
        remedy=Remedy(kind="retry"),
        revision=revision,
    )


def remove_heads(lake: Path, *, before: datetime, newest: int) -> bool:
    """Remove the heads that were published before a time, but the newest; return whether there were any."""
    has_removed = False
    for revision in list_revisions(lake):
        if revision >= newest:
            break
        head = read_head(lake, revision)
        if head is not None and head.published_at >= before:
            break
        _path(lake, revision).unlink(missing_ok=True)
        has_removed = True
    return has_removed


def _path(lake: Path, revision: int) -> Path:
    return lake / FOLDER / f"{revision:012}.json"
