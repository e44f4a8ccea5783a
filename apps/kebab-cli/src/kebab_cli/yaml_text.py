"""Editing one member of a YAML file that a person wrote: everything else stays as it is, byte for byte.

What is new is written as block mappings of JSON values, which YAML takes as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from kebab_cli.list_edits import Edit

_INDENT = "  "
_PLAIN = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_SPACE = re.compile(r"(?:\s+(?:#[^\n]*)?)*")
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
        return _behind(text, _block(path, value, "", _INDENT))
    step = _step(text, node)
    key: Node | None = None
    for depth, name in enumerate(path):
        if not isinstance(node, MappingNode):
            raise TypeError(f"{'.'.join(path[:depth]) or 'the file'} is no mapping")
        found = _find(node, name)
        if found is None:
            return _insert(text, node, key, _nested(path[depth:], value), step=step)
        key, node = found
        if node.start_mark.index < key.end_mark.index:
            raise TypeError(f"{'.'.join(path[: depth + 1])} only refers to what stands elsewhere")
        if depth + 1 == len(path):
            return f"{text[: key.end_mark.index]}: {_flow(value)}{text[_end(text, node) :]}"
        if _is_empty(node):
            inner = _indent_at(text, key.start_mark.index) + step
            return _below(text, key, _block(path[depth + 1 :], value, inner, step))
    raise TypeError("no member is named")


def edit_list(text: str, path: Sequence[str], edit: Edit) -> str:
    """Return the text with one word of a sequence changed, and comments beside the others kept.

    Raises:
        ValueError: There is no such sequence, or nothing in it, or several of its words share a line.
    """
    from kebab_cli.list_edits import CommaList

    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for name in path:
        found = _find(node, name) if isinstance(node, MappingNode) else None
        if found is None or found[1].start_mark.index < found[0].end_mark.index:
            raise ValueError(f"there is no {name!r}")
        node = found[1]
    if not isinstance(node, SequenceNode) or not node.value:
        raise ValueError(f"{path[-1]!r} is no sequence with anything in it")
    spans = [(item.start_mark.index, _end(text, item)) for item in node.value]
    if not node.flow_style:
        return _edit_lines(text, spans, edit)
    words = CommaList(text=text, spans=spans, close=node.end_mark.index - 1, space=_SPACE)
    return words.apply(edit, _flow(edit.value))


def _edit_lines(text: str, spans: Sequence[tuple[int, int]], edit: Edit) -> str:
    start, end = spans[min(edit.at, len(spans) - 1)]
    first = text.rfind("\n", 0, start) + 1
    mark = text[first:start]
    last = text.find("\n", end) + 1 or len(text)
    if edit.value is not None and not edit.is_new:
        return text[:start] + _flow(edit.value) + text[end:]
    if not re.fullmatch(r" *- +", mark):
        raise ValueError("several words share a line")
    if edit.value is None:
        return text[:first] + text[last:]
    line = f"{mark}{_flow(edit.value)}\n"
    return (
        text[:first] + line + text[first:]
        if edit.at < len(spans)
        else _behind(text[:last], line) + text[last:]
    )


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


def _step(text: str, node: Node) -> str:
    """Return by how much the text indents the first mapping inside another."""
    members = node.value if isinstance(node, MappingNode) and not node.flow_style else []
    blocks = (each for _, each in members if isinstance(each, MappingNode) and not each.flow_style)
    return next((_indent_at(text, each.start_mark.index) for each in blocks), "") or _INDENT


def _insert(text: str, node: MappingNode, key: Node | None, member: tuple[str, object], *, step: str) -> str:
    """Return the text with a member in a mapping.

    Args:
        text: The text.
        node: The mapping.
        key: What it is the value of; None for the outermost.
        member: Name and value.
        step: By how much what is inside is indented.
    """
    name, value = member
    if node.flow_style:
        place = node.start_mark.index + 1
        comma = ", " if node.value else ""
        return f"{text[:place]}{json.dumps(name, ensure_ascii=False)}: {_flow(value)}{comma}{text[place:]}"
    block = _block((name,), value, _indent_at(text, node.value[0][0].start_mark.index), step)
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


def _block(path: Sequence[str], value: object, indent: str, step: str) -> str:
    name, value = _nested(path, value)
    if not isinstance(value, dict) or not value:
        return f"{indent}{_name(name)}: {_flow(value)}\n"
    return f"{indent}{_name(name)}:\n" + "".join(
        _block((inner,), each, indent + step, step) for inner, each in value.items()
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
