"""Writing a file so that a crash leaves the old one or the new one, never a half."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kebab_core import InvalidInputError, StorageError


def write_new(path: Path, text: str) -> None:
    """Create a file that only its owner may read, with its folders.

    Raises:
        InvalidInputError: Something is there already; it stays as it is.
        StorageError: It cannot be written.
    """
    with _mapped_errors(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise InvalidInputError(
                f"{str(path)!r} exists already", hint="it was left as it is", path=str(path)
            ) from error
        _write_or_remove(path, descriptor, text)


def replace_text(path: Path, text: str) -> None:
    """Replace an existing file's text in one step; permissions stay, a symbolic link stays a link.

    Raises:
        StorageError: It cannot be written.
    """
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{target.name}.{os.getpid()}.new")
    with _mapped_errors(path):
        mode = target.stat().st_mode & 0o777
        try:
            _write_whole(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), text)
            draft.chmod(mode)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


def back_up(path: Path) -> Path:
    """Copy a file to `<name>.bak`, or `<name>.bak.1` and so on where that exists.

    Returns:
        The copy.

    Raises:
        StorageError: The file cannot be read or the copy not be written.
    """
    with _mapped_errors(path):
        content = path.read_bytes().decode("utf-8")
    number = 0
    while True:
        copy = path.with_name(f"{path.name}.bak" + (f".{number}" if number else ""))
        try:
            write_new(copy, content)
        except InvalidInputError:
            number += 1
        else:
            return copy


def _write_or_remove(path: Path, descriptor: int, text: str) -> None:
    try:
        _write_whole(descriptor, text)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _write_whole(descriptor: int, text: str) -> None:
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def _mapped_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"cannot read or write {str(path)!r}: {error.strerror}", path=str(path)) from error
