"""What goes wrong with a server is one of kebab's errors, with a remedy: before, at the beginning and in the middle."""

import inspect
import json
import socket
from pathlib import Path

import httpx
import httpx2
import ollama
import pytest
from kebab_core import (
    ConfigInvalidError,
    ContextOverflowError,
    KebabError,
    LlmSettings,
    Message,
    ModelNotPulledError,
    ModelUnreachableError,
    OperationTimeoutError,
    Remedy,
)
from kebab_llm_local import PROVIDERS, build_chat_model
from kebab_llm_local.ollama_model import OllamaModel, OllamaServer
from kebab_llm_local.openai_model import OpenAiModel, open_server
from kebab_testing.passages import build_request
from kebab_testing.tables import walk

from tests.frame_server import (
    OLLAMA,
    OPENAI,
    Reply,
    json_reply,
    ollama_frames,
    openai_frames,
)

CHAT = {OLLAMA: "/api/chat", OPENAI: "/v1/chat/completions"}
FRAMES = {OLLAMA: ollama_frames, OPENAI: openai_frames}
REQUEST = build_request("색인은 언제 만드나요?", "색인은 매일 밤에 만든다.")
both = pytest.mark.parametrize("dialect", [OLLAMA, OPENAI])
loopback = pytest.mark.enable_socket


def fail(model, request=REQUEST) -> KebabError:
    with pytest.raises(KebabError) as caught:
        list(model.generate_stream(request))
    assert caught.value.remedy is not None
    return caught.value


@loopback
@both
def test_server_that_is_not_there_is_unreachable_and_the_remedy_starts_it(dialect: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        settings = LlmSettings(provider=dialect, model="qwen3:4b", endpoint=address)
        error = fail(build_chat_model(settings, models_dir=Path()))
    assert isinstance(error, ModelUnreachableError)
    assert error.remedy == Remedy(
        advice=Message("start it"), otherwise=Remedy(kind="check_setting", setting="models.llm.endpoint")
    )
    assert address in str(error)


@loopback
@both
@pytest.mark.parametrize("parts", [0, 2])
def test_server_that_falls_silent_is_a_timeout_that_names_the_key(
    make_model, dialect: str, parts: int
) -> None:
    silent = Reply(FRAMES[dialect]()[:parts], ending="silent")
    model, _ = make_model(dialect, replies={CHAT[dialect]: silent}, read_timeout_s=2)
    if dialect == OLLAMA:
        model.context_tokens()
    error = fail(model)
    assert isinstance(error, OperationTimeoutError)
    assert error.remedy is not None
    assert error.remedy.otherwise == Remedy(kind="raise_setting", setting="models.llm.read_timeout_s")


@loopback
@both
@pytest.mark.parametrize("ending", ["cut", "whole"])
def test_stream_that_breaks_off_is_no_answer(make_model, dialect: str, ending: str) -> None:
    model, _ = make_model(dialect, replies={CHAT[dialect]: Reply(FRAMES[dialect]()[:3], ending=ending)})
    error = fail(model)
    assert isinstance(error, ModelUnreachableError)
    assert "stopped in the middle of a reply" in str(error)


@loopback
@both
@pytest.mark.parametrize(
    "line", [b"data: {\n", b"{\n", b"data: [1]\n[1]\n", b'data: "x"\n"x"\n', b"data: 1\n1\n"]
)
def test_frame_that_is_none_is_an_unexpected_answer(make_model, dialect: str, line: bytes) -> None:
    for frames in ([line], [*FRAMES[dialect]()[:2], line]):
        model, _ = make_model(dialect, replies={CHAT[dialect]: Reply(frames)})
        error = fail(model)
        assert isinstance(error, ModelUnreachableError)
        assert "something other than" in str(error)


@loopback
def test_a_page_in_place_of_a_stream_is_an_unexpected_answer(make_model) -> None:
    model, _ = make_model(OPENAI, replies={CHAT[OPENAI]: Reply([b"<html>\n", b"welcome\n"])})
    assert "something other than" in str(fail(model))


OPENAI_SHAPES = [
    {"choices": {}},
    {"choices": [[]]},
    {"choices": [{"delta": []}]},
    {"choices": [{"delta": {"content": 3}}]},
    {"choices": 7},
    {"usage": {"prompt_tokens": "x"}},
    {"usage": []},
    {"usage": {"prompt_tokens": -1, "completion_tokens": 0}},
]


@loopback
@pytest.mark.parametrize("chunk", OPENAI_SHAPES)
def test_chunk_of_another_shape_is_an_unexpected_answer(make_model, chunk: object) -> None:
    frame = b"data: " + json.dumps(chunk).encode() + b"\n\n"
    model, _ = make_model(OPENAI, replies={CHAT[OPENAI]: Reply([frame])})
    assert isinstance(fail(model), ModelUnreachableError)


@loopback
@both
@pytest.mark.parametrize(
    "case",
    [
        (401, "who are you", ModelUnreachableError, "put the server's key"),
        (403, "no", ModelUnreachableError, "put the server's key"),
        (404, "model 'qwen3:4b' not found", ModelNotPulledError, None),
        (404, "The model `qwen3:4b` does not exist.", ModelNotPulledError, None),
        (400, "No models loaded. Please load a model", ModelNotPulledError, None),
        (404, "page not found", ModelUnreachableError, "check_setting"),
        (302, "moved", ModelUnreachableError, "check_setting"),
        (
            400,
            "request (3607 tokens) exceeds the available context size (256 tokens)",
            ContextOverflowError,
            "increase the context window",
        ),
        (
            400,
            "This model's maximum context length is 8192 tokens.",
            ContextOverflowError,
            "increase the context window",
        ),
        (
            500,
            "input length exceeds maximum context length",
            ContextOverflowError,
            "increase the context window",
        ),
        (429, "slow down", ModelUnreachableError, "try again"),
        (503, "Loading model", ModelUnreachableError, "try again"),
        (500, "CUDA out of memory", ModelUnreachableError, "check whether"),
        (400, "unknown field", ModelUnreachableError, "check_setting"),
    ],
)
def test_refusal_of_the_server_has_its_error_and_remedy(
    make_model, dialect: str, case: tuple[int, str, type[KebabError], str | None]
) -> None:
    status, text, expected, remedy = case
    said = {"error": text} if dialect == OLLAMA else {"error": {"message": text}}
    model, _ = make_model(dialect, replies={CHAT[dialect]: json_reply(said, status=status)})
    error = fail(model)
    assert isinstance(error, expected)
    assert error.remedy is not None
    pull = "pull_served_model" if dialect == OLLAMA else "load the model"
    assert (error.remedy.advice or error.remedy.kind).startswith(remedy or pull)


@loopback
@both
def test_error_in_the_middle_of_a_stream_has_the_words_of_the_server(make_model, dialect: str) -> None:
    said = {"error": "llama runner process has terminated"}
    if dialect == OPENAI:
        said = {"error": {"code": 500, "message": "llama runner process has terminated"}}
    frame = (b"data: " if dialect == OPENAI else b"") + json.dumps(said).encode() + b"\n\n"
    model, _ = make_model(dialect, replies={CHAT[dialect]: Reply([*FRAMES[dialect]()[:2], frame])})
    error = fail(model)
    assert isinstance(error, ModelUnreachableError)
    assert "llama runner process has terminated" in str(error)


@loopback
def test_model_that_ollama_does_not_have_comes_with_what_pulls_it(make_model) -> None:
    model, _ = make_model(OLLAMA, model="gemma3:1b")
    error = fail(model)
    assert isinstance(error, ModelNotPulledError)
    assert error.remedy == Remedy(kind="pull_served_model", name="gemma3:1b")


@loopback
def test_model_that_another_server_does_not_list_is_not_there(make_model) -> None:
    model, _ = make_model(OPENAI, model="gemma3:1b")
    with pytest.raises(ModelNotPulledError):
        model.verify()


@loopback
@pytest.mark.parametrize(("prompt_tokens", "is_cut"), [(256, True), (258, True), (600, True), (200, False)])
def test_prompt_that_ollama_cuts_in_silence_is_an_overflow(
    make_model, prompt_tokens: int, is_cut: bool
) -> None:
    frames = ollama_frames(prompt_tokens=prompt_tokens)
    model, _ = make_model(OLLAMA, replies={CHAT[OLLAMA]: Reply(frames)}, context_tokens=512)
    request = build_request("long " * 800)
    if is_cut:
        assert isinstance(fail(model, request), ContextOverflowError)
    else:
        assert list(model.generate_stream(request))


@loopback
def test_prompt_of_half_the_window_is_no_overflow(make_model) -> None:
    model, _ = make_model(
        OLLAMA, replies={CHAT[OLLAMA]: Reply(ollama_frames(prompt_tokens=258))}, context_tokens=512
    )
    assert list(model.generate_stream(build_request("long " * 258)))


@walk("provider", PROVIDERS)
def test_model_that_is_not_set_names_its_key(provider: str) -> None:
    settings = LlmSettings(provider=provider, endpoint="http://127.0.0.1:1")
    with pytest.raises(ConfigInvalidError) as caught:
        build_chat_model(settings, models_dir=Path())
    assert caught.value.details["key"] == "models.llm.model"


@pytest.mark.parametrize("address", ["localhost:11434", "ftp://x", "http://", "nonsense"])
@both
def test_address_that_is_none_is_refused(dialect: str, address: str) -> None:
    settings = LlmSettings(provider=dialect, model="x", endpoint=address)
    with pytest.raises(ConfigInvalidError):
        build_chat_model(settings, models_dir=Path())


def test_openai_has_no_default_address() -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        build_chat_model(LlmSettings(provider="openai", model="x"), models_dir=Path())
    assert caught.value.remedy is not None
    assert "models.llm.endpoint" in (caught.value.remedy.advice or "")


def test_provider_that_is_none_lists_those_there_are() -> None:
    with pytest.raises(ConfigInvalidError, match="llama-cpp, ollama, openai"):
        build_chat_model(LlmSettings(provider="gpt", model="x"), models_dir=Path())


@loopback
@both
def test_password_in_an_address_is_in_no_message(dialect: str) -> None:
    settings = LlmSettings(provider=dialect, model="x", endpoint="http://kim:hush@127.0.0.1:9/v1")
    error = fail(build_chat_model(settings, models_dir=Path()))
    assert "hush" not in repr((str(error), error.details, error.remedy))


UNREACHABLE, TIMEOUT = ModelUnreachableError, OperationTimeoutError
FAULTS: dict[str, type[KebabError]] = {
    "CloseError": UNREACHABLE,
    "ConnectError": UNREACHABLE,
    "ConnectTimeout": UNREACHABLE,
    "CookieConflict": UNREACHABLE,
    "DecodingError": UNREACHABLE,
    "HTTPStatusError": UNREACHABLE,
    "InvalidURL": UNREACHABLE,
    "LocalProtocolError": UNREACHABLE,
    "PoolTimeout": TIMEOUT,
    "ProxyError": UNREACHABLE,
    "ReadError": UNREACHABLE,
    "ReadTimeout": TIMEOUT,
    "RemoteProtocolError": UNREACHABLE,
    "RequestNotRead": UNREACHABLE,
    "ResponseNotRead": UNREACHABLE,
    "StreamClosed": UNREACHABLE,
    "StreamConsumed": UNREACHABLE,
    "TooManyRedirects": UNREACHABLE,
    "UnsupportedProtocol": UNREACHABLE,
    "WriteError": UNREACHABLE,
    "WriteTimeout": TIMEOUT,
}
"""Every fault that httpx and httpx2 know, by name."""
NOT_RAISED = {"SSEError"}
"""Of a part of httpx2 that kebab does not use."""


def _faults(library) -> dict[str, type[Exception]]:
    public = {
        name: kind
        for name, kind in vars(library).items()
        if inspect.isclass(kind)
        and issubclass(kind, Exception)
        and kind.__module__.startswith(library.__name__)
    }
    parents = {base for kind in public.values() for base in kind.__mro__[1:]}
    return {name: kind for name, kind in public.items() if kind not in parents}


def _raise(kind: type[Exception]) -> Exception:
    match kind.__name__:
        case "HTTPStatusError":
            return kind("broken", request=None, response=None)
        case "StreamConsumed" | "ResponseNotRead" | "RequestNotRead" | "StreamClosed":
            return kind()
        case _:
            return kind("broken")


@walk("library", [httpx, httpx2])
def test_every_fault_of_the_libraries_is_in_the_table(library) -> None:
    assert _faults(library).keys() - NOT_RAISED == FAULTS.keys()


@walk("name", FAULTS)
def test_fault_of_the_client_of_ollama_is_one_of_kebabs_errors(name: str) -> None:
    def break_down(_: httpx.Request) -> httpx.Response:
        raise _raise(_faults(httpx)[name])

    settings = LlmSettings(provider=OLLAMA, model="x")
    server = OllamaServer(settings, api_key=None, transport=httpx.MockTransport(break_down))
    with pytest.raises(FAULTS[name]):
        list(OllamaModel(settings, server).generate_stream(REQUEST))
    with pytest.raises(FAULTS[name]):
        list(server.stream(lambda client: client.chat("x", [], stream=True)))


@walk("name", FAULTS)
def test_fault_of_the_shared_client_is_one_of_kebabs_errors(name: str) -> None:
    def break_down(_: httpx2.Request) -> httpx2.Response:
        raise _raise(_faults(httpx2)[name])

    settings = LlmSettings(provider=OPENAI, model="x", endpoint="http://127.0.0.1:1")
    server = open_server(settings, None, transport=httpx2.MockTransport(break_down))
    with pytest.raises(FAULTS[name]):
        list(OpenAiModel(settings, server).generate_stream(REQUEST))


OLLAMA_ERRORS = {
    "RequestError": lambda: ollama.RequestError("x"),
    "ResponseError": lambda: ollama.ResponseError("x"),
}


def test_every_error_of_ollama_is_in_the_table() -> None:
    kinds = {
        name for name, kind in vars(ollama).items() if inspect.isclass(kind) and issubclass(kind, Exception)
    }
    assert kinds == OLLAMA_ERRORS.keys()


@walk("name", OLLAMA_ERRORS)
def test_error_of_ollama_is_one_of_kebabs_errors(name: str) -> None:
    def break_down(_: object) -> object:
        raise OLLAMA_ERRORS[name]()

    with pytest.raises(ModelUnreachableError):
        OllamaServer(LlmSettings(), api_key=None).call(break_down)
