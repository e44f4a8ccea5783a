"""Errors of LanceDB and of the disk as errors of kebab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kebab_core import IndexId, StorageError

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
_PROTECTED = ("permission denied", "read-only file system", "os error 13", "os error 30")
_PANIC = "PanicException"
_MAX_CAUSE = 300


@contextmanager
def lance_errors(index_id: IndexId, action: str) -> Iterator[None]:
    """Turn what LanceDB raises inside into an error that says what to do.

    That is `RuntimeError`, `ValueError` and `OSError`, and for a panic of its Rust a class that is no `Exception`.

    Raises:
        StorageError: The index cannot be read or written.
        BaseException: What is none of these passes through.
    """
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        raise StorageError(_message(action, error), hint=_hint(error), index_id=index_id) from error
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise StorageError(_message(action, error), hint=_hint(error), index_id=index_id) from error


@contextmanager
def disk_errors(index_id: IndexId, action: str) -> Iterator[None]:
    """Turn what the disk refuses inside into an error that says what to do.

    Raises:
        StorageError: A file cannot be read or written.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(_message(action, error), hint=_hint(error), index_id=index_id) from error


def _message(action: str, error: BaseException) -> str:
    cause = (str(error).splitlines() or [type(error).__name__])[0]
    return f"cannot {action} the vector index: {cause[:_MAX_CAUSE]}"


def _hint(error: BaseException) -> str:
    text = str(error).lower()
    if any(sign in text for sign in _FULL):
        return "make room on the disk, then run `kebab embed`: it goes on where it stopped"
    if any(sign in text for sign in _PROTECTED):
        return "make the data folder readable and writable for yourself"
    return REMAKE_HINT
