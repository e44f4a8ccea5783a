"""The configuration file as TOML: reading, atomic writing and backups.

A file is written so that a crash leaves the old one or the new one, never a half.
"""

from __future__ import annotations

import glob
import os
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kebab_core import (
    ConfigInvalidError,
    ConfigNotFoundError,
    InvalidInputError,
    Message,
    Remedy,
    StorageError,
)

_POSITION = re.compile(r"\(at line (\d+), column \d+\)")
_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?")
_ENTRY = re.compile(r"([A-Za-z0-9_.\-\"' \t]+)=")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that is valid TOML."""

    path: Path
    text: str
    tables: dict[str, Any]

    def line_of(self, key: str) -> int | None:
        """The 1-based line that sets a dotted key or opens the table of that name.

        None where only a full parser could find it, such as inside inline tables.
        """
        table = ""
        for number, line in enumerate(self.text.splitlines(), start=1):
            if header := _HEADER.fullmatch(line):
                table = _plain(header[1].strip())
                if table == key:
                    return number
            elif entry := _ENTRY.match(line):
                name = _plain(entry[1].strip())
                if key == (f"{table}.{name}" if table else name):
                    return number
        return None


def read_config_file(path: Path, *, content: bytes | None = None) -> ConfigFile:
    """Read and parse a file; a byte order mark is tolerated.

    Args:
        path: The file.
        content: Content that it is to have; None reads it.

    Returns:
        Its text and its tables.

    Raises:
        ConfigNotFoundError: There is no such file.
        ConfigInvalidError: It is a folder, not UTF-8 or not TOML; `details` has the line where it is known.
        StorageError: It cannot be read.
    """
    try:
        text = (path.read_bytes() if content is None else content).decode("utf-8-sig")
        return ConfigFile(path=path, text=text, tables=tomllib.loads(text))
    except FileNotFoundError as error:
        raise ConfigNotFoundError(
            "there is no configuration file at {path!r}",
            remedy=Remedy(
                kind="init",
                otherwise=Remedy(advice=Message("go without a configuration file: the defaults apply")),
            ),
            path=str(path),
        ) from error
    except IsADirectoryError as error:
        raise ConfigInvalidError(
            "{path!r} is a folder, not a configuration file",
            remedy=Remedy(
                advice=Message("name the file in it, such as {path}", path=str(path / "config.toml"))
            ),
            path=str(path),
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigInvalidError("{path!r} is not UTF-8", path=str(path)) from error
    except tomllib.TOMLDecodeError as error:
        message, line = _explain(path, str(error))
        raise ConfigInvalidError(
            message,
            remedy=Remedy(advice=Message("put texts in quotation marks, lists in square brackets")),
            path=str(path),
            line=line,
        ) from error
    except OSError as error:
        raise StorageError(
            "cannot read {path!r}: {reason}", path=str(path), _reason=error.strerror
        ) from error


def _explain(path: Path, message: str) -> tuple[Message, int | None]:
    position = _POSITION.search(message)
    line = int(position[1]) if position else None
    reason = _POSITION.sub("", message).strip()
    reason = reason[:1].lower() + reason[1:]
    if line is None:
        return Message("{path!r} is not valid TOML: {reason}", path=str(path), reason=reason), None
    return Message(
        "line {line} of {path!r} is not valid TOML: {reason}", line=line, path=str(path), reason=reason
    ), line


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))


def write_new(path: Path, text: str) -> None:
    """Create a file that only its owner may read, with its folders.

    Raises:
        InvalidInputError: The path exists already; it stays as it is.
        StorageError: It cannot be written.
    """
    with _mapped_errors(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = _draft_of(path)
        try:
            _write_whole(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), text)
            _link_or_copy(draft, path)
        except FileExistsError as error:
            raise InvalidInputError(
                "{path!r} exists already and was left as it is",
                remedy=Remedy(advice=Message("move {path!r} away", path=str(path))),
                path=str(path),
            ) from error
        finally:
            draft.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Replace an existing file's text in one step; permissions stay, a symbolic link stays a link.

    Raises:
        StorageError: It cannot be written.
    """
    target = Path(os.path.realpath(path))
    draft = _draft_of(target)
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


@contextmanager
def put_in_place(path: Path, content: bytes | None, *, is_final: Callable[[], bool]) -> Iterator[Path | None]:
    """Write a file, with a backup of the one before; an error in the block brings back what was there.

    Args:
        path: The file.
        content: Its new content, UTF-8; None changes nothing.
        is_final: True from the moment from which errors bring nothing back.

    Yields:
        The backup; None where there was no file.

    Raises:
        StorageError: The file cannot be read or written.
    """
    if content is None:
        yield None
        return
    existed, backup = path.exists(), None
    try:
        backup = back_up(path) if existed else None
        (replace_text if existed else write_new)(path, content.decode("utf-8"))
        yield backup
    except BaseException:
        if not is_final():
            if backup is not None:
                replace_text(path, backup.read_bytes().decode("utf-8"))
                backup.unlink()
            elif not existed:
                path.unlink(missing_ok=True)
        raise


def _draft_of(path: Path) -> Path:
    """Return the path of a draft of this process; drafts that killed processes left are deleted."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.new"):
        if not _is_running(left.name.split(".")[-2]):
            left.unlink(missing_ok=True)
    return path.with_name(f".{path.name}.{os.getpid()}.new")


def _is_running(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except (PermissionError, ValueError):  # of another user; not a draft
        return True
    return True


def _link_or_copy(draft: Path, path: Path) -> None:
    # file systems without hard links, such as exFAT, get the name first and the text afterwards
    with suppress(OSError):
        path.hardlink_to(draft)
        return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _write_whole(descriptor, draft.read_bytes().decode("utf-8"))
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
        raise StorageError(
            "cannot read or write {path!r}: {reason}", path=str(path), _reason=error.strerror
        ) from error
