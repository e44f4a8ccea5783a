"""Which files beside it an ONNX graph keeps its weights in, read from the graph without loading it.

A graph is a protobuf message. Its fields are walked as far as tensors may lie, and what they hold is passed over, so that
a file of hundreds of megabytes costs a look at as many places as it has nodes.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_LOCATION = b"location"
_DEEPEST = 40
"""Messages in messages: a graph in an attribute of a node counts three."""
_VARINT, _EIGHT_BYTES, _MESSAGE, _FOUR_BYTES = 0, 1, 2, 5
_LONGEST_VARINT = 10
_GOES_ON = 0x80


class _Kind(Enum):
    """Messages of the ONNX format in which tensors lie."""

    MODEL = "ModelProto"
    GRAPH = "GraphProto"
    FUNCTION = "FunctionProto"
    NODE = "NodeProto"
    ATTRIBUTE = "AttributeProto"
    SPARSE = "SparseTensorProto"
    TENSOR = "TensorProto"
    ENTRY = "StringStringEntryProto"


_PARTS: Mapping[_Kind, Mapping[int, _Kind]] = {
    _Kind.MODEL: {7: _Kind.GRAPH, 25: _Kind.FUNCTION},
    _Kind.GRAPH: {1: _Kind.NODE, 5: _Kind.TENSOR, 15: _Kind.SPARSE},
    _Kind.FUNCTION: {7: _Kind.NODE, 11: _Kind.ATTRIBUTE},
    _Kind.NODE: {5: _Kind.ATTRIBUTE},
    _Kind.ATTRIBUTE: {
        5: _Kind.TENSOR,
        6: _Kind.GRAPH,
        10: _Kind.TENSOR,
        11: _Kind.GRAPH,
        22: _Kind.SPARSE,
        23: _Kind.SPARSE,
    },
    _Kind.SPARSE: {1: _Kind.TENSOR, 2: _Kind.TENSOR},
    _Kind.TENSOR: {13: _Kind.ENTRY},
}
"""Numbers of the fields that hold them."""
_KEY, _VALUE = 1, 2


class _Field(NamedTuple):
    number: int
    start: int
    end: int


def read_locations(graph: Path) -> set[str]:
    """Return the files that a graph names for its weights, as it names them: relative to its own folder.

    Of a file that is no ONNX graph, those that were found before that showed; loading it will tell.

    Raises:
        OSError: It cannot be read.
    """
    found: set[str] = set()
    with graph.open("rb") as stream:
        if not graph.stat().st_size:
            return found
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content, suppress(ValueError):
            found.update(_locations(content, _Field(0, 0, len(content)), _Kind.MODEL, depth=0))
    return found


def find_files(graph: Path, locations: set[str]) -> list[Path]:
    """Return those of the locations that lie in the folder of a graph or below it; others are never read."""
    inside = (PurePosixPath(location) for location in sorted(locations) if "\0" not in location)
    return [graph.parent / path for path in inside if not path.is_absolute() and ".." not in path.parts]


def _locations(content: mmap.mmap, within: _Field, kind: _Kind, *, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise ValueError("messages lie too deep in each other")
    if kind is _Kind.ENTRY:
        entry = {field.number: content[field.start : field.end] for field in _fields(content, within)}
        if entry.get(_KEY) == _LOCATION and entry.get(_VALUE):
            yield entry[_VALUE].decode("utf-8")
        return
    parts = _PARTS[kind]
    for field in _fields(content, within):
        if field.number in parts:
            yield from _locations(content, field, parts[field.number], depth=depth + 1)


def _fields(content: mmap.mmap, within: _Field) -> Iterator[_Field]:
    """Yield the fields of a message that have a length.

    Raises:
        ValueError: It is no message.
    """
    at = within.start
    while at < within.end:
        tag, at = _read_varint(content, at, within.end)
        wire = tag & 7
        if wire == _VARINT:
            _, at = _read_varint(content, at, within.end)
        elif wire in {_EIGHT_BYTES, _FOUR_BYTES}:
            at += 8 if wire == _EIGHT_BYTES else 4
        elif wire == _MESSAGE:
            length, at = _read_varint(content, at, within.end)
            if at + length > within.end:
                raise ValueError("a field goes beyond its message")
            yield _Field(tag >> 3, at, at + length)
            at += length
        else:
            raise ValueError("no field begins here")


def _read_varint(content: mmap.mmap, at: int, end: int) -> tuple[int, int]:
    value = 0
    for place in range(_LONGEST_VARINT):
        if at + place >= end:
            break
        byte = content[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if not byte & _GOES_ON:
            return value, at + place + 1
    raise ValueError("a number does not end")
