"""Calls that wait for a model that never answers keep nothing else waiting, and end with their client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.frame_server import OLLAMA, FrameServer, Reply, chat_replies, ollama_frames, serve_frames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Base, RawServer

    Start = Callable[..., RawServer]

pytestmark = pytest.mark.enable_socket
HANGING = 6
"""More than work at once."""
ASK = {"name": "ask", "arguments": {"question": "색인은 언제 다시 만들어지나요?"}}
FETCH = {"name": "fetch", "arguments": {"address": "english/deployment.md"}}


@pytest.fixture
def silent() -> Iterator[FrameServer]:
    """A server whose models begin to answer, and never go on."""
    begun = Reply(ollama_frames()[:1], ending="silent")
    replies = {**chat_replies(OLLAMA), "/api/chat": begun, "/api/embed": Reply([], ending="silent")}
    with serve_frames(replies) as server:
        yield server


def use_models(base: Base, server: FrameServer) -> None:
    """Have a server of models write the answers and make the vectors."""
    text = base.config.read_text(encoding="utf-8").partition("[models.embedding]")[0]
    models = "".join(
        f'[models.{role}]\nprovider = "ollama"\nmodel = "qwen3:4b"\nendpoint = "{server.address}"\n'
        for role in ("llm", "embedding")
    )
    base.config.write_text(text + models, encoding="utf-8")


def text_of(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer["result"]["content"][0]["text"])
    return found


@pytest.fixture
def hanging(base: Base, silent: FrameServer, serve_raw: Start) -> RawServer:
    """A server for agents with calls that wait for a model."""
    use_models(base, silent)
    server = serve_raw(base.parameters())
    server.greet()
    for number in range(HANGING):
        server.send("tools/call", ASK, request=number + 100)
        server.send(
            "tools/call", {"name": "search", "arguments": {"query": f"색인 {number}"}}, request=number + 200
        )
    silent.wait_for(HANGING, "/api/chat", "/api/embed")
    return server


def test_calls_that_need_no_model_are_answered_while_others_wait_for_one(hanging: RawServer) -> None:
    lexical = {"name": "search", "arguments": {"query": "색인", "mode": "lexical"}}
    assert text_of(hanging.ask("tools/call", lexical, request=1))["hits"]
    assert "blue green" in json.dumps(hanging.ask("tools/call", FETCH, request=2))
    assert hanging.ask("tools/call", {"name": "list", "arguments": {}}, request=3)["result"]


def test_the_end_of_the_input_ends_calls_that_wait_for_a_model(
    hanging: RawServer, silent: FrameServer
) -> None:
    assert hanging.end_input() == 0
    assert silent.hung_up.wait(30)
