"""The file in which a host keeps its servers: read whole, changed in one entry, written in one step."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kebab_config import back_up, replace_text, write_new
from kebab_core import InvalidInputError, StorageError

from kebab_cli.entry_text import SERVER_NAME, set_entry, spell_entry
from kebab_cli.member_formats import load_format

if TYPE_CHECKING:
    from kebab_cli.hosts import Host
    from kebab_cli.server_entry import ServerEntry

_MARK = "\ufeff"
_WRITABLE = 0o222


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a file says and what it is to say."""

    path: Path
    before: str | None
    """None where there is no file."""
    after: str
    entry: ServerEntry
    """What it is to say of the server."""

    @property
    def is_none(self) -> bool:
        """Whether nothing is to be done."""
        return self.before == self.after

    @property
    def diff(self) -> str:
        """What changes, as a unified diff."""
        before, after = (self.before or "").splitlines(), self.after.splitlines()
        return "\n".join(unified_diff(before, after, "now", "then", lineterm="", n=2)) + "\n"


def plan_change(path: Path, host: Host, *, entry: dict[str, object], lets_write: bool = False) -> Change:
    """Return what has to change for a host to know the server; nothing is written.

    What an entry that is there says beside how to start the server stays, arguments that the user added included.

    Args:
        path: Its file; may be missing.
        host: Whose it is.
        entry: How to start the server.
        lets_write: The server may write, also where the entry that is there leaves that out.

    Raises:
        InvalidInputError: The file is not of the host's format, or has another shape.
        StorageError: It cannot be read, or is not to be written.
    """
    before = _read(path)
    text = (before or "").removeprefix(_MARK)
    mark = _MARK if before is not None and before.startswith(_MARK) else ""
    try:
        after, merged = set_entry(text, host, entry, lets_write=lets_write)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInputError(
            f"{str(path)!r} is not {host.format} as expected, and was left as it is: {error}",
            hint=f"mend it, or add this by hand:{spell_entry(host, entry)}",
            path=str(path),
        ) from error
    if after == text:
        return Change(path=path, before=before, after=before or "", entry=merged)
    _require_changeable(path, hint=f"add this by hand:{spell_entry(host, merged.members)}")
    return Change(path=path, before=before, after=mark + after, entry=merged)


def carry_out(path: Path, plan: Callable[[], Change]) -> tuple[Change, Path | None]:
    """Write a file anew, in one step; others of kebab that want to change it wait.

    Args:
        path: The file.
        plan: Tells what to change, once nobody else is at it.

    Returns:
        What was changed, and where the old file was kept; None where there was none.

    Raises:
        StorageError: It cannot be written.
    """
    target = _find_target(path)
    with _alone(target.parent):
        change = plan()
        if change.is_none:
            return change, None
        if change.before is None:
            write_new(target, change.after)
            return change, None
        kept = back_up(change.path)
        replace_text(change.path, change.after)
        return change, kept


def read_entry(path: Path, host: Host) -> object:
    """Return what a host's file says of the server; None where that is nothing, or it cannot be read."""
    try:
        found: Any = load_format(host.format).read((_read(path) or "").removeprefix(_MARK))
        return found.get(host.members, {}).get(SERVER_NAME)
    except (InvalidInputError, StorageError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def _require_changeable(path: Path, *, hint: str) -> None:
    """Do nothing where a file may be written, or made.

    Raises:
        StorageError: It is protected, or a link that leads to where nothing can be.
    """
    target = _find_target(path)
    if target.exists() and not target.stat().st_mode & _WRITABLE:
        raise StorageError(
            f"{str(path)!r} is protected against writing, and was left as it is",
            hint=f"chmod u+w {str(target)!r}, or {hint}",
            path=str(path),
        )


def _find_target(path: Path) -> Path:
    """Return the file itself.

    Raises:
        StorageError: A link stands for it that leads into no folder.
    """
    target = Path(os.path.realpath(path))
    if path.is_symlink() and not target.parent.is_dir():
        raise StorageError(
            f"{str(path)!r} is a link into {str(target.parent)!r}, which does not exist",
            hint="make that folder, or remove the link",
            path=str(path),
        )
    return target


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Be the only one of kebab that changes files in a folder, which is made where it is missing.

    Yields:
        Nothing, once that is so.

    Raises:
        StorageError: The folder cannot be made or opened.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StorageError(
            f"cannot write in {str(folder)!r}: {error.strerror}",
            hint="check its permissions",
            path=str(folder),
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{str(path)!r} is not text in UTF-8, and was left as it is",
            hint="look at the file",
            path=str(path),
        ) from error
    except OSError as error:
        raise StorageError(
            f"cannot read {str(path)!r}: {error.strerror}", hint="check its permissions", path=str(path)
        ) from error
