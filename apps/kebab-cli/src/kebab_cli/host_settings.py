"""The settings file of a host: its entry for kebab, changed in plain JSON or TOML and written in one step.

Called by `kebab mcp install` and `kebab mcp uninstall`. Everything in the file but the entry stays as it is, byte for byte. A file in another
format, JSON with comments included, is never changed: `spell_entry` gives the text to add by hand.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from kebab_config import back_up, replace_text, write_new
from kebab_core import InvalidInputError, Message, StorageError

from kebab_cli.hosts import SERVER_NAME, Host, ServerEntry, merge_entry

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

    def write(self) -> Path | None:
        """Write the file in one step; a link stays a link.

        Returns:
            The backup of the old file; None where there was none.

        Raises:
            StorageError: It cannot be written.
        """
        if self.before is None:
            write_new(Path(os.path.realpath(self.path)), self.after)
            return None
        backup = back_up(self.path)
        replace_text(self.path, self.after)
        return backup


def plan_change(
    path: Path, host: Host, program: str, arguments: Sequence[str], *, lets_write: bool = False
) -> Change:
    """Compute the text of a host's file with the server in it; nothing is written.

    Members of an existing entry stay, except those that start the server; so do arguments that the user added.

    Args:
        path: The file; may be missing.
        host: One whose settings are JSON or TOML.
        program: Starts the server.
        arguments: Of the program.
        lets_write: The server may write, even where the existing entry has `--readonly`.

    Returns:
        The change; its text is the same where the entry is there already.

    Raises:
        InvalidInputError: The file is not plain JSON or TOML, or has another shape. The hint has the entry.
        StorageError: It is write-protected.
    """
    try:
        before = _read(path)
        text = (before or "").removeprefix(_BYTE_ORDER_MARK)
        after, merged = _set_entry(text, host, program, arguments, lets_write=lets_write)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInputError(
            "{path!r} is not plain {format}, and was left as it is: {error}",
            hint=Message(
                "add this to it by hand:\n{entry}", entry=spell_entry(host, host.entry(program, arguments))
            ),
            path=str(path),
            _format=host.format,
            _error=str(error),
        ) from error
    if after == text:
        return Change(path=path, before=before, after=before or "", entry=merged)
    if before is not None and not path.stat().st_mode & _WRITABLE:
        entry = spell_entry(host, merged.members)
        raise StorageError(
            "{path!r} is protected against writing, and was left as it is",
            hint=Message(
                "chmod u+w {path!r}, or add this by hand:\n{entry}", path=os.path.realpath(path), entry=entry
            ),
            path=str(path),
        )
    mark = _BYTE_ORDER_MARK if (before or "").startswith(_BYTE_ORDER_MARK) else ""
    return Change(path=path, before=before, after=mark + after, entry=merged)


def plan_removal(path: Path, host: Host) -> Change:
    """Compute the text of a host's file without the server; nothing is written.

    Args:
        path: The file; may be missing.
        host: One whose settings are JSON or TOML.

    Returns:
        The change; its text is the same where no entry is there.

    Raises:
        InvalidInputError: The file is not plain JSON or TOML, or has another shape.
        StorageError: It is write-protected.
    """
    if host.format == "YAML":
        raise InvalidInputError(
            "kebab does not change {format} files, and left {path!r} as it is",
            hint=Message("remove {name} from {members} by hand", name=SERVER_NAME, members=host.members),
            path=str(path),
            _format=host.format,
        )
    try:
        before = _read(path) or ""
        text = before.removeprefix(_BYTE_ORDER_MARK)
        found = _parse(text, host)
        servers = found.get(host.members, {})
        present = servers.get(SERVER_NAME) if isinstance(servers, dict) else None
        after = text if present is None else _remove_entry(text, host, found)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInputError(
            "{path!r} is not plain {format}, and was left as it is: {error}",
            hint=Message("remove {name} from {members} by hand", name=SERVER_NAME, members=host.members),
            path=str(path),
            _format=host.format,
            _error=str(error),
        ) from error
    if after != text and not path.stat().st_mode & _WRITABLE:
        raise StorageError(
            "{path!r} is protected against writing, and was left as it is",
            hint=Message(
                "chmod u+w {path!r}, or remove {name} by hand",
                path=os.path.realpath(path),
                name=SERVER_NAME,
            ),
            path=str(path),
        )
    mark = _BYTE_ORDER_MARK if before.startswith(_BYTE_ORDER_MARK) else ""
    members = dict(present) if isinstance(present, dict) else {}
    entry = ServerEntry(members=members, arguments=())
    return Change(path=path, before=before, after=before if after == text else mark + after, entry=entry)


def _remove_entry(text: str, host: Host, found: Mapping[str, Any]) -> str:
    """Remove the server from the text of a file.

    Raises:
        TypeError: Something else would change.
    """
    if host.format == "TOML":
        import tomlkit

        document: Any = tomlkit.parse(text)
        del document[host.members][SERVER_NAME]
        if not document[host.members]:
            del document[host.members]
        after = tomlkit.dumps(document).rstrip("\n")
        after += "\n" if after else ""
    else:
        after = _cut_json(text, host.members)
    left = {name: entry for name, entry in found[host.members].items() if name != SERVER_NAME}
    remaining = _parse(after, host)
    if {host.members: {}, **remaining} != {**found, host.members: left}:
        raise TypeError("it cannot be changed without changing something else")
    return after


def _cut_json(text: str, members: str) -> str:
    """Cut the server out of JSON text, and its members where no other is left."""
    first = _skip_space(text, 0)
    spans, _ = _find_members(text, first)
    start = spans[members][0]
    others, _ = _find_members(text, start)
    return _cut_member(text, first, members) if len(others) == 1 else _cut_member(text, start, SERVER_NAME)


def _cut_member(text: str, start: int, name: str) -> str:
    """Cut a member out of the object at `start`, with the comma and the line that it takes."""
    spans, close = _find_members(text, start)
    names = list(spans)
    at = names.index(name)
    if len(names) == 1:
        return f"{text[: start + 1]}{text[close:]}"
    if at:
        return text[: spans[names[at - 1]][1]] + text[spans[name][1] :]
    comma = _skip_space(text, spans[name][1])
    return text[: _skip_space(text, start + 1)] + text[_skip_space(text, comma + 1) :]


def read_entry(path: Path, host: Host) -> object:
    """Read the server's entry in a host's file.

    Returns:
        The entry; an empty one where the file names the server but is not plain JSON or TOML; None without one.
    """
    try:
        text = (_read(path) or "").removeprefix(_BYTE_ORDER_MARK)
    except (OSError, UnicodeDecodeError):
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
    return json.dumps({host.members: {SERVER_NAME: entry}}, ensure_ascii=False, indent=2)


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
    text: str, host: Host, program: str, arguments: Sequence[str], *, lets_write: bool
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
    merged = merge_entry(host, servers.get(SERVER_NAME), program, arguments, lets_write=lets_write)
    if servers.get(SERVER_NAME) == merged.members:
        return text, merged
    edit = _edit_toml if host.format == "TOML" else _edit_json
    after = edit(text, host.members, merged.members)
    if text.count("\n") == text.count("\r\n") > 0:
        after = _LONE_LINE_END.sub("\r\n", after)
    if _parse(after, host) != {**found, host.members: {**servers, SERVER_NAME: merged.members}}:
        raise TypeError("it cannot be changed without changing something else")
    return after, merged


def _edit_json(text: str, members: str, entry: Mapping[str, object]) -> str:
    """Set the entry in JSON text; the object of servers is made where it is missing."""
    text = text if text.strip() else "{}\n"
    found = _FIRST_INDENT.match(text)
    step = found[1] if found else "  "
    start = _skip_space(text, 0)
    for name, missing in ((members, {SERVER_NAME: entry}), (SERVER_NAME, entry)):
        spans, close = _find_members(text, start)
        if name not in spans:
            last = max((end for _, end in spans.values()), default=start + 1)
            outer, tail = _indent_at(text, start), text[last:close]
            member = f"{json.dumps(name)}: {_render(missing, outer + step, step)}"
            behind = tail if "\n" in tail else f"\n{outer}"
            return f"{text[:last]}{',' if spans else ''}\n{outer}{step}{member}{behind}{text[close:]}"
        start, end = spans[name]
    return text[:start] + _render(entry, _indent_at(text, start), step) + text[end:]


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


def _edit_toml(text: str, members: str, entry: Mapping[str, object]) -> str:
    """Set the entry in TOML text: as a table at the end, or value by value where it is there."""
    import tomlkit

    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    added = text + gap + tomlkit.dumps({members: {SERVER_NAME: entry}})
    with suppress(tomllib.TOMLDecodeError):  # it is there, or its servers are written as an inline table
        tomllib.loads(added)
        return added
    document: Any = tomlkit.parse(text)
    servers = document.setdefault(members, tomlkit.inline_table())
    present = servers.get(SERVER_NAME)
    if not isinstance(present, dict) or present.keys() - entry.keys():
        servers[SERVER_NAME] = entry
        return tomlkit.dumps(document)
    for name, value in entry.items():
        if present.get(name) != value:
            present[name] = value
    return tomlkit.dumps(document)


def _read(path: Path) -> str | None:
    return path.read_bytes().decode("utf-8") if path.exists() else None
