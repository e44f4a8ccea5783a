"""Lays the weights out in one file that the graph points into."""

from dataclasses import dataclass, field

import numpy as np

from conversion.protobuf import FLOAT, INT4, INT8, UINT8, Place, tensor
from conversion.source import BLOCK, Matrix, Source

WEIGHTS_FILE = "weights.bin"

PAGE = 4096
"""Large tensors begin at a multiple of this, so that they can be mapped into memory where they are."""

_LARGE = 1 << 16
_SMALL_ALIGNMENT = 64


@dataclass
class Weights:
    """A file as it grows, and where in it each tensor is."""

    file: str = WEIGHTS_FILE
    parts: list[bytes] = field(default_factory=list)
    size: int = 0
    places: dict[str, Place] = field(default_factory=dict)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def add(self, name: str, values: np.ndarray) -> None:
        """Append a tensor; 4-bit values come packed, two to a byte."""
        data = values.tobytes()
        padding = -self.size % (PAGE if len(data) >= _LARGE else _SMALL_ALIGNMENT)
        self.parts += [bytes(padding), data]
        self.places[name] = Place(self.file, self.size + padding, len(data))
        self.shapes[name] = values.shape
        self.size += padding + len(data)

    def add_matrix(self, name: str, matrix: Matrix) -> None:
        """Append 4-bit weights and their scales."""
        self.add(name, _pack(matrix.nibbles))
        self.add(f"{name}.scale", matrix.scales)

    def plain(self, name: str) -> bytes:
        """Return a float32 tensor as the graph names it."""
        return tensor(name, FLOAT, self.shapes[name], self.places[name])

    def int8(self, name: str) -> bytes:
        """Return a tensor of int8 as the graph names it."""
        return tensor(name, INT8, self.shapes[name], self.places[name])

    def signed(self, name: str) -> bytes:
        """Return 4-bit weights as numbers of -8 to 7, shape (rows, columns)."""
        rows, packed = self.shapes[name]
        return tensor(name, INT4, (rows, packed * 2), self.places[name])

    def blocks(self, name: str) -> bytes:
        """Return 4-bit weights as bytes, shape (rows, blocks, bytes of a block)."""
        rows, packed = self.shapes[name]
        return tensor(name, UINT8, (rows, packed * 2 // BLOCK, BLOCK // 2), self.places[name])

    def content(self) -> bytes:
        """Return the whole file."""
        return b"".join(self.parts)


def collect_weights(source: Source) -> Weights:
    """Return the encoder's weights, as the graph names them.

    Query, key and value are one matrix. The rows of the words that the tokenizer cannot produce are left out, and
    the only type of token that is used is part of the positions.
    """
    weights = Weights()
    shape, vector = source.shape, source.vector
    words = source.matrix("emb.word", shape.words, shape.hidden)
    kept = len(source.pieces)
    # flipping the highest bit turns 0..15 about 8 into two's complement about 0
    weights.add_matrix("word", Matrix(words.nibbles[:kept] ^ 8, words.scales[:kept]))
    types = vector("emb.type").reshape(shape.types, shape.hidden)
    weights.add("position", vector("emb.pos").reshape(shape.positions, shape.hidden) + types[0])
    weights.add("norm.weight", vector("emb.ln.w"))
    weights.add("norm.bias", vector("emb.ln.b"))
    for number in range(shape.layers):
        old, new = f"l{number}", f"layer{number}"
        biases = {"qkv": "qkv", "mixed": ["ao"], "inner": ["fi"], "outer": ["fo"]}
        for part, matrix in layer_matrices(source, number).items():
            weights.add_matrix(f"{new}.{part}", matrix)
            weights.add(
                f"{new}.{part}.bias", np.concatenate([vector(f"{old}.{each}.b") for each in biases[part]])
            )
        for short, name in (("aln", "mixed"), ("oln", "outer")):
            weights.add(f"{new}.{name}.norm.weight", vector(f"{old}.{short}.w"))
            weights.add(f"{new}.{name}.norm.bias", vector(f"{old}.{short}.b"))
    return weights


def layer_matrices(source: Source, number: int) -> dict[str, Matrix]:
    """Return the matrices of a layer as the graph names them, in the order of their use."""
    hidden, inner = source.shape.hidden, source.shape.inner
    parts = [source.matrix(f"l{number}.{part}.w", hidden, hidden) for part in "qkv"]
    return {
        "qkv": Matrix(*(np.concatenate(both) for both in zip(*parts, strict=True))),
        "mixed": source.matrix(f"l{number}.ao.w", hidden, hidden),
        "inner": source.matrix(f"l{number}.fi.w", inner, hidden),
        "outer": source.matrix(f"l{number}.fo.w", hidden, inner),
    }


def _pack(nibbles: np.ndarray) -> np.ndarray:
    """Return two to a byte, the first in the lower half."""
    return nibbles[:, 0::2] | (nibbles[:, 1::2] << 4)
