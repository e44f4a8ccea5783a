"""Editing one member of a YAML file that a person wrote: everything else stays as it is, byte for byte.

What is new is written as block mappings of JSON values, which YAML takes as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_INDENT = "  "
_PLAIN = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_NULL = "tag:yaml.org,2002:null"


def read(text: str) -> object:
    """Return what a text says; one without anything says an empty mapping.

    Raises:
        ValueError: It is not YAML, or several documents.
    """
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(_describe(error)) from error
    return {} if value is None else value


def set_member(text: str, path: Sequence[str], value: object) -> str:
    """Return the text with one member set, and the mappings that lead to it made where they are missing.

    Args:
        text: YAML, its outermost value a mapping; one without anything counts as an empty one.
        path: Names from the outermost mapping on, at least one.
        value: What JSON can say.

    Raises:
        ValueError: The text is not YAML.
        TypeError: Something on the way is no mapping, or stands elsewhere and is only referred to.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise ValueError(_describe(error)) from error
    if node is None or _is_empty(node):
        return _behind(text, _block(path, value, ""))
    key: Node | None = None
    for depth, name in enumerate(path):
        if not isinstance(node, MappingNode):
            raise TypeError(f"{'.'.join(path[:depth]) or 'the file'} is no mapping")
        found = _find(node, name)
        if found is None:
            return _insert(text, node, key, _nested(path[depth:], value))
        key, node = found
        if node.start_mark.index < key.end_mark.index:
            raise TypeError(f"{'.'.join(path[: depth + 1])} only refers to what stands elsewhere")
        if depth + 1 == len(path):
            return f"{text[: key.end_mark.index]}: {_flow(value)}{text[_end(text, node) :]}"
        if _is_empty(node):
            return _below(
                text, key, _block(path[depth + 1 :], value, _indent_at(text, key.start_mark.index) + _INDENT)
            )
    raise TypeError("no member is named")


def _describe(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    place = f" in line {mark.line + 1}" if mark is not None else ""
    return f"{getattr(error, 'problem', None) or 'not YAML'}{place}"


def _find(node: MappingNode, name: str) -> tuple[Node, Node] | None:
    """Return key and value of a member; of several with one name the last, which is the one that counts."""
    return next((each for each in reversed(node.value) if each[0].value == name), None)


def _is_empty(node: Node) -> bool:
    """Return whether nothing is written where a value could be."""
    return isinstance(node, ScalarNode) and node.tag == _NULL and node.value == ""


def _insert(text: str, node: MappingNode, key: Node | None, member: tuple[str, object]) -> str:
    """Return the text with a member in a mapping.

    Args:
        text: The text.
        node: The mapping.
        key: What it is the value of; None for the outermost.
        member: Name and value.
    """
    name, value = member
    if node.flow_style:
        place = node.start_mark.index + 1
        comma = ", " if node.value else ""
        return f"{text[:place]}{json.dumps(name, ensure_ascii=False)}: {_flow(value)}{comma}{text[place:]}"
    block = _block((name,), value, _indent_at(text, node.value[0][0].start_mark.index))
    return _behind(text, block) if key is None else _below(text, key, block)


def _behind(text: str, block: str) -> str:
    return text + ("\n" if text and not text.endswith("\n") else "") + block


def _below(text: str, key: Node, block: str) -> str:
    """Return the text with lines below the one of a key."""
    line_end = text.find("\n", key.end_mark.index)
    place = line_end + 1 if line_end >= 0 else len(text)
    return _behind(text[:place], block) + text[place:]


def _indent_at(text: str, place: int) -> str:
    """Return the space that the line of a place begins with."""
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" "))]


def _nested(path: Sequence[str], value: object) -> tuple[str, object]:
    for name in reversed(path[1:]):
        value = {name: value}
    return path[0], value


def _block(path: Sequence[str], value: object, indent: str) -> str:
    name, value = _nested(path, value)
    if not isinstance(value, dict) or not value:
        return f"{indent}{_name(name)}: {_flow(value)}\n"
    return f"{indent}{_name(name)}:\n" + "".join(
        _block((inner,), each, indent + _INDENT) for inner, each in value.items()
    )


def _name(name: str) -> str:
    is_plain = _PLAIN.fullmatch(name) and yaml.safe_load(name) == name
    return name if is_plain else json.dumps(name, ensure_ascii=False)


def _flow(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _end(text: str, node: Node) -> int:
    """Return where the text of a value ends, before what may follow it on its line."""
    last: Any = node
    while isinstance(last, MappingNode | SequenceNode) and not last.flow_style and last.value:
        last = last.value[-1] if isinstance(last, SequenceNode) else last.value[-1][1]
    end: int = last.end_mark.index
    is_block = isinstance(last, ScalarNode) and last.style in {"|", ">"}
    return len(text[:end].rstrip()) if is_block else end
