"""The text of a host's file with the server in it, whatever its format."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_cli.list_edits import plan_edits
from kebab_cli.member_formats import load_format
from kebab_cli.server_entry import ServerEntry, merge_entry

if TYPE_CHECKING:
    from kebab_cli.hosts import Host
    from kebab_cli.member_formats import MemberFormat

SERVER_NAME = "kebab"
_LONE_LINE_END = re.compile(r"(?<!\r)\n")


def set_entry(
    text: str, host: Host, entry: dict[str, object], *, lets_write: bool
) -> tuple[str, ServerEntry]:
    """Return the text of a file with the server in it, and what it says of it.

    Raises:
        ValueError: It is not of the host's format.
        TypeError: It has another shape, or something else would change.
    """
    form = load_format(host.format)
    found = form.read(text)
    if not isinstance(found, dict):
        raise TypeError("the file is no object")
    servers = found.get(host.members, {})
    there = servers.get(SERVER_NAME) if isinstance(servers, dict) else None
    merged = merge_entry(host, there, entry, lets_write=lets_write)
    if there == merged.members:
        return text, merged
    after = _write(text, host, merged.members, there=there)
    if text.count("\n") == text.count("\r\n") > 0:
        after = _LONE_LINE_END.sub("\r\n", after)
    if form.read(after) != {**found, host.members: {**(servers or {}), SERVER_NAME: merged.members}}:
        raise TypeError("it cannot be changed without changing something else")
    return after, merged


def _write(text: str, host: Host, wanted: dict[str, object], *, there: object) -> str:
    form, place = load_format(host.format), (host.members, SERVER_NAME)
    if not isinstance(there, dict) or host.command not in there:
        return form.set_member(text, place, wanted)
    for name, value in wanted.items():
        if name not in there:
            text = form.set_member(text, (*place, name), value)
        elif there[name] != value:
            text = _replace(form, text, (*place, name), before=there[name], after=value)
    return text


def _replace(form: MemberFormat, text: str, place: Sequence[str], *, before: object, after: object) -> str:
    """Return the text with another value: of a list, word by word where that can be done."""
    whole = form.set_member(text, place, after)
    if (
        not isinstance(before, list)
        or not isinstance(after, list)
        or not all(isinstance(x, str) for x in before)
    ):
        return whole
    try:
        for edit in plan_edits(before, after):
            text = form.edit_list(text, place, edit)
        return text if form.read(text) == form.read(whole) else whole
    except (ValueError, TypeError):
        return whole


def spell_entry(host: Host, entry: dict[str, object]) -> str:
    """Return what to add by hand, from a new line on."""
    if host.format == "JSON":
        return "\n" + json.dumps({host.members: {SERVER_NAME: entry}}, ensure_ascii=False, indent=2)
    return "\n" + load_format(host.format).set_member("", (host.members, SERVER_NAME), entry).rstrip()
