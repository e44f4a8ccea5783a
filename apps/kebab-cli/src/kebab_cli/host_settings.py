"""The settings file of a host: its entry for kebab, changed in plain JSON or TOML and written in one step.

Called by `kebab mcp install`. Everything in the file but the entry stays as it is, byte for byte. A file in another
format, JSON with comments included, is never changed: `spell_entry` gives the text to add by hand.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from pathlib import Path
from typing import Any

from kebab_config import back_up, replace_text, write_new
from kebab_core import InvalidInputError, StorageError

from kebab_cli.hosts import Host, ServerEntry, merge_entry

SERVER_NAME = "kebab"
_BYTE_ORDER_MARK = "\ufeff"
_WRITABLE = 0o222
_SPACE = re.compile(r"[ \t\r\n]*")
_FIRST_INDENT = re.compile(r"\s*\{[ \t]*\r?\n([ \t]+)")
_LONE_LINE_END = re.compile(r"(?<!\r)\n")
_NAMED_ENTRY = re.compile(rf'^[ \t]*"?{SERVER_NAME}"?[ \t]*:', re.MULTILINE)
"""A member of this name, in YAML or in JSON with comments."""
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, kw_only=True)
class Change:
    """The text of a file before and after."""

    path: Path
    before: str | None
    """None where there is no file."""
    after: str
    entry: ServerEntry
    """The server in `after`."""

    @property
    def is_none(self) -> bool:
        """True if the file stays as it is."""
        return self.before == self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        before, after = (self.before or "").splitlines(), self.after.splitlines()
        return "\n".join(unified_diff(before, after, "now", "then", lineterm="", n=2)) + "\n"


def plan_change(path: Path, host: Host, *, entry: Mapping[str, object], lets_write: bool = False) -> Change:
    """Compute the text of a host's file with the server in it; nothing is written.

    Members of an existing entry stay, except those that start the server; so do arguments that the user added.

    Args:
        path: The file; may be missing.
        host: One whose settings are JSON or TOML.
        entry: The entry that starts the server.
        lets_write: The server may write, even where the existing entry has `--readonly`.

    Returns:
        The change; its text is the same where the entry is there already.

    Raises:
        InvalidInputError: The file is not plain JSON or TOML, or has another shape. The hint has the entry.
        StorageError: It cannot be read, or must not be written.
    """
    before = _read(path)
    text = (before or "").removeprefix(_BYTE_ORDER_MARK)
    mark = _BYTE_ORDER_MARK if before is not None and before.startswith(_BYTE_ORDER_MARK) else ""
    try:
        after, merged = _set_entry(text, host, entry, lets_write=lets_write)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInputError(
            f"{str(path)!r} is not plain {host.format}, and was left as it is: {error}",
            hint=f"add this to it by hand:\n{spell_entry(host, entry)}",
            path=str(path),
        ) from error
    if after == text:
        return Change(path=path, before=before, after=before or "", entry=merged)
    _require_changeable(path, hint=f"add this by hand:\n{spell_entry(host, merged.members)}")
    return Change(path=path, before=before, after=mark + after, entry=merged)


def write_change(path: Path, plan: Callable[[], Change]) -> tuple[Change, Path | None]:
    """Write a file in one step, under a lock that other commands of kebab wait for.

    Args:
        path: The file.
        plan: Computes the change; called under the lock.

    Returns:
        The change, and the backup of the old file; None where there was none.

    Raises:
        StorageError: It cannot be written.
    """
    target = _find_target(path)
    with _folder_lock(target.parent):
        change = plan()
        if change.is_none:
            return change, None
        if change.before is None:
            write_new(target, change.after)
            return change, None
        backup = back_up(change.path)
        replace_text(change.path, change.after)
        return change, backup


def read_entry(path: Path, host: Host) -> object:
    """Read the server's entry in a host's file.

    Returns:
        The entry; an empty one where the file names the server but is not plain JSON or TOML; None without one.
    """
    try:
        text = (_read(path) or "").removeprefix(_BYTE_ORDER_MARK)
    except (InvalidInputError, StorageError):
        return None
    try:
        return _parse(text, host).get(host.members, {}).get(SERVER_NAME)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {} if _NAMED_ENTRY.search(text) else None


def spell_entry(host: Host, entry: Mapping[str, object]) -> str:
    """Write the lines that a user adds to a host's file by hand."""
    values = {name: json.dumps(value, ensure_ascii=False) for name, value in entry.items()}
    match host.format:
        case "TOML":
            lines = [f"{name} = {value}" for name, value in values.items()]
            return "\n".join([f"[{host.members}.{SERVER_NAME}]", *lines])
        case "YAML":
            lines = [f"    {name}: {value}" for name, value in values.items()]
            return "\n".join([f"{host.members}:", f"  {SERVER_NAME}:", *lines])
    return json.dumps({host.members: {SERVER_NAME: dict(entry)}}, ensure_ascii=False, indent=2)


def _parse(text: str, host: Host) -> dict[str, Any]:
    """Parse a file; an empty one is an empty object.

    Raises:
        ValueError: It is not plain JSON or TOML.
        TypeError: Its outermost value is no object.
    """
    if host.format == "YAML":
        raise ValueError("kebab does not read YAML here")
    found = tomllib.loads(text) if host.format == "TOML" else json.loads(text) if text.strip() else {}
    if not isinstance(found, dict):
        raise TypeError("the file is no object")
    return found


def _set_entry(
    text: str, host: Host, entry: Mapping[str, object], *, lets_write: bool
) -> tuple[str, ServerEntry]:
    """Set the server in the text of a file; also returns the merged entry.

    Raises:
        ValueError: It is not plain JSON or TOML.
        TypeError: It has another shape, or something else would change.
    """
    found = _parse(text, host)
    servers = found.get(host.members, {})
    if not isinstance(servers, dict):
        raise TypeError(f"{host.members} is no object")
    present = servers.get(SERVER_NAME)
    merged = merge_entry(host, present, entry, lets_write=lets_write)
    if present == merged.members:
        return text, merged
    edit = _edit_toml if host.format == "TOML" else _edit_json
    is_started = isinstance(present, dict) and host.command in present
    after = edit(text, host.members, merged.members, before=present if is_started else None)
    if text.count("\n") == text.count("\r\n") > 0:
        after = _LONE_LINE_END.sub("\r\n", after)
    if _parse(after, host) != {**found, host.members: {**servers, SERVER_NAME: merged.members}}:
        raise TypeError("it cannot be changed without changing something else")
    return after, merged


def _edit_json(text: str, members: str, entry: Mapping[str, object], *, before: object) -> str:
    """Set the entry in JSON text: member by member where it is there already (`before`)."""
    if not isinstance(before, dict):
        return _set_member(text if text.strip() else "{}\n", (members, SERVER_NAME), entry)
    for name, value in entry.items():
        if name not in before or before[name] != value:
            text = _set_member(text, (members, SERVER_NAME, name), value)
    return text


def _set_member(text: str, path: Sequence[str], value: object) -> str:
    """Set one member in JSON text; objects on the path are made where they are missing."""
    found = _FIRST_INDENT.match(text)
    step = found[1] if found else "  "
    start = _skip_space(text, 0)
    for depth, name in enumerate(path):
        spans, close = _find_members(text, start)
        if name not in spans:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value}
            last = max((end for _, end in spans.values()), default=start + 1)
            outer, tail = _indent_at(text, start), text[last:close]
            member = f"{json.dumps(name)}: {_render(value, outer + step, step)}"
            behind = tail if "\n" in tail else f"\n{outer}"
            return f"{text[:last]}{',' if spans else ''}\n{outer}{step}{member}{behind}{text[close:]}"
        start, end = spans[name]
    return text[:start] + _render(value, _indent_at(text, start), step) + text[end:]


def _find_members(text: str, start: int) -> tuple[dict[str, tuple[int, int]], int]:
    """Find the values of a JSON object's members.

    Args:
        text: Valid JSON.
        start: Position of the object's opening brace.

    Returns:
        Start and end of each value by name (of several with one name the last, which counts), and the position of
        the closing brace.
    """
    spans: dict[str, tuple[int, int]] = {}
    at = _skip_space(text, start + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        first = _skip_space(text, _skip_space(text, at) + 1)
        _, end = _DECODER.raw_decode(text, first)
        spans[name] = (first, end)
        at = _skip_space(text, end)
        if text[at] == ",":
            at = _skip_space(text, at + 1)
    return spans, at


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _render(value: object, indent: str, step: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", f"\n{indent}")


def _indent_at(text: str, at: int) -> str:
    """White space at the beginning of the line of a position."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _edit_toml(text: str, members: str, entry: Mapping[str, object], *, before: object) -> str:
    """Set the entry in TOML text: as a table at the end, or value by value where it is there (`before`)."""
    import tomlkit

    if before is None:
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        added = text + gap + tomlkit.dumps({members: {SERVER_NAME: dict(entry)}})
        try:
            tomllib.loads(added)
        except (
            tomllib.TOMLDecodeError
        ):  # its servers are written as an inline table, or the entry is replaced
            pass
        else:
            return added
    document: Any = tomlkit.parse(text)
    servers = document.setdefault(members, tomlkit.inline_table())
    if not isinstance(before, dict):
        servers[SERVER_NAME] = dict(entry)
        return tomlkit.dumps(document)
    present = servers[SERVER_NAME]
    for name, value in entry.items():
        if isinstance(value, list) and isinstance(before.get(name), list):
            _edit_array(present[name], before[name], value)
        elif before.get(name) != value:
            present[name] = value
    return tomlkit.dumps(document)


def _edit_array(array: Any, before: Sequence[object], after: Sequence[object]) -> None:
    """Change single values of a TOML array, so that comments beside the others stay."""
    spelled = ([repr(value) for value in before], [repr(value) for value in after])
    steps = SequenceMatcher(None, *spelled, autojunk=False).get_opcodes()
    for kind, start, end, first, last in reversed(steps):
        if kind != "equal":
            for at in reversed(range(start, end)):
                del array[at]
            for value in reversed(after[first:last]):
                array.insert(start, value)


def _require_changeable(path: Path, *, hint: str) -> None:
    """Refuse a file that is write-protected, or a link into a folder that does not exist.

    Raises:
        StorageError: It is one.
    """
    target = _find_target(path)
    if target.exists() and not target.stat().st_mode & _WRITABLE:
        raise StorageError(
            f"{str(path)!r} is protected against writing, and was left as it is",
            hint=f"chmod u+w {str(target)!r}, or {hint}",
            path=str(path),
        )


def _find_target(path: Path) -> Path:
    """Resolve the links of a path.

    Raises:
        StorageError: It is a link into a folder that does not exist.
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
def _folder_lock(folder: Path) -> Iterator[None]:
    """Lock a folder, which is made where it is missing, against other commands of kebab.

    Yields:
        Nothing, once the lock is held.

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
