"""The encoder in 8-bit arithmetic: the same operators over the same file of weights, but for the matrix products.

A product in int8 needs one scale for the numbers of its left side. Where a few tokens are far larger than the others,
a scale for the whole text leaves the others few steps; there each token has its own (decision 0021 has the figures).
"""

from collections.abc import Mapping

import numpy as np

from conversion.graph import CONTRIB, Graph
from conversion.protobuf import FLOAT, INT64, UINT8, tensor
from conversion.source import BLOCK, Matrix, Source
from conversion.weights import Weights, layer_matrices

INT8_GRAPH_FILE = "model-int8.onnx"
INT8_WEIGHTS_FILE = "weights-int8.bin"

STEPS = 127
"""Largest whole number that stands for a weight, and for a number of a token that has its own scale."""

ZERO = 128
"""Whole number that stands for 0 in a token that has its own scale."""

TOKEN_SCALED = {"inner": 11, "outer": 8}
"""First layers of which the two products of the feed-forward part have a scale for each token."""


def collect_int8(source: Source) -> Weights:
    """Return the weights of the products in int8, transposed, with a float32 scale for each of their columns."""
    weights = Weights(INT8_WEIGHTS_FILE)
    for number in range(source.shape.layers):
        for part, matrix in layer_matrices(source, number).items():
            rounded, scales = round_rows(dense(matrix))
            weights.add(f"layer{number}.{part}", np.ascontiguousarray(rounded.T))
            weights.add(f"layer{number}.{part}.step", scales)
    return weights


def dense(matrix: Matrix) -> np.ndarray:
    """Return 4-bit weights as float64, shape (rows, columns)."""
    rows, columns = matrix.nibbles.shape
    blocks = (matrix.nibbles.astype(np.float64) - 8).reshape(rows, columns // BLOCK, BLOCK)
    return (blocks * matrix.scales[:, :, None]).reshape(rows, columns)


def round_rows(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int8 of -127 to 127, and the float32 of each row that they are to be multiplied by."""
    scales = np.abs(values).max(axis=1) / STEPS
    return np.rint(values / scales[:, None]).astype(np.int8), scales.astype(np.float32)


class Int8Graph(Graph):
    """Computes products in int8; biases, scales and all other operators stay float32.

    Args:
        weights: The file that both graphs read.
        rounded: The file of `collect_int8`.
        token_scaled: Number of layers, from the first on, of which a product has a scale for each token.
    """

    def __init__(
        self, weights: Weights, rounded: Weights, *, token_scaled: Mapping[str, int] = TOKEN_SCALED
    ) -> None:
        super().__init__(weights)
        self.rounded = rounded
        self._token_scaled = token_scaled
        for name, kind, shape, value in (
            ("last", INT64, [1], np.array([-1], "<i8")),
            ("token.step", FLOAT, [], np.array(1 / STEPS, "<f4")),
            ("token.zero", UINT8, [], np.array(ZERO, "u1")),
        ):
            self.tensors.append(tensor(name, kind, shape, value.tobytes()))

    def linear(self, name: str, inputs: str) -> str:
        """Return the product with an int8 matrix, its bias added."""
        layer, part = name.removeprefix("layer").split(".")
        bias, scale = self.plain(f"{name}.bias"), f"{name}.step"
        self.tensors += [self.rounded.int8(name), self.rounded.plain(scale)]
        if int(layer) < self._token_scaled.get(part, 0):
            return self._token_linear(name, inputs, scale, bias)
        return self.step(
            f"{name}.sum", "DynamicQuantizeMatMul", inputs, name, scale, "", bias, domain=CONTRIB
        )

    def _token_linear(self, name: str, inputs: str, scale: str, bias: str) -> str:
        """Return the product of which every row was brought to -1 to 1 by its largest number."""
        largest = self.step(
            f"{name}.largest", "ReduceMax", self.step(f"{name}.size", "Abs", inputs), "last", keepdims=1
        )
        unit = self.step(f"{name}.unit", "Div", inputs, largest)
        rounded = self.step(f"{name}.rounded", "QuantizeLinear", unit, "token.step", "token.zero")
        product = self.step(
            f"{name}.product", "MatMulIntegerToFloat", rounded, name, "token.step", scale, "token.zero",
            domain=CONTRIB,
        )  # fmt: skip
        return self.step(f"{name}.sum", "Add", self.step(f"{name}.scaled", "Mul", product, largest), bias)
