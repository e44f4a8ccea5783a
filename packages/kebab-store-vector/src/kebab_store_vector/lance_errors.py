"""Errors of LanceDB and of the disk as errors of kebab."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from kebab_core import DatabaseCorruptError, IndexId, KebabError, StorageError

REMAKE_HINT = "run `kebab embed`: it makes the vector index again from the database, nothing is lost"
_FULL = (
    "no space left",
    "storagefull",
    "disk quota",
    "file too large",
    "os error 27",
    "os error 28",
    "os error 122",
)
_PASSING = ("conflict", "too many open files", "os error 24")
_PROTECTED = ("permission denied", "read-only file system", "os error 13", "os error 30")
_PANIC = "PanicException"
_MAX_CAUSE = 300
_UNREADABLE = (
    (re.compile(r",? [^ ]+\.rs:\d+:\d+"), ""),
    (re.compile(r"lance error: |LanceError\(\w+\): |Generic LocalFileSystem error: "), ""),
    (re.compile(r"\bb(\"(?:[^\"\\]|\\.)*(?:\"|$)|'(?:[^'\\]|\\.)*(?:'|$))"), "\N{HORIZONTAL ELLIPSIS}"),
    (re.compile(r"(?<=: )[^\s:/]*/[^:\"'`]*/(?=[0-9a-f]{32}\.(?:lance|matrix)\b)"), ""),
    (re.compile(r"[^\s:\"'`]{0,1000}/(?=[0-9a-f]{32}\.(?:lance|matrix)\b)"), ""),
)
"""Where in its source code LanceDB failed, its words for itself, bytes of files, and its paths without the first slash."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class MatrixDamagedError(Exception):
    """Files of a matrix are shorter than its manifest says, number what is not there, or hold what no vector is."""


@contextmanager
def lance_errors(index_id: IndexId, action: str) -> Iterator[None]:
    """Turn whatever LanceDB and Arrow raise inside into an error that says what to do.

    Over damaged files that may be anything: errors of input and output, of values, types and missing names, memory that
    a damaged length asks for, and panics of Rust, some of which are no `Exception`. Nothing but calls of these
    libraries belongs inside.

    Raises:
        DatabaseCorruptError: The index is damaged: nothing but making it again helps.
        StorageError: It cannot be read or written as things are.
        KebabError: One of kebab's own passes through.
        BaseException: So does what ends a program.
    """
    try:
        yield
    except KebabError:
        raise
    except Exception as error:
        failure = _mapped(action, error, index_id)
        raise failure from error
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        failure = _mapped(action, error, index_id)
        raise failure from error


@contextmanager
def disk_errors(index_id: IndexId | None, action: str) -> Iterator[None]:
    """Turn what the disk refuses inside, and damage that was found, into an error that says what to do.

    Raises:
        DatabaseCorruptError: A file of the index is damaged or gone.
        StorageError: It cannot be read or written as things are.
    """
    try:
        yield
    except (OSError, MatrixDamagedError) as error:
        failure = _mapped(action, error, index_id)
        raise failure from error


def _mapped(action: str, error: BaseException, index_id: IndexId | None) -> StorageError:
    message, text = _message(action, error), str(error).lower()
    if any(sign in text for sign in _FULL):
        hint = "free some disk space, then run `kebab embed`: it goes on where it stopped"
    elif any(sign in text for sign in _PROTECTED):
        hint = "make the data folder readable and writable for yourself"
    elif any(sign in text for sign in _PASSING):
        hint = "run the same command again"
    else:
        return DatabaseCorruptError(message, hint=REMAKE_HINT, index_id=index_id)
    return StorageError(message, hint=hint, index_id=index_id)


def _message(action: str, error: BaseException) -> str:
    return f"cannot {action} the vector index: {_cause(error)[:_MAX_CAUSE]}"


def _cause(error: BaseException) -> str:
    """Return what people can read of an error: no contents of files, no places in source code, whole or no paths."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.strerror.lower()}: {error.filename}"
    cause = (str(error).splitlines() or [type(error).__name__])[0]
    for pattern, shown in _UNREADABLE:
        cause = pattern.sub(shown, cause)
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", cause)
