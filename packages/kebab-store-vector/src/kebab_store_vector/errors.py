"""Mapping of errors of LanceDB, Arrow and the disk to errors of kebab."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kebab_core import DatabaseCorruptError, KebabError, Message, Remedy, StorageError

if TYPE_CHECKING:
    from kebab_core import EmbeddingIdentity

REMAKE = Remedy(kind="remake_vectors")
_FULL = (
    "no space left",
    "storagefull",
    "disk quota",
    "file too large",
    "os error 27",
    "os error 28",
    "os error 122",
)
_TEMPORARY = ("conflict", "too many open files", "os error 24")
_PROTECTED = ("permission denied", "read-only file system", "os error 13", "os error 30")
_PANIC = "PanicException"
_MAX_CAUSE = 300
_UNREADABLE = (
    (re.compile(r",? [^ ]+\.rs:\d+:\d+"), ""),
    (re.compile(r"lance error: |LanceError\(\w+\): |Generic LocalFileSystem error: "), ""),
    (re.compile(r"\bb(\"(?:[^\"\\]|\\.)*(?:\"|$)|'(?:[^'\\]|\\.)*(?:'|$))"), "\N{HORIZONTAL ELLIPSIS}"),
    (re.compile(r"(?<=: )[^\s:/]*/[^:\"'`]*/(?=[0-9a-f]{32}\.(?:lance|matrix)\b)"), ""),
    (re.compile(r"(?<![^\s:\"'`])[^\s:\"'`]{0,4096}/(?=[0-9a-f]{32}\.(?:lance|matrix)\b)"), ""),
)
"""Source locations, LanceDB's own prefixes, bytes of files, and its paths without the first slash."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class MatrixDamagedError(Exception):
    """A matrix is shorter than it was, or holds what no vector is."""


@contextmanager
def lance_errors(identity: EmbeddingIdentity, action: str) -> Iterator[None]:
    """Map all exceptions of LanceDB and Arrow inside the block.

    Damaged files can raise anything: `OSError`, `ValueError`, `TypeError`, `KeyError`, `MemoryError`, and Rust panics,
    some of which are no `Exception`. Only calls of these libraries belong inside.

    Raises:
        DatabaseCorruptError: The index is damaged and must be made again.
        StorageError: It cannot be read or written at present.
        KebabError: Errors of kebab pass through.
        BaseException: So do `KeyboardInterrupt` and its like.
    """
    try:
        yield
    except KebabError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != _PANIC:
            raise
        failure = _mapped(action, error, identity)
        raise failure from error


@contextmanager
def disk_errors(identity: EmbeddingIdentity | None, action: str) -> Iterator[None]:
    """Map `OSError` and `MatrixDamagedError` inside the block.

    Raises:
        DatabaseCorruptError: A file of the index is damaged or missing.
        StorageError: It cannot be read or written at present.
    """
    try:
        yield
    except (OSError, MatrixDamagedError) as error:
        failure = _mapped(action, error, identity)
        raise failure from error


def _mapped(action: str, error: BaseException, identity: EmbeddingIdentity | None) -> StorageError:
    model = None if identity is None else str(identity.model_id)
    if isinstance(error, FileExistsError):
        return StorageError(
            "there is a file in the place of the folder of vectors: {path}",
            remedy=Remedy(
                advice=Message("move {path!r} away", path=str(error.filename)), then=Remedy(kind="embed")
            ),
            path=str(error.filename),
            model=model,
        )
    message = Message(
        "cannot {action} the vector index: {error}", action=action, error=_cause(error)[:_MAX_CAUSE]
    )
    text = str(error).lower()
    if any(sign in text for sign in _FULL):
        remedy = Remedy(kind="free_space", then=Remedy(kind="embed"))
    elif any(sign in text for sign in _PROTECTED):
        remedy = Remedy(kind="check_permissions")
    elif any(sign in text for sign in _TEMPORARY):
        remedy = Remedy(kind="retry")
    else:
        return DatabaseCorruptError(message, remedy=REMAKE, model=model)
    return StorageError(message, remedy=remedy, model=model)


def _cause(error: BaseException) -> str:
    """Return the readable part of an error: no file contents, no source locations, whole paths or none."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.strerror.lower()}: {error.filename}"
    cause = (str(error).splitlines() or [type(error).__name__])[0]
    for pattern, shown in _UNREADABLE:
        cause = pattern.sub(shown, cause)
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", cause)
