"""The encoder as an ONNX graph over the file of weights."""

import numpy as np

from conversion.protobuf import FLOAT, INT32, INT64, model, node, tensor, value
from conversion.source import BLOCK, Shape
from conversion.weights import Weights

GRAPH_FILE = "model.onnx"

CONTRIB = "com.microsoft"
OPERATORS = {"": 21, CONTRIB: 1}
"""Versions of the operators; those of `com.microsoft` are onnxruntime's own."""

ACCURACY = 1
"""Products unpack their weights and compute in float32.

Against float32 weights that are made once and kept (2026-11, onnxruntime 1.31.1, one thread): the same vectors to
1e-6, 98 to 105 % of their tokens a second from 12 to 512 tokens, a third of the memory, a tenth of the time to load.
4, which computes in int8, is a third faster for a query and a quarter slower for passages, and its vectors differ
(cosine 0.99989). What computes in int8 throughout is a graph of its own, in `int8.py`.
"""

IDS, MASK, HIDDEN = "input_ids", "attention_mask", "last_hidden_state"


class Graph:
    """Grows step by step; every method returns the name of what it adds or computes."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[bytes] = []
        self.tensors: list[bytes] = []

    def plain(self, name: str) -> str:
        """Return the name of a float32 tensor of the file, which is used from here on."""
        self.tensors.append(self.weights.plain(name))
        return name

    def index(self, name: str, number: int) -> str:
        """Return the name of a list of one whole number, which is made."""
        self.tensors.append(tensor(name, INT64, [1], np.array([number], "<i8").tobytes()))
        return name

    def step(
        self, result: str, operator: str, *inputs: str, domain: str = "", **attributes: float | list[int]
    ) -> str:
        """Return `result` once it is computed; it may be several names with commas between them."""
        self.nodes.append(node(operator, inputs, result.split(","), domain=domain, attributes=attributes))
        return result

    def norm(self, name: str, inputs: str, *, result: str, epsilon: float) -> str:
        """Return each token brought to mean 0 and deviation 1, then scaled and shifted."""
        weight, bias = self.plain(f"{name}.weight"), self.plain(f"{name}.bias")
        return self.step(result, "LayerNormalization", inputs, weight, bias, axis=-1, epsilon=epsilon)

    def linear(self, name: str, inputs: str) -> str:
        """Return the product with a 4-bit matrix, its bias added."""
        rows, packed = self.weights.shapes[name]
        self.tensors.append(self.weights.blocks(name))
        bias, scale = self.plain(f"{name}.bias"), self.plain(f"{name}.scale")
        sizes = {"K": packed * 2, "N": rows, "bits": 4, "block_size": BLOCK, "accuracy_level": ACCURACY}
        return self.step(
            f"{name}.sum", "MatMulNBits", inputs, name, scale, "", "", bias, domain=CONTRIB, **sizes
        )


def build_graph(graph: Graph, *, shape: Shape, epsilon: float, mask: bool) -> bytes:
    """Return the ONNX file: token ids, int64 of shape (batch, tokens), to states of shape (batch, tokens, hidden).

    Args:
        graph: An empty one.
        shape: Sizes of the encoder.
        epsilon: Added to the variance of a token.
        mask: A second input like the ids is 1 where a token is the text's own. Without it all of them are, and
            onnxruntime computes attention in blocks, which is up to a tenth faster.
    """
    for name, number in (("zero", 0), ("one", 1), ("two", 2)):
        graph.index(name, number)
    states = _embeddings(graph, epsilon)
    padding = graph.step("padding", "Cast", MASK, to=INT32) if mask else ""
    for number in range(shape.layers):
        name = f"layer{number}"
        result = HIDDEN if number == shape.layers - 1 else name
        between = _attention(graph, name, states, padding, heads=shape.heads, epsilon=epsilon)
        states = _feed_forward(graph, name, between, result=result, epsilon=epsilon)
    return model(
        "multilingual-e5-small",
        nodes=graph.nodes,
        tensors=graph.tensors,
        inputs=[value(name, INT64, ["batch", "tokens"]) for name in ((IDS, MASK) if mask else (IDS,))],
        outputs=[value(HIDDEN, FLOAT, ["batch", "tokens", shape.hidden])],
        operators=OPERATORS,
    )


def _embeddings(graph: Graph, epsilon: float) -> str:
    graph.tensors.append(graph.weights.signed("word"))
    cut = {"gather_axis": 0, "quantize_axis": 1, "block_size": BLOCK}
    scale = graph.plain("word.scale")
    words = graph.step("words", "GatherBlockQuantized", "word", IDS, scale, domain=CONTRIB, **cut)
    tokens = graph.step("tokens", "Slice", graph.step("size", "Shape", IDS), "one", "two")
    positions = graph.step("positions", "Slice", graph.plain("position"), "zero", tokens, "zero")
    placed = graph.step("placed", "Add", words, positions)
    return graph.norm("norm", placed, result="start", epsilon=epsilon)


def _attention(graph: Graph, name: str, states: str, padding: str, *, heads: int, epsilon: float) -> str:
    parts = [f"{name}.{part}" for part in ("query", "key", "value")]
    graph.step(",".join(parts), "Split", graph.linear(f"{name}.qkv", states), axis=-1, num_outputs=3)
    seen = graph.step(
        f"{name}.seen", "MultiHeadAttention", *parts, "", padding, domain=CONTRIB, num_heads=heads
    )
    added = graph.step(f"{name}.mixed.added", "Add", graph.linear(f"{name}.mixed", seen), states)
    return graph.norm(f"{name}.mixed.norm", added, result=f"{name}.between", epsilon=epsilon)


def _feed_forward(graph: Graph, name: str, states: str, *, result: str, epsilon: float) -> str:
    bent = graph.step(f"{name}.bent", "Gelu", graph.linear(f"{name}.inner", states))
    added = graph.step(f"{name}.outer.added", "Add", graph.linear(f"{name}.outer", bent), states)
    return graph.norm(f"{name}.outer.norm", added, result=result, epsilon=epsilon)
