"""A server on loopback that answers as it is told, part by part, as model servers stream; and their frames."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from select import select
from threading import Condition, Event, Thread
from typing import Any, Literal, cast

OLLAMA, OPENAI = "ollama", "openai"
TOKENS = ("색인은 ", "매일 ", "밤에 ", "만든다. ", "[#1]")
"""The text of a model that says the same to everybody."""


@dataclass(frozen=True)
class Reply:
    """One reply; every part is a chunk of its own on the wire."""

    parts: Sequence[bytes] = ()
    status: int = 200
    ending: Literal["whole", "cut", "silent", "endless"] = "whole"
    """After the parts: an orderly end, a closed connection, nothing at all, or the last part again and again."""


@dataclass(frozen=True)
class Request:
    """One request that arrived."""

    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass
class FrameServer:
    """A running server. `replies` may be changed while it runs; a path without one is a 404."""

    replies: dict[str, Reply | Callable[[Any], Reply]]
    requests: list[Request] = field(default_factory=list)
    hung_up: Event = field(default_factory=Event)
    """Set when a client has gone before the end."""
    stopped: Event = field(default_factory=Event)
    address: str = ""
    arrived: Condition = field(default_factory=Condition)

    def wait_for(self, count: int, *paths: str) -> None:
        """Wait until so many requests for some paths have arrived."""
        with self.arrived:
            assert self.arrived.wait_for(
                lambda: sum(each.path in paths for each in self.requests) >= count, timeout=60
            )

    def bodies(self, path: str) -> list[Any]:
        """JSON of the requests for a path, in order."""
        return [each.body for each in self.requests if each.path == path]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def state(self) -> FrameServer:
        return cast("_Server", self.server).state

    def log_message(self, *_: object) -> None:
        """Write no log."""

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def _answer(self, body: Any) -> None:
        with self.state.arrived:
            self.state.requests.append(Request(self.path, dict(self.headers), body))
            self.state.arrived.notify_all()
        found = self.state.replies.get(self.path, Reply([b"page not found"], status=404))
        reply = found if isinstance(found, Reply) else found(body)
        self.close_connection = True
        self.send_response(reply.status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for part in reply.parts:
                self._chunk(part)
            if reply.ending == "endless":
                self._repeat(reply.parts[-1])
        except OSError:
            self.state.hung_up.set()
            return
        if reply.ending == "silent":
            if not self.rfile.read(1):  # until the client closes
                self.state.hung_up.set()
        elif reply.ending == "whole":
            self._chunk(b"")

    def _chunk(self, part: bytes) -> None:
        self.wfile.write(_frame(part))
        self.wfile.flush()

    def _repeat(self, part: bytes) -> None:
        """Send a part until the client goes, which is read: a write may wait for minutes where the client reads no more."""
        self.connection.setblocking(False)
        rest = b""
        while not self.state.stopped.is_set():
            readable, writable, _ = select([self.connection], [self.connection], [], 0.05)
            if readable and not self.connection.recv(1):
                raise ConnectionResetError
            if writable:
                rest = rest or _frame(part)
                rest = rest[self.connection.send(rest) :]


def _frame(part: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(part), part)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    state: FrameServer


@contextmanager
def serve_frames(replies: Mapping[str, Reply | Callable[[Any], Reply]]) -> Iterator[FrameServer]:
    """Run a server on a free port of this machine.

    Args:
        replies: By path: a reply, or what makes one of the JSON of the request.

    Yields:
        The server; it ends with the context.
    """
    with _Server(("127.0.0.1", 0), _Handler) as server:
        server.state = FrameServer(dict(replies), address=f"http://127.0.0.1:{server.server_port}")
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield server.state
        finally:
            server.state.stopped.set()
            server.shutdown()


def ollama_frames(
    tokens: Sequence[str] = TOKENS, *, reason: str = "stop", prompt_tokens: int = 26
) -> list[bytes]:
    """Lines of JSON as Ollama's `/api/chat` sends them."""
    head = {"model": "qwen3:4b", "created_at": "2026-11-23T09:00:00.123456789Z"}
    frames = [{**head, "message": {"role": "assistant", "content": each}, "done": False} for each in tokens]
    last = {
        **head,
        "message": {"role": "assistant", "content": ""},
        "done": True,
        "done_reason": reason,
        "total_duration": 4883583458,
        "load_duration": 1334875,
        "prompt_eval_count": prompt_tokens,
        "prompt_eval_duration": 342546000,
        "eval_count": len(tokens),
        "eval_duration": 4535599000,
    }
    return [json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in (*frames, last)]


def openai_frames(tokens: Sequence[str] = TOKENS, *, reason: str = "stop") -> list[bytes]:
    """Events as a llama.cpp server's `/v1/chat/completions` sends them."""
    head = {"created": 1795460059, "id": "chatcmpl-4D3x", "model": "qwen3", "object": "chat.completion.chunk"}

    def chunk(delta: Mapping[str, object], ended_by: str | None = None) -> Mapping[str, object]:
        return {"choices": [{"finish_reason": ended_by, "index": 0, "delta": delta}], **head}

    usage = {"completion_tokens": len(tokens), "prompt_tokens": 26, "total_tokens": 26 + len(tokens)}
    frames = [
        chunk({"role": "assistant", "content": None}),
        *(chunk({"content": each}) for each in tokens),
        chunk({}, reason),
        {"choices": [], **head, "usage": usage},
    ]
    events = [json.dumps(each, ensure_ascii=False).encode() for each in frames]
    return [b"data: " + each + b"\n\n" for each in (*events, b"[DONE]")]


def chat_replies(
    dialect: str, tokens: Sequence[str] = TOKENS, *, model: str = "qwen3:4b", window: int = 32_768
) -> dict[str, Reply | Callable[[Any], Reply]]:
    """Replies of a server that has one chat model, which says the same to everybody, at most `max_tokens` of it.

    Args:
        dialect: `OLLAMA` or `OPENAI`.
        tokens: The text of the model.
        model: Its name.
        window: Tokens that it reads.
    """
    details = {"format": "gguf", "family": "qwen3", "parameter_size": "4.0B", "quantization_level": "Q4_K_M"}

    def cut(limit: int) -> tuple[Sequence[str], str]:
        return (tokens, "stop") if limit >= len(tokens) else (tokens[:limit], "length")

    def ollama_chat(body: Any) -> Reply:
        said, reason = cut(body["options"]["num_predict"])
        return Reply(ollama_frames(said, reason=reason))

    def openai_chat(body: Any) -> Reply:
        said, reason = cut(body["max_tokens"])
        return Reply(openai_frames(said, reason=reason))

    def show(body: Any) -> Reply:
        if body["model"] != model:
            return json_reply({"error": f"model '{body['model']}' not found"}, status=404)
        info = {"general.architecture": "qwen3", "qwen3.context_length": window}
        return json_reply({"details": details, "model_info": info, "capabilities": ["completion"]})

    if dialect == OLLAMA:
        entry = {
            "name": model,
            "model": model,
            "size": 2_500_000_000,
            "digest": "ab" * 32,
            "details": details,
        }
        return {"/api/chat": ollama_chat, "/api/show": show, "/api/tags": json_reply({"models": [entry]})}
    entries = [{"id": model, "object": "model", "owned_by": "vllm", "max_model_len": window}]
    return {
        "/v1/chat/completions": openai_chat,
        "/v1/models": json_reply({"object": "list", "data": entries}),
    }


def json_reply(value: object, *, status: int = 200) -> Reply:
    """Return a reply of JSON in one part."""
    return Reply([json.dumps(value, ensure_ascii=False).encode()], status=status)
