"""What is sent, and what is made of frames, however they are cut into packets."""

import logging
from collections.abc import Generator
from typing import Any

import pytest
from kebab_core import ChatMessage, FinishReason, GenerationDone, LanguageModel, TokenDelta
from kebab_testing.passages import build_request

from tests.frame_server import (
    OLLAMA,
    OPENAI,
    TOKENS,
    Reply,
    json_reply,
    ollama_frames,
    openai_frames,
)

pytestmark = pytest.mark.enable_socket
CHAT = {OLLAMA: "/api/chat", OPENAI: "/v1/chat/completions"}
FRAMES = {OLLAMA: ollama_frames, OPENAI: openai_frames}
TEXT = "".join(TOKENS)
REQUEST = build_request("색인은 언제 만드나요?", "색인은 매일 밤에 만든다.")
both = pytest.mark.parametrize("dialect", [OLLAMA, OPENAI])


def read(model: LanguageModel, request: Any = REQUEST) -> tuple[str, GenerationDone]:
    *texts, done = model.generate_stream(request)
    assert isinstance(done, GenerationDone)
    return "".join(each.text for each in texts if isinstance(each, TokenDelta)), done


@both
def test_text_arrives_piece_by_piece_and_ends_with_the_usage(make_model, dialect: str) -> None:
    model, _ = make_model(dialect)
    *texts, done = model.generate_stream(REQUEST)
    assert [each.text for each in texts] == list(TOKENS)
    assert (done.finish_reason, done.usage.prompt_tokens, done.usage.completion_tokens) == ("stop", 26, 5)


@both
def test_limit_that_ends_the_text_is_told(make_model, dialect: str) -> None:
    model, _ = make_model(dialect)
    text, done = read(model, REQUEST.model_copy(update={"max_tokens": 2}))
    assert (text, done.finish_reason) == ("색인은 매일 ", FinishReason.LENGTH)


@both
def test_server_that_does_not_keep_the_limit_is_stopped(make_model, dialect: str) -> None:
    endless = Reply([*FRAMES[dialect](["more "])[: 2 if dialect == OPENAI else 1]], ending="endless")
    model, server = make_model(dialect, replies={CHAT[dialect]: endless})
    text, done = read(model, REQUEST.model_copy(update={"max_tokens": 3}))
    assert (text, done.finish_reason) == ("more more more ", FinishReason.LENGTH)
    assert server.hung_up.wait(30)


@both
@pytest.mark.parametrize("size", [1, 2, 3, 7, 100_000])
def test_packets_may_end_anywhere_also_within_a_character(make_model, dialect: str, size: int) -> None:
    whole = b"".join(FRAMES[dialect]())
    parts = [whole[at : at + size] for at in range(0, len(whole), size)]
    model, _ = make_model(dialect, replies={CHAT[dialect]: Reply(parts)})
    assert read(model)[0] == TEXT


def test_events_may_be_framed_as_the_standard_allows(make_model) -> None:
    frames = [b": ping\n\n", b"event: message\n", *openai_frames(), b"data: [DONE]\n\n"]
    dense = [each.replace(b"data: ", b"data:").replace(b"\n", b"\r\n") for each in frames]
    model, _ = make_model(OPENAI, replies={CHAT[OPENAI]: Reply(dense)})
    assert read(model)[0] == TEXT


def test_ollama_gets_roles_options_schema_and_keep_alive(make_model) -> None:
    model, server = make_model(OLLAMA, context_tokens=8192, keep_alive="30m")
    schema = {"type": "object", "properties": {"found": {"type": "boolean"}}}
    turns = (ChatMessage(role="assistant", text="네."), ChatMessage(role="user", text="언제?"))
    request = REQUEST.model_copy(
        update={
            "messages": (*REQUEST.messages, *turns),
            "json_schema": schema,
            "stop": ("\n\n[질문]",),
            "seed": 7,
            "temperature": 0.5,
        }
    )
    read(model, request)
    (body,) = server.bodies(CHAT[OLLAMA])
    assert [each["role"] for each in body["messages"]] == ["system", "user", "assistant", "user"]
    assert body["messages"][1]["content"] == "색인은 언제 만드나요?"
    assert body["options"] == {
        "num_ctx": 8192,
        "num_predict": 1000,
        "temperature": 0.5,
        "seed": 7,
        "stop": ["\n\n[질문]"],
    }
    assert (body["format"], body["keep_alive"], body["stream"]) == (schema, "30m", True)
    assert "think" not in body


def test_openai_gets_roles_limits_and_schema(make_model) -> None:
    model, server = make_model(OPENAI)
    schema = {"type": "object", "additionalProperties": False}
    read(model, REQUEST.model_copy(update={"json_schema": schema, "stop": ("X",), "seed": 7}))
    (body,) = server.bodies(CHAT[OPENAI])
    assert [each["role"] for each in body["messages"]] == ["system", "user"]
    assert (body["max_tokens"], body["stop"], body["seed"], body["temperature"]) == (1000, ["X"], 7, 0.0)
    assert body["response_format"]["json_schema"] == {"name": "answer", "schema": schema, "strict": True}
    assert body["stream_options"] == {"include_usage": True}


def test_openai_gets_nothing_that_was_not_asked_for(make_model) -> None:
    model, server = make_model(OPENAI)
    read(model, REQUEST.model_copy(update={"seed": None}))
    assert not {"seed", "stop", "response_format"} & server.bodies(CHAT[OPENAI])[0].keys()


@both
def test_window_is_the_smaller_one_of_settings_and_model(make_model, dialect: str) -> None:
    assert make_model(dialect, context_tokens=65_536)[0].context_tokens() == 32_768
    assert make_model(dialect, context_tokens=4_096)[0].context_tokens() == 4_096


@both
def test_server_is_asked_for_the_window_once(make_model, dialect: str) -> None:
    model, server = make_model(dialect)
    for _ in range(3):
        read(model)
        model.context_tokens()
    assert len(server.requests) == 4


def test_window_of_a_llama_cpp_server_is_that_of_its_only_model_whatever_its_name(make_model) -> None:
    entry = {"id": "/m/x.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 4096, "n_ctx_train": 32768}}
    model, _ = make_model(OPENAI, replies={"/v1/models": json_reply({"data": [entry]})})
    assert model.context_tokens() == 4096


def test_server_without_a_list_of_models_can_be_asked_all_the_same(make_model) -> None:
    model, _ = make_model(OPENAI, replies={"/v1/models": Reply([b"no"], status=404)}, context_tokens=5000)
    assert model.context_tokens() == 5000
    assert read(model)[0] == TEXT


def test_ollama_model_that_thinks_is_told_not_to(make_model) -> None:
    shown = {"details": {}, "model_info": {}, "capabilities": ["completion", "thinking"]}
    model, server = make_model(OLLAMA, replies={"/api/show": json_reply(shown)})
    read(model)
    assert server.bodies(CHAT[OLLAMA])[0]["think"] is False


@both
@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (["<thi", "nk>\nthe user", " asks</th", "ink>\n\nnightly", "."], "nightly."),
        (["\n", "<think>\n\n</think>\n\n", "nightly."], "nightly."),
        (["<", "b>", " is a tag"], "<b> is a tag"),
        (["<think", "ing>"], "<thinking>"),
        (["a <think>b</think>"], "a <think>b</think>"),
        (["<think>never ends"], ""),
        ([" ", "<"], " <"),
        (["", ""], ""),
    ],
)
def test_reasoning_before_the_answer_is_no_part_of_it(
    make_model, dialect: str, tokens: list[str], text: str
) -> None:
    model, _ = make_model(dialect, replies={CHAT[dialect]: Reply(FRAMES[dialect](tokens))})
    assert read(model)[0] == text


@both
def test_reason_that_is_no_end_of_an_answer_is_an_error_of_the_stream(make_model, dialect: str) -> None:
    frames = FRAMES[dialect](reason="content_filter")
    model, _ = make_model(dialect, replies={CHAT[dialect]: Reply(frames)})
    _, done = read(model)
    assert (done.finish_reason, done.error) == (FinishReason.ERROR, "content_filter")


@both
def test_closed_stream_hangs_up(make_model, dialect: str) -> None:
    endless = Reply(FRAMES[dialect](["more "])[: 2 if dialect == OPENAI else 1], ending="endless")
    model, server = make_model(dialect, replies={CHAT[dialect]: endless})
    stream = model.generate_stream(REQUEST.model_copy(update={"max_tokens": 10**9}))
    next(stream)
    assert isinstance(stream, Generator)
    stream.close()
    assert server.hung_up.wait(30)


@both
def test_key_is_sent_as_it_is_set_and_is_in_no_log(
    make_model, dialect: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "from-the-environment")
    caplog.set_level(logging.DEBUG)
    for key in ("hush-hush", None):
        model, server = make_model(dialect, api_key=key)
        read(model)
        expected = f"Bearer {key}" if key else None
        assert {each.headers.get("Authorization") for each in server.requests} == {expected}
    assert "hush-hush" not in caplog.text


@both
def test_a_picture_goes_with_its_message(make_model, dialect: str) -> None:
    model, server = make_model(dialect)
    message = ChatMessage(role="user", text="What is it?", picture=b"\x89PNG")
    read(model, REQUEST.model_copy(update={"messages": (message,)}))
    (body,) = server.bodies(CHAT[dialect])
    (sent,) = body["messages"]
    if dialect == OLLAMA:
        assert sent == {"role": "user", "content": "What is it?", "images": ["iVBORw=="]}
    else:
        text, picture = sent["content"]
        assert text == {"type": "text", "text": "What is it?"}
        assert picture == {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}}
