"""Editing one member of a JSON file that a person wrote, comments and all: everything else stays as it is, byte for byte.

Takes what editors take in their settings: `//` and `/* */`, and a comma behind the last member.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_cli.list_edits import Edit

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALARS = json.JSONDecoder()
_INDENT = "  "


@dataclass
class Node:
    """One value and where it stands in the text."""

    value: object
    start: int
    end: int
    members: dict[str, Node] = field(default_factory=dict)
    """Of an object."""
    items: list[Node] = field(default_factory=list)
    """Of an array."""
    has_last_comma: bool = False
    """Whether a comma follows the last member."""


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def read(self, at: int) -> Node:
        """Return the value at a place."""
        head = self.text[at : at + 1]
        if head == "{":
            return self._read_object(at)
        if head == "[":
            return self._read_array(at)
        value, end = _SCALARS.raw_decode(self.text, at)
        return Node(value, at, end)

    def skip(self, at: int) -> int:
        """Return the place of what follows space and comments."""
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def complaint(self, wanted: str, at: int) -> json.JSONDecodeError:
        return json.JSONDecodeError(f"expecting {wanted}", self.text, at)

    def _read_object(self, at: int) -> Node:
        node = Node({}, at, at)
        place = self.skip(at + 1)
        while self.text[place : place + 1] != "}":
            if self.text[place : place + 1] != '"':
                raise self.complaint("a name in quotation marks", place)
            name, place = _SCALARS.raw_decode(self.text, place)
            place = self.skip(place)
            if self.text[place : place + 1] != ":":
                raise self.complaint("':'", place)
            node.members[name] = self.read(self.skip(place + 1))
            place, node.has_last_comma = self._after(node.members[name].end, "}")
        node.value = {name: member.value for name, member in node.members.items()}
        node.end = place + 1
        return node

    def _read_array(self, at: int) -> Node:
        items = []
        place = self.skip(at + 1)
        while self.text[place : place + 1] != "]":
            items.append(self.read(place))
            place, _ = self._after(items[-1].end, "]")
        return Node([item.value for item in items], at, place + 1, items=items)

    def _after(self, at: int, closing: str) -> tuple[int, bool]:
        """Return the place of the next member or of what closes, and whether a comma led there."""
        place = self.skip(at)
        if self.text[place : place + 1] == ",":
            return self.skip(place + 1), True
        if self.text[place : place + 1] != closing:
            raise self.complaint(f"',' or '{closing}'", place)
        return place, False


def read(text: str) -> object:
    """Return what a text says; one without anything says an empty object.

    Raises:
        JSONDecodeError: It is not JSON, comments and last commas allowed.
    """
    return parse(text).value if text.strip() else {}


def parse(text: str) -> Node:
    """Return the value of a text.

    Raises:
        JSONDecodeError: It is not JSON, comments and last commas allowed.
    """
    reader = _Reader(text)
    node = reader.read(reader.skip(0))
    if (rest := reader.skip(node.end)) != len(text):
        raise reader.complaint("the end", rest)
    return node


def set_member(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with one member set, and the objects that lead to it made where they are missing.

    Args:
        text: JSON, its outermost value an object; one without anything counts as an empty object.
        path: Names from the outermost object on, at least one.
        value: What JSON can say.

    Raises:
        JSONDecodeError: The text is not JSON.
        TypeError: Something on the way is no object.
    """
    if not text.strip():
        text = "{}\n"
    node, depth = parse(text), 0
    while isinstance(node.value, dict) and path[depth] in node.members:
        node, depth = node.members[path[depth]], depth + 1
        if depth == len(path):
            rendered = _render(value, _indent_at(text, node.start), _step(text))
            return text[: node.start] + rendered + text[node.end :]
    if not isinstance(node.value, dict):
        raise TypeError(f"{'.'.join(path[:depth]) or 'the file'} is no object")
    for name in reversed(path[depth + 1 :]):
        value = {name: value}
    return _insert(text, node, path[depth], value)


def edit_list(text: str, path: Sequence[str], edit: Edit) -> str:
    """Return the text with one word of an array changed, and comments beside the others kept.

    Raises:
        ValueError: There is no such array, or nothing in it.
    """
    from kebab_cli.list_edits import CommaList

    node = parse(text)
    for name in path:
        if name not in node.members:
            raise ValueError(f"there is no {name!r}")
        node = node.members[name]
    if not node.items:
        raise ValueError(f"{path[-1]!r} is no array with anything in it")
    spans = [(item.start, item.end) for item in node.items]
    words = CommaList(text=text, spans=spans, close=node.end - 1, space=_SPACE)
    return words.apply(edit, json.dumps(edit.value, ensure_ascii=False))


def _insert(text: str, node: Node, name: str, value: object) -> str:
    """Return the text with a member behind the last one of an object."""
    outer, step = _indent_at(text, node.start), _step(text)
    names = list(node.members.values())
    inner = _indent_at(text, names[-1].start) if names else outer + step
    if len(inner) <= len(outer):
        inner = outer + step
    member = f"\n{inner}{json.dumps(name, ensure_ascii=False)}: {_render(value, inner, step)}"
    close = node.end - 1
    kept = text[node.start : close].rstrip()
    tail = text[node.start + len(kept) : close]
    behind = tail if "\n" in tail else f"\n{outer}"
    if names and not node.has_last_comma:
        split = names[-1].end - node.start
        kept = f"{kept[:split]},{kept[split:]}"
    return text[: node.start] + kept + member + behind + text[close:]


def _render(value: object, indent: str, step: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", f"\n{indent}")


def _step(text: str) -> str:
    """Return by how much the text indents its first member."""
    members = parse(text).members.values()
    return next((_indent_at(text, member.start) for member in members), "") or _INDENT


def _indent_at(text: str, place: int) -> str:
    """Return the space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]
