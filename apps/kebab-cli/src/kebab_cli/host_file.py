"""The file in which a host keeps its servers: read whole, changed in one entry, written in one step."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kebab_config import back_up, replace_text, write_new
from kebab_core import InvalidInputError, StorageError

from kebab_cli.member_formats import load_format

if TYPE_CHECKING:
    from kebab_cli.hosts import Host

SERVER_NAME = "kebab"
_MARK = "\ufeff"
_LONE_LINE_END = re.compile(r"(?<!\r)\n")


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a file says and what it is to say."""

    path: Path
    before: str | None
    """None where there is no file."""
    after: str

    @property
    def is_none(self) -> bool:
        """Whether nothing is to be done."""
        return self.before == self.after

    @property
    def diff(self) -> str:
        """What changes, as a unified diff."""
        before, after = (self.before or "").splitlines(), self.after.splitlines()
        return "\n".join(unified_diff(before, after, "now", "then", lineterm="", n=2)) + "\n"


def plan_change(path: Path, host: Host, *, entry: dict[str, object]) -> Change:
    """Return what has to change for a host to know the server; nothing is written.

    What an entry that is there says beside how to start the server stays.

    Args:
        path: Its file; may be missing.
        host: Whose it is.
        entry: How to start the server.

    Raises:
        InvalidInputError: The file is not of the host's format, or has another shape.
        StorageError: It cannot be read.
    """
    before = _read(path)
    text = (before or "").removeprefix(_MARK)
    mark = _MARK if before is not None and before.startswith(_MARK) else ""
    try:
        after = _set_entry(text, host, entry)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInputError(
            f"{str(path)!r} is not {host.format} as expected, and was left as it is: {error}",
            hint=f"mend it, or add this by hand: {_spell(host, entry)}",
            path=str(path),
        ) from error
    return Change(path=path, before=before, after=(before or "") if after == text else mark + after)


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
    with _alone(Path(os.path.realpath(path)).parent):
        change = plan()
        if change.is_none:
            return change, None
        if change.before is None:
            write_new(change.path, change.after)
            return change, None
        kept = back_up(change.path)
        replace_text(change.path, change.after)
        return change, kept


def has_entry(path: Path, host: Host) -> bool:
    """Return whether a host's file names the server; False also where it cannot be read."""
    try:
        found: Any = load_format(host.format).read((_read(path) or "").removeprefix(_MARK))
        return SERVER_NAME in found.get(host.members, ())
    except (InvalidInputError, StorageError, ValueError, TypeError, AttributeError, RecursionError):
        return False


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


def _set_entry(text: str, host: Host, entry: dict[str, object]) -> str:
    """Return the text of a file with the server in it.

    Raises:
        ValueError: It is not of the host's format.
        TypeError: It has another shape, or something else would change.
    """
    form = load_format(host.format)
    found = form.read(text)
    if not isinstance(found, dict):
        raise TypeError("the file is no object")
    servers = found.get(host.members, {})
    there = _ours(servers.get(SERVER_NAME) if isinstance(servers, dict) else None, host)
    wanted = entry if there is None else {**host.also, **there, **_start_of(host, entry)}
    if there == wanted:
        return text
    after = _write(text, host, wanted, there=there)
    if text.count("\n") == text.count("\r\n") > 0:
        after = _LONE_LINE_END.sub("\r\n", after)
    if form.read(after) != {**found, host.members: {**(servers or {}), SERVER_NAME: wanted}}:
        raise TypeError("it cannot be changed without changing something else")
    return after


def _write(text: str, host: Host, wanted: dict[str, object], *, there: dict[str, object] | None) -> str:
    form, place = load_format(host.format), (host.members, SERVER_NAME)
    if there is None:
        return form.set_member(text, place, wanted)
    for name, value in wanted.items():
        if name not in there or there[name] != value:
            text = form.set_member(text, (*place, name), value)
    return text


def _ours(entry: object, host: Host) -> dict[str, object] | None:
    """Return an entry that says how to start a program, and not for example where one is reached."""
    return entry if isinstance(entry, dict) and host.command in entry else None


def _start_of(host: Host, entry: dict[str, object]) -> dict[str, object]:
    return {name: entry[name] for name in (host.command, "args")}


def _spell(host: Host, entry: dict[str, object]) -> str:
    """Return what to add by hand, on one line."""
    if host.format == "JSON":
        return json.dumps({host.members: {SERVER_NAME: entry}}, ensure_ascii=False)
    return " / ".join(
        load_format(host.format).set_member("", (host.members, SERVER_NAME), entry).splitlines()
    )


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
