"""A model of a few words, written byte by byte, so that no weights are needed to test what is done with weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from kebab_core import EmbeddingSettings
from kebab_testing.onnx_files import FLOAT, INT64, field, value_info
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

DIMENSIONS = 48
WORDS = (
    *(
        "the",
        "index",
        "is",
        "made",
        "every",
        "night",
        "my",
        "cat",
        "likes",
        "fish",
        "and",
        "milk",
        "when",
        "what",
    ),
    *(
        "does",
        "like",
        "query",
        "passage",
        "색인은",
        "매일",
        "밤에",
        "만든다",
        "언제",
        "만드나요",
        "우리",
        "고양이는",
    ),
    *(
        "생선을",
        "좋아한다",
        "무엇을",
        "좋아하나요",
        "fastapi는",
        "python",
        "3",
        "11",
        "이상에서",
        "돌아간다",
        "몇",
    ),
    *("버전에서", "돌아가나요"),
)
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", ":", ".", ",", "?")

MakeModel = Callable[..., Path]
Settings = Callable[..., EmbeddingSettings]


@pytest.fixture
def make_model(tmp_path: Path, words: dict[str, np.ndarray]) -> MakeModel:
    """Return what writes `tmp_path/models/<name>` and returns the folder."""

    def make(
        name: str = "tiny-e5-test",
        *,
        table: np.ndarray | None = None,
        inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
        window: int = 16,
        weights_in: str | None = None,
    ) -> Path:
        folder = tmp_path / "models" / name
        folder.mkdir(parents=True)
        rows = np.stack(list(words.values())) if table is None else table
        (folder / "model.onnx").write_bytes(lookup_graph(rows, inputs, weights_in=weights_in))
        if weights_in is not None:
            (folder / weights_in).parent.mkdir(exist_ok=True)
            (folder / weights_in).write_bytes(rows.astype("<f4").tobytes())
        write_tokenizer(folder / "tokenizer.json")
        config = {"pad_token_id": 1, "model_type": "bert", "max_position_embeddings": window}
        (folder / "config.json").write_text(json.dumps(config), "utf-8")
        return folder

    return make


@pytest.fixture
def onnx_settings() -> Settings:
    """Return what makes settings for a model in a folder."""

    def make(model: str = "tiny-e5-test", **changes: object) -> EmbeddingSettings:
        return EmbeddingSettings.model_validate({
            "provider": "onnx",
            "model": model,
            "dimensions": DIMENSIONS,
            "threads": 1,
            **changes,
        })

    return make


@pytest.fixture
def words() -> dict[str, np.ndarray]:
    """Return the state of every word and sign, a random direction; signs are short, so that they hardly count."""
    table = (
        np.random.default_rng(7).standard_normal((len(SPECIAL) + len(WORDS), DIMENSIONS)).astype(np.float32)
    )
    table[: len(SPECIAL)] *= 0.05
    return dict(zip((*SPECIAL, *WORDS), table, strict=True))


def write_tokenizer(path: Path) -> None:
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    lowered = json.loads(tokenizer.to_str())
    lowered["normalizer"] = {"type": "Lowercase"}
    path.write_text(json.dumps(lowered), "utf-8")


def lookup_graph(table: np.ndarray, inputs: Sequence[str], *, weights_in: str | None = None) -> bytes:
    """Return an ONNX model whose token states are rows of the table, which may lie in a file of its own."""
    weights = field(1, table.shape[0]) + field(1, table.shape[1]) + field(2, FLOAT) + field(8, b"table")
    if weights_in is None:
        weights += field(9, table.astype("<f4").tobytes())
    else:
        weights += field(13, field(1, b"location") + field(2, weights_in.encode())) + field(14, 1)
    node = field(1, b"table") + field(1, b"input_ids") + field(2, b"last_hidden_state") + field(4, b"Gather")
    graph = field(1, node) + field(2, b"lookup") + field(5, weights)
    for name in inputs:
        graph += field(11, value_info(name, INT64, ["b", "t"]))
    graph += field(12, value_info("last_hidden_state", FLOAT, ["b", "t", table.shape[1]]))
    return field(1, 8) + field(7, graph) + field(8, field(1, b"") + field(2, 17))
