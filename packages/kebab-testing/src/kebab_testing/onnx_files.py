"""Small ONNX models with their tokenizers, written byte by byte: no weights are needed to test what is done with weights."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

FLOAT, INT64 = 1, 7
"""Element types of ONNX."""
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
"""First tokens of every vocabulary here, by number."""
_OPSET = 17
_SEVEN_BITS = 0x7F


def write_word_embedder(
    folder: Path,
    words: Sequence[str],
    *,
    dimensions: int = 16,
    seed: int = 1,
    same: Sequence[Sequence[str]] = (),
) -> Path:
    """Write an embedding model whose token states are random directions of the words.

    Args:
        folder: Made; its name is the model's.
        words: In lower case; every other word is unknown.
        dimensions: Of the vectors.
        seed: Of the directions.
        same: Words that share the direction of the first of them.
    """
    chance = random.Random(seed)  # noqa: S311 - test data
    table = {word: [chance.gauss(0, 1) for _ in range(dimensions)] for word in (*SPECIAL, *words)}
    for word in SPECIAL:
        table[word] = [0.05 * number for number in table[word]]
    for group in same:
        table.update(dict.fromkeys(group, table[group[0]]))
    folder.mkdir(parents=True)
    graph = onnx_model(
        [onnx_node("Gather", ["table", "input_ids"], "last_hidden_state")],
        inputs={name: ["b", "t"] for name in ("input_ids", "attention_mask")},
        output=("last_hidden_state", ["b", "t", dimensions]),
        weights=[onnx_tensor("table", list(table.values()))],
    )
    (folder / "model.onnx").write_bytes(graph)
    write_word_tokenizer(folder / "tokenizer.json", words)
    config = {
        "pad_token_id": 1,
        "model_type": "bert",
        "max_position_embeddings": 64,
        "hidden_size": dimensions,
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder


def write_overlap_model(
    folder: Path,
    words: Sequence[str],
    *,
    labels: Sequence[str] = ("entailment", "neutral", "contradiction"),
    window: int = 32,
) -> Path:
    """Write a model of pairs that finds a hypothesis entailed if the premise has all of its words.

    Args:
        folder: Made; its name is the model's.
        words: In lower case; others are unknown, and are not looked for.
        labels: Names in `id2label`, in the order of the numbers that the graph gives.
        window: Tokens that the model reads at once.
    """
    slope = {"entailment": -6.0, "neutral": 0.0, "contradiction": 0.0}
    bias = {"entailment": 3.0, "neutral": 0.0, "contradiction": -2.0}
    config = {"id2label": {str(number): label for number, label in enumerate(labels)}}
    return _write_missing_words_model(
        folder,
        words,
        slope=[slope.get(label.lower(), 0.0) for label in labels],
        bias=[bias.get(label.lower(), 0.0) for label in labels],
        config={"model_type": "deberta-v2", "max_position_embeddings": window, **config},
        texts=("premise", "hypothesis"),
    )


def write_overlap_reranker(folder: Path, words: Sequence[str], *, window: int = 32) -> Path:
    """Write a cross-encoder whose logit is 3, less 2 for each word of the query that the passage lacks.

    Args:
        folder: Made; its name is the model's.
        words: In lower case; others are unknown, and are not looked for.
        window: Tokens that the model reads at once.
    """
    return _write_missing_words_model(
        folder,
        words,
        slope=[-2.0],
        bias=[3.0],
        config={"model_type": "bert", "max_position_embeddings": window},
        texts=("hypothesis", "premise"),
    )


def _write_missing_words_model(
    folder: Path,
    words: Sequence[str],
    *,
    slope: Sequence[float],
    bias: Sequence[float],
    config: Mapping[str, object],
    texts: tuple[str, str],
) -> Path:
    """Write a model of pairs whose numbers are `bias` and `slope` times the words of the hypothesis that the premise lacks.

    Args:
        folder: Made.
        words: Those that are looked for.
        slope: One for each number.
        bias: Likewise.
        config: Further entries of `config.json`.
        texts: Which text of the pair is which.
    """
    size = len(SPECIAL) + len(words)
    rows = [[float(row == column and row >= len(SPECIAL)) for column in range(size)] for row in range(size)]
    graph = onnx_model(
        [
            onnx_node("Gather", ["rows", "input_ids"], "tokens"),
            onnx_node("Cast", ["token_type_ids"], "types", to=FLOAT),
            onnx_node("Unsqueeze", ["types", "last"], "is_second"),
            onnx_node("Sub", ["one", "is_second"], "is_first"),
            onnx_node("Mul", ["tokens", "is_second"], "second"),
            onnx_node("Mul", ["tokens", "is_first"], "first"),
            onnx_node("ReduceMax", ["first"], texts[0], axes=[1], keepdims=0),
            onnx_node("ReduceMax", ["second"], texts[1], axes=[1], keepdims=0),
            onnx_node("Sub", ["one", "premise"], "absent"),
            onnx_node("Mul", ["hypothesis", "absent"], "missing"),
            onnx_node("ReduceSum", ["missing", "words"], "count", keepdims=1),
            onnx_node("MatMul", ["count", "slope"], "product"),
            onnx_node("Add", ["product", "bias"], "logits"),
        ],
        inputs={name: ["b", "t"] for name in ("input_ids", "attention_mask", "token_type_ids")},
        output=("logits", ["b", len(bias)]),
        weights=[
            onnx_tensor("rows", rows),
            onnx_tensor("one", [1.0]),
            onnx_tensor("last", [2]),
            onnx_tensor("words", [1]),
            onnx_tensor("slope", [slope]),
            onnx_tensor("bias", bias),
        ],
    )
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(graph)
    write_word_tokenizer(folder / "tokenizer.json", words)
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 1, **config}), "utf-8")
    return folder


def write_word_tokenizer(path: Path, words: Sequence[str]) -> None:
    """Write a tokenizer of whole words, in lower case, that puts a text between `<s>` and `</s>`, and pairs with `</s>` between."""
    start, end = ({"SpecialToken": {"id": name, "type_id": 0}} for name in ("<s>", "</s>"))
    last = {"SpecialToken": {"id": "</s>", "type_id": 1}}
    first, second = ({"Sequence": {"id": name, "type_id": kind}} for name, kind in (("A", 0), ("B", 1)))
    numbers = {name: SPECIAL.index(name) for name in ("<s>", "</s>")}
    tokenizer: dict[str, object] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [start, first, end],
            "pair": [start, first, end, second, last],
            "special_tokens": {
                name: {"id": name, "ids": [number], "tokens": [name]} for name, number in numbers.items()
            },
        },
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate((*SPECIAL, *words))},
            "unk_token": "<unk>",
        },
    }
    path.write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")


def onnx_model(
    nodes: Sequence[bytes],
    *,
    inputs: Mapping[str, Sequence[str | int]],
    output: tuple[str, Sequence[str | int]],
    weights: Sequence[bytes],
) -> bytes:
    """Build a model of int64 inputs, by name with their shapes, and one float output."""
    graph = b"".join(field(1, node) for node in nodes) + field(2, b"small")
    graph += b"".join(field(5, weight) for weight in weights)
    for name, shape in inputs.items():
        graph += field(11, value_info(name, INT64, shape))
    graph += field(12, value_info(output[0], FLOAT, output[1]))
    return field(1, 8) + field(7, graph) + field(8, field(1, b"") + field(2, _OPSET))


def onnx_node(operator: str, inputs: Sequence[str], output: str, **attributes: int | Sequence[int]) -> bytes:
    """Build a node with one output; attributes are integers or lists of them."""
    node = b"".join(field(1, name.encode()) for name in inputs) + field(2, output.encode())
    node += field(4, operator.encode())
    for name, value in attributes.items():
        if isinstance(value, int):
            said = field(3, value) + field(20, 2)
        else:
            said = b"".join(field(8, each) for each in value) + field(20, 7)
        node += field(5, field(1, name.encode()) + said)
    return node


def onnx_tensor(name: str, rows: Sequence[Sequence[float]] | Sequence[float] | Sequence[int]) -> bytes:
    """Build a constant: a matrix or list of floats, or a list of int64."""
    flat: list[float] = []
    shape = [len(rows)]
    for row in rows:
        flat += [row] if isinstance(row, int | float) else row
    if rows and not isinstance(rows[0], int | float):
        shape.append(len(rows[0]))
    is_whole = all(isinstance(each, int) for each in flat)
    raw = struct.pack(f"<{len(flat)}{'q' if is_whole else 'f'}", *flat)
    sizes = b"".join(field(1, size) for size in shape)
    return sizes + field(2, INT64 if is_whole else FLOAT) + field(8, name.encode()) + field(9, raw)


def value_info(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    """Build the description of an input or output."""
    sizes = b"".join(
        field(1, field(1, size) if isinstance(size, int) else field(2, size.encode())) for size in shape
    )
    return field(1, name.encode()) + field(2, field(1, field(1, kind) + field(2, sizes)))


def field(number: int, value: int | bytes) -> bytes:
    """Build a field of a protocol buffer."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > _SEVEN_BITS:
        out.append(value & _SEVEN_BITS | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
