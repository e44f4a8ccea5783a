"""Writes the few messages of ONNX that a graph needs.

The wire format of protocol buffers is small, and written here the bytes depend on nothing but this file: the same
graph is the same file with any version of any library. Numbers of fields are those of onnx.proto.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

FLOAT, UINT8, INT8, INT32, INT64, INT4 = 1, 2, 3, 6, 7, 22
"""Types of elements, as `TensorProto.DataType` numbers them."""

IR_VERSION = 10

_FLOAT_ATTRIBUTE, _INT_ATTRIBUTE, _INTS_ATTRIBUTE = 1, 2, 7
_EXTERNAL = 1
_MORE = 0x80
"""Set in every byte of a number but the last."""


class Place(NamedTuple):
    """Where the bytes of a tensor are, outside the graph."""

    file: str
    offset: int
    size: int


def tensor(name: str, kind: int, shape: Sequence[int], data: bytes | Place) -> bytes:
    """Return a `TensorProto` with its bytes inside it or at a place outside."""
    head = b"".join(_number(1, size) for size in shape) + _number(2, kind) + _text(8, name)
    if isinstance(data, bytes):
        return head + _message(9, data)
    entries = {"location": data.file, "offset": str(data.offset), "length": str(data.size)}
    outside = b"".join(_message(13, _text(1, key) + _text(2, value)) for key, value in entries.items())
    return head + outside + _number(14, _EXTERNAL)


def node(
    operator: str,
    inputs: Iterable[str],
    outputs: Iterable[str],
    *,
    domain: str = "",
    attributes: dict[str, int | float | list[int]],
) -> bytes:
    """Return a `NodeProto`; the first output is its name, too."""
    outputs = list(outputs)
    return b"".join([
        *(_text(1, name) for name in inputs),
        *(_text(2, name) for name in outputs),
        _text(3, outputs[0]),
        _text(4, operator),
        *(_message(5, _attribute(name, value)) for name, value in attributes.items()),
        _text(7, domain) if domain else b"",
    ])


def value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    """Return a `ValueInfoProto`; a size that is a word may be any."""
    sizes = (_text(2, size) if isinstance(size, str) else _number(1, size) for size in shape)
    dimensions = b"".join(_message(1, size) for size in sizes)
    return _text(1, name) + _message(2, _message(1, _number(1, kind) + _message(2, dimensions)))


def model(
    name: str,
    *,
    nodes: Iterable[bytes],
    tensors: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
    operators: dict[str, int],
) -> bytes:
    """Return a `ModelProto`.

    Args:
        name: Of the graph.
        nodes: In an order in which they can run.
        tensors: Constants.
        inputs: What the graph is given.
        outputs: What it gives.
        operators: Version of each set of operators, by domain.
    """
    graph = b"".join([
        *(_message(1, item) for item in nodes),
        _text(2, name),
        *(_message(5, item) for item in tensors),
        *(_message(11, item) for item in inputs),
        *(_message(12, item) for item in outputs),
    ])
    sets = (_text(1, domain) + _number(2, version) for domain, version in operators.items())
    return b"".join([
        _number(1, IR_VERSION),
        _text(2, "kebab"),
        _message(7, graph),
        *(_message(8, item) for item in sets),
    ])


def _attribute(name: str, value: float | list[int]) -> bytes:
    if isinstance(value, list):
        return _text(1, name) + b"".join(_number(8, item) for item in value) + _number(20, _INTS_ATTRIBUTE)
    if isinstance(value, float):
        return _text(1, name) + b"\x15" + struct.pack("<f", value) + _number(20, _FLOAT_ATTRIBUTE)
    return _text(1, name) + _number(3, value) + _number(20, _INT_ATTRIBUTE)


def _variable(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= _MORE:
        out.append(number & 0x7F | _MORE)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(field: int, number: int) -> bytes:
    return _variable(field << 3) + _variable(number)


def _message(field: int, content: bytes) -> bytes:
    return _variable(field << 3 | 2) + _variable(len(content)) + content


def _text(field: int, content: str) -> bytes:
    return _message(field, content.encode())
