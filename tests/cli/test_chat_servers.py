"""`kebab init` and model servers on this machine, and answers of chat models on the command line."""

from __future__ import annotations

import json

import pytest
from kebab_llm_local import ServerPlace

from tests.frame_server import (
    OLLAMA,
    FrameServer,
    Reply,
    chat_replies,
    json_reply,
    ollama_frames,
    serve_frames,
)

pytestmark = pytest.mark.enable_socket


@pytest.fixture
def fresh(kb, inside):
    """The command in a home without settings, run inside this process."""
    return inside(kb).kebab


@pytest.fixture
def ollama():
    with serve_frames(chat_replies(OLLAMA)) as server:
        yield server


@pytest.fixture
def place(ollama: FrameServer, monkeypatch: pytest.MonkeyPatch) -> None:
    places = (ServerPlace("Ollama", "ollama", ollama.address, "/api/tags", None),)
    monkeypatch.setattr("kebab_llm_local.chat_servers.PLACES", places)


@pytest.mark.usefixtures("place")
def test_init_without_a_terminal_hints_at_a_server_and_sets_nothing(fresh) -> None:
    done = fresh("init", "--root", str(fresh.home / "notes"), "--yes")
    assert "kebab config set models.llm.provider ollama" in done.stdout
    assert "kebab config set models.llm.model qwen3:4b" in done.stdout
    assert fresh("config", "get", "models.llm.provider").stdout.count('"extractive"  # default')


@pytest.mark.usefixtures("place")
def test_init_for_a_program_lists_the_servers_and_their_chat_models(fresh, ollama: FrameServer) -> None:
    entries = [{"name": "bge-m3:latest", "details": {"family": "bert"}}, {"name": "gemma3:1b"}]
    ollama.replies["/api/tags"] = json_reply({"models": entries})
    (server,) = fresh("init", "--json", "--root", str(fresh.home / "notes"), "--yes").last["chat_servers"]
    assert (server["server"], server["provider"], server["models"]) == ("Ollama", "ollama", ["gemma3:1b"])


@pytest.mark.usefixtures("place")
def test_init_over_a_configuration_that_was_there_looks_for_no_server(fresh, ollama: FrameServer) -> None:
    fresh("init")
    count = len(ollama.requests)
    assert fresh("init", "--json").last["chat_servers"] == []
    assert len(ollama.requests) == count


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize(
    "reply", [Reply([b"<html>"]), Reply([b"no"], status=500), Reply(ending="silent"), json_reply([1])]
)
def test_something_else_at_the_port_of_a_server_is_left_alone(
    fresh, ollama: FrameServer, reply: Reply
) -> None:
    ollama.replies["/api/tags"] = reply
    done = fresh("init", "--json")
    assert (done.code, done.last["chat_servers"]) == (0, [])


def test_model_of_a_server_writes_the_answer_and_a_server_that_breaks_off_is_an_error(
    quick, ollama: FrameServer
) -> None:
    use_ollama(quick, ollama)
    done = quick("ask", "색인은 언제 다시 만들어지나요?", "--json")
    assert done.last["model"]["id"] == "qwen3:4b"
    body = ollama.bodies("/api/chat")[0]
    assert body["messages"][0]["role"] == "system"
    assert "색인" in body["messages"][1]["content"]

    ollama.replies["/api/chat"] = Reply(ollama_frames()[:2], ending="cut")
    done = quick("ask", "색인은 언제 다시 만들어지나요?")
    assert (done.code, done.stderr.splitlines()[0]) == (
        2,
        f"error: Ollama at {ollama.address} stopped in the middle of a reply",
    )
    assert "llm_stream_aborted" in quick("answers", "list", "--json").stdout


PULLED = [
    {"status": "pulling manifest"},
    {
        "status": "pulling 3e4cb1417446",
        "digest": "sha256:3e4c",
        "total": 2_500_000_000,
        "completed": 1_000_000,
    },
    {"status": "success"},
]


def use_ollama(base, ollama: FrameServer) -> None:
    settings = f'[models.llm]\nprovider = "ollama"\nmodel = "qwen3:4b"\nendpoint = "{ollama.address}"\n'
    base.config.write_text(base.config.read_text("utf-8") + settings, "utf-8")


def test_models_of_the_server_are_listed_and_one_that_is_not_there_is_said(
    quick, ollama: FrameServer
) -> None:
    use_ollama(quick, ollama)
    shown = quick("models", "list").stdout
    assert "\nmodels for answers:\n* qwen3:4b  4.0B Q4_K_M · 2,500 MB\nmodels that check answers:\n" in shown
    ollama.replies["/api/tags"] = Reply([b"no"], status=500)
    listed = quick("models", "list", "--json")
    assert (listed.code, listed.last["chat_models"]) == (0, [])
    assert "HTTP 500" in listed.last["chat_problem"]
    assert listed.last["models"]


def test_ollama_pulls_a_model_and_reports_why_it_cannot(quick, ollama: FrameServer) -> None:
    use_ollama(quick, ollama)
    lines = [json.dumps(each).encode() + b"\n" for each in PULLED]
    ollama.replies["/api/pull"] = Reply(lines)
    done = quick("models", "pull", "qwen3:4b", "--json")
    (model,) = done.last["chat_models"]
    assert (done.code, model["name"], model["in_use"]) == (0, "qwen3:4b", True)
    assert ollama.bodies("/api/pull")[0]["model"] == "qwen3:4b"

    ollama.replies["/api/pull"] = Reply([
        lines[0],
        b'{"error": "pull model manifest: file does not exist"}\n',
    ])
    failed = quick("models", "pull", "qwen9", "--json").error
    assert (failed["code"], failed["message"]) == (
        "model_not_pulled",
        "Ollama's library has no model 'qwen9'",
    )
    ollama.replies["/api/pull"] = Reply(lines[:2], ending="cut")
    assert quick("models", "pull", "qwen3:4b", "--json").error["code"] == "model_unreachable"
    ollama.replies["/api/pull"] = Reply(lines[:2])
    assert quick("models", "pull", "qwen3:4b", "--json").error["code"] == "model_unreachable"
