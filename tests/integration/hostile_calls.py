"""Calls that no well-meaning agent makes: random arguments of every tool, and a ping that is answered meanwhile."""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kebab_config import read_environment

from tests.command_server import MCP, ForkedProcess, find_command_server

_CALL_S = 120.0
"""How long a call may take."""
_BLOCK = 1 << 16
_CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "kebab-tests", "version": "1"},
}
TOOLS: dict[str, tuple[str, ...]] = {
    "search": ("query", "mode", "k", "snippet_chars", "max_tokens", "cursor"),
    "bulk_search": ("queries",),
    "ask": ("question", "k", "mode"),
    "fetch": ("kind", "chunk_id", "doc_id", "line_start", "line_end", "context", "max_tokens"),
    "list": ("by", "name", "limit"),
    "related": ("address", "limit"),
    "why": ("path", "query"),
    "schema": (),
    "doctor": (),
    "ingest_file": ("path",),
    "write_note": ("content", "title", "source_uri"),
    "forget_note": ("address",),
}
NEEDED = {
    "search": "query",
    "ask": "question",
    "fetch": "kind",
    "related": "address",
    "why": "path",
    "write_note": "content",
    "forget_note": "address",
    "ingest_file": "path",
}
FILTERS = (
    "tag",
    "lang",
    "path_glob",
    "media",
    "source",
    "source_type",
    "trust_min",
    "ingested_after",
    "since",
    "until",
    "modified_since",
)
FILTERS += ("doc_id", "repo", "code_lang", "symbol")
PIECES = (
    "a",
    "**/",
    "**",
    "*a",
    "?",
    "[a-z]",
    "[!",
    "(a+)+",
    "(.*)*$",
    "\\",
    "색인",
    "가",
    "../",
    "~",
    "/",
    " ",
)
PIECES += (
    "\0",
    "\x1b[2J",
    "\ud83d",
    "\udc00",
    "\u202e",
    "e\u0301",
    '"',
    "'",
    "[#1]",
    "`",
    "```\n",
    "|",
    "---\n",
)
PIECES += (
    "raw:",
    "NEAR(",
    " AND ",
    "-",
    "=",
    "://",
    "1.",
    "\n",
    "\t",
    "<b",
    "<!--",
    "![](",
    "[[",
    "{{",
    "$",
    ":",
)
WORDS = ("색인", "deploy", "hybrid", "markdown", "doc", "span", "chunk", "ko", "2026-11-21", "0" * 32)


@dataclass
class Server:
    """A server as a process, spoken to in lines that it may not be able to read.

    Args:
        config: Of the knowledge base.
        ping_s: How long a ping may take.
    """

    config: Path
    ping_s: float
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        environ = read_environment()
        server = find_command_server(environ)
        self.process = ForkedProcess(
            server.address, ["--config", str(self.config)], environ=environ, cwd=Path.cwd(), module=MCP
        )
        self._input, self._output = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._rest = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self._asked = 0

    def post(self, method: str, params: dict[str, Any]) -> int:
        """Write a request, and return its id."""
        self._asked += 1
        self.write({"id": self._asked, "method": method, "params": params})
        return self._asked

    def write(self, message: dict[str, Any]) -> None:
        """Write a message; raises TimeoutError where the server does not read."""
        content = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        deadline = time.monotonic() + _CALL_S
        while content:
            self._look(deadline, writes=True)
            try:
                content = content[os.write(self._input, content[: select.PIPE_BUF]) :]
            except BlockingIOError:
                continue

    def answer(self, request: int, *, within_s: float) -> dict[str, Any]:
        """Return the answer to a request; raises TimeoutError where it does not come."""
        deadline = time.monotonic() + within_s
        while request not in self._answers:
            self._look(deadline, writes=False)
        return self._answers.pop(request)

    def _look(self, deadline: float, *, writes: bool) -> None:
        """Take in what the server says, until there is something or it can be written to."""
        left = deadline - time.monotonic()
        readable, writable, _ = select.select(
            [self._output], [self._input] if writes else [], [], max(0.0, left)
        )
        if readable:
            block = os.read(self._output, _BLOCK)
            if not block:
                raise EOFError("the server has ended")
            *lines, self._rest = (self._rest + block).split(b"\n")
            for answer in map(json.loads, lines):
                if isinstance(answer.get("id"), int) and "method" not in answer:
                    self._answers[answer["id"]] = answer
        elif not writable:
            raise TimeoutError("no answer")

    def greet(self) -> None:
        """Open the connection."""
        self.answer(self.post("initialize", _CLIENT), within_s=_CALL_S)
        self.write({"method": "notifications/initialized"})
        self.answer(self.post("tools/list", {}), within_s=_CALL_S)

    def call(self, tool: str, arguments: dict[str, Any], *, cancels: bool) -> str | None:
        """Make a call and ping meanwhile; return what was wrong, if anything."""
        request = self.post("tools/call", {"name": tool, "arguments": arguments})
        ping = self.post("ping", {})
        try:
            self.answer(ping, within_s=self.ping_s)
        except TimeoutError:
            return "a ping was not answered meanwhile"
        if cancels:
            self.write({"method": "notifications/cancelled", "params": {"requestId": request}})
            return None
        try:
            answer = self.answer(request, within_s=_CALL_S)
        except TimeoutError:
            return "it was not answered"
        (block,) = answer.get("result", {}).get("content") or [{"text": "{}"}]
        if json.loads(block["text"]).get("code") == "internal":
            return f"it was an internal error: {block['text'][:300]}"
        return None

    def end(self) -> str | None:
        """Ask the server to end in the middle of a call; return what was wrong, if anything."""
        try:
            self.post("tools/call", {"name": "search", "arguments": {"query": "색인 " * 5000, "k": 1000}})
            self.process.terminate()
            self.process.wait(_CALL_S)
        except (TimeoutError, subprocess.TimeoutExpired):
            return "it did not end on a signal"
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
        return None


def hostile_calls(seed: int, *, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield tools with arguments, without end; the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311
    while True:
        tool = chance.choice(list(TOOLS))
        yield tool, _arguments(chance, tool, folder)


def _arguments(chance: random.Random, tool: str, folder: Path) -> dict[str, Any]:
    names = list(TOOLS[tool]) + (list(FILTERS) if tool in {"search", "ask"} else [])
    chosen = {name for name in names if chance.random() < 0.2} | ({NEEDED[tool]} if tool in NEEDED else set())
    arguments = {name: _value(chance, name, folder) for name in sorted(chosen)}
    if tool == "write_note":
        arguments.setdefault("title", "제목")
    if tool == "bulk_search":
        count = chance.choice([0, 1, 3, 30, 101])
        arguments["queries"] = [_arguments(chance, "search", folder) for _ in range(count)]
    return arguments


def _value(chance: random.Random, name: str, folder: Path) -> Any:
    if name in {"query", "question", "content", "title"} and chance.random() < 0.5:
        return " ".join(chance.choices(WORDS, k=chance.randint(1, 8)))
    if name == "path_glob" and chance.random() < 0.8:
        return [_text(chance, longest=3000) for _ in range(chance.choice([1, 1, 3, 40]))]
    if name == "kind" and chance.random() < 0.8:
        return chance.choice(["chunk", "doc", "span"])
    if name == "path":
        return _path(chance, folder)
    return chance.choice([
        lambda: _text(chance, longest=2000),
        lambda: _text(chance, longest=300_000),
        lambda: chance.choice(WORDS),
        lambda: chance.choice([0, -1, 1, 7, 10**9, 10**30, 1.5, True, None]),
        lambda: [chance.choice(WORDS) for _ in range(chance.choice([1, 5, 2000]))],
        lambda: _nested(chance.choice([3, 90])),
        lambda: {"a": _text(chance, longest=100)},
    ])()


def _text(chance: random.Random, *, longest: int) -> str:
    pieces = chance.choices(PIECES, k=chance.randint(1, 4))
    times = chance.randint(1, max(1, longest // sum(map(len, pieces))))
    return "".join(pieces) * times + chance.choice(["", "x", "!", "\n"])


def _path(chance: random.Random, folder: Path) -> str:
    inside = chance.choice([
        "notes",
        ".",
        "notes/..",
        "notes/link",
        "notes/pipe.md",
        "data",
        _text(chance, longest=600),
    ])
    name = chance.choice(["a.md", "passwd", "../../../../etc/passwd", "sym.md", _text(chance, longest=300)])
    return chance.choice([
        f"{folder}/{inside}/{name}",
        f"~/{name}",
        f"/etc/{name}",
        "/dev/zero",
        "/proc/self/mem",
        name,
    ])


def _nested(depth: int) -> Any:
    return [_nested(depth - 1)] if depth else []


def make_traps(notes: Path) -> None:
    """Put links and a pipe among the notes."""
    (notes / "sym.md").symlink_to("/etc/passwd")
    (notes / "link").symlink_to("/etc")
    (notes / "round").symlink_to(notes)
    os.mkfifo(notes / "pipe.md")


def find_failures(config: Path, *, calls: int, seed: int, ping_s: float) -> Iterator[str]:
    """Yield what went wrong in so many calls to a server, each with the call.

    Args:
        config: Of a knowledge base that may be written to.
        calls: How many.
        seed: Which.
        ping_s: How long a ping may take while a call is under way.
    """
    server, number, shown = Server(config, ping_s), 0, "the greeting"
    try:
        server.greet()
        made = hostile_calls(seed, folder=config.parent)
        for number in range(1, calls + 1):
            tool, arguments = next(made)
            shown = f"call {number}: {tool} {json.dumps(arguments)[:400]}"
            failure = server.call(tool, arguments, cancels=number % 20 == 0)
            if failure is not None:
                yield f"{shown}: {failure}"
    except (TimeoutError, EOFError, OSError) as error:
        yield f"{shown}: {error!r}"
    finally:
        failure = server.end()
    if failure is not None:
        yield f"after call {number}: {failure}"
