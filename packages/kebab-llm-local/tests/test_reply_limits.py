"""A reply that never ends is a timeout that names its setting, whatever the server sends, and a wait can be ended."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from kebab_core import LlmSettings, Message, ModelUnreachableError, OperationTimeoutError, Remedy
from kebab_llm_local import build_chat_model, list_chat_models
from kebab_runtime import guard_model_waits
from kebab_testing.passages import build_request

from tests.frame_server import OLLAMA, OPENAI, Reply, ollama_frames, openai_frames, serve_frames

pytestmark = pytest.mark.enable_socket
CHAT = {OLLAMA: "/api/chat", OPENAI: "/v1/chat/completions"}
LISTS = {OLLAMA: "/api/tags", OPENAI: "/v1/models"}
FRAMES = {OLLAMA: ollama_frames, OPENAI: openai_frames}
REQUEST = build_request("색인은 언제 만드나요?", "색인은 매일 밤에 만든다.")
KB64 = "x" * 65_536
both = pytest.mark.parametrize("dialect", [OLLAMA, OPENAI])


def ollama_thought(text: str) -> bytes:
    return json.dumps({"message": {"role": "assistant", "thinking": text}, "done": False}).encode() + b"\n"


def openai_thought(text: str) -> bytes:
    chunk = {"choices": [{"index": 0, "delta": {"reasoning_content": text}, "finish_reason": None}]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


ENDLESS = [
    (OPENAI, b": still here\n\n", "read_timeout_s", 0.5),
    (OPENAI, b"\n", "read_timeout_s", 0.5),
    (OLLAMA, b" ", "read_timeout_s", 0.5),
    (OPENAI, openai_thought(""), "total_timeout_s", 0.5),
    (OLLAMA, ollama_thought(""), "total_timeout_s", 0.5),
    (OPENAI, openai_thought(KB64), "max_reply_mb", 1),
    (OLLAMA, ollama_thought(KB64), "max_reply_mb", 1),
    (OPENAI, b": " + KB64.encode() + b"\n", "max_reply_mb", 1),
    (OLLAMA, KB64.encode(), "max_reply_mb", 1),
]


@pytest.mark.parametrize(("dialect", "part", "key", "limit"), ENDLESS)
def test_a_stream_without_an_end_is_a_timeout_that_names_the_setting(
    make_model, dialect: str, part: bytes, *, key: str, limit: float
) -> None:
    endless = Reply([*FRAMES[dialect]()[:1], part], ending="endless")
    model, server = make_model(dialect, replies={CHAT[dialect]: endless}, **{key: limit})
    with pytest.raises(OperationTimeoutError) as caught:
        list(model.generate_stream(REQUEST))
    assert caught.value.remedy == Remedy(
        advice=Message("check whether the server is busy"),
        otherwise=Remedy(kind="raise_setting", setting=f"models.llm.{key}"),
    )
    assert f"{limit:g}" in caught.value.message
    assert server.hung_up.wait(30)


def test_llama_cpp_is_held_to_the_time_of_the_whole(tiny_gguf: Path) -> None:
    settings = LlmSettings(provider="llama-cpp", model=str(tiny_gguf), total_timeout_s=1e-6)
    with pytest.raises(OperationTimeoutError) as caught:
        list(build_chat_model(settings, models_dir=Path()).generate_stream(build_request("색인", "색인")))
    assert caught.value.remedy is not None
    assert caught.value.remedy.otherwise == Remedy(kind="raise_setting", setting="models.llm.total_timeout_s")


@both
@pytest.mark.parametrize("key", ["read_timeout_s", None])
def test_a_list_of_models_without_an_end_is_read_to_a_bound(
    dialect: str, key: str | None, serve: Callable[..., LlmSettings]
) -> None:
    settings = serve(
        dialect,
        {LISTS[dialect]: Reply([b"[", KB64.encode() if key is None else b" "], ending="endless")},
        **({key: 0.5} if key else {}),
    )
    with pytest.raises(OperationTimeoutError):
        list_chat_models(settings, models_dir=Path())


@both
def test_an_error_without_an_end_is_read_as_far_as_it_says_something(
    dialect: str, serve: Callable[..., LlmSettings]
) -> None:
    endless = Reply([b"out of order ", KB64.encode()], status=500, ending="endless")
    with pytest.raises(ModelUnreachableError, match="HTTP 500"):
        list_chat_models(serve(dialect, {LISTS[dialect]: endless}), models_dir=Path())


@pytest.fixture
def serve() -> Iterator[Callable[..., LlmSettings]]:
    """Return what starts a server with these replies and returns settings that name it."""
    with ExitStack() as stack:

        def start(dialect: str, replies: dict[str, Reply], **changes: float) -> LlmSettings:
            address = stack.enter_context(serve_frames(replies)).address
            endpoint = address + ("/v1" if dialect == OPENAI else "")
            return LlmSettings.model_validate({
                "provider": dialect,
                "model": "qwen3:4b",
                "endpoint": endpoint,
                **changes,
            })

        yield start


@both
@pytest.mark.parametrize("parts", [0, 2])
def test_a_wait_for_a_model_ends_when_its_guard_says_so(make_model, dialect: str, parts: int) -> None:
    """From any thread: before the connection stands, and between two parts."""
    silent = Reply(FRAMES[dialect]()[:4], ending="silent")
    model, _ = make_model(dialect, replies={CHAT[dialect]: silent})
    model.context_tokens()
    stops: list[Callable[[], None]] = []
    waits = 0

    @contextmanager
    def guard(stop: Callable[[], None]) -> Iterator[None]:
        nonlocal waits
        stops.append(stop)
        waits += 1
        if parts == 0:
            stop()
        try:
            yield
        finally:
            waits -= 1

    def read() -> None:
        for number, _ in enumerate(model.generate_stream(REQUEST), start=1):
            if number == parts:
                stops[-1]()

    with guard_model_waits(guard), pytest.raises(ModelUnreachableError):
        read()
    assert stops
    assert waits == 0
