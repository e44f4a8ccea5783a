"""Models of a server on loopback, and a llama of random weights, so that no weights are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import gguf
import numpy as np
import pytest
from kebab_core import LanguageModel, LlmSettings
from kebab_llm_local import build_chat_model

from tests.frame_server import OPENAI, FrameServer, chat_replies, serve_frames

WINDOW = 512
WORDS = "the index keeps terms of chunks 색인은 매일 밤에 만든다 . 1 2"
Ask = Callable[..., tuple[LanguageModel, FrameServer]]


@pytest.fixture
def make_model() -> Iterator[Ask]:
    """Return what starts a server of a dialect and returns a model on it; other replies and settings may be given."""
    with ExitStack() as stack:

        def make(dialect: str, *, api_key: str | None = None, replies: object = None, **changes: object):
            found = {**chat_replies(dialect), **(replies or {})}
            server = stack.enter_context(serve_frames(found))
            address = server.address + ("/v1" if dialect == OPENAI else "")
            values = {"provider": dialect, "model": "qwen3:4b", "endpoint": address, **changes}
            settings = LlmSettings.model_validate(values)
            return build_chat_model(settings, models_dir=Path(), api_key=api_key), server

        yield make


@pytest.fixture(scope="session")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a llama of one layer, 272 tokens and random weights."""
    path = tmp_path_factory.mktemp("models") / "tiny-llama.gguf"
    write_llama(path)
    return path


def write_llama(path: Path, *, width: int = 32, heads: int = 4, inner: int = 64) -> None:
    """Write a llama that says something different to every prompt, and always the same to the same one."""
    random = np.random.default_rng(7)
    words = [("\u2581" + word).encode() for word in WORDS.split()]
    tokens = [b"<unk>", b"<s>", b"</s>", *(b"<0x%02X>" % byte for byte in range(256)), *words]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Tiny Llama")
    writer.add_context_length(WINDOW)
    writer.add_embedding_length(width)
    writer.add_block_count(1)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * 3 + [-1000.0] * 256 + [-float(rank) for rank in range(len(words))])
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * len(words))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_chat_template("{% for message in messages %}{{ message['content'] }} {% endfor %}")
    shapes = {
        "token_embd": (len(tokens), width),
        "output": (len(tokens), width),
        **{f"blk.0.attn_{part}": (width, width) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (inner, width),
        "blk.0.ffn_up": (inner, width),
        "blk.0.ffn_down": (width, inner),
    }
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", random.standard_normal(shape).astype(np.float32) * 0.5)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(width, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
