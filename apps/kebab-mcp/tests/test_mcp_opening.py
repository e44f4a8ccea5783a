"""The first requests of a client are answered before the SDK is loaded, with the answers of the SDK."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from kebab_mcp.opening import HANDSHAKES, WITHOUT_HANDSHAKE, Opening
from kebab_mcp.process_io import Output
from kebab_mcp.tool import READERS, WRITERS
from kebab_testing.tables import walk
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conftest import Base, RawServer

    Start = Callable[[Any], RawServer]
    Message = dict[str, Any]

CLIENT = {"name": "케밥", "version": "1"}
CAPABILITIES = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}}}
META = "io.modelcontextprotocol/"
ENVELOPE = {
    f"{META}protocolVersion": WITHOUT_HANDSHAKE,
    f"{META}clientInfo": CLIENT,
    f"{META}clientCapabilities": CAPABILITIES,
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NO_MESSAGE = "{no json"


def request(method: str, params: Message | None = None, *, number: int | str = 1) -> Message:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


def greeting(version: str = HANDSHAKES[-1], **params: object) -> Message:
    hello = {"protocolVersion": version, "capabilities": CAPABILITIES, "clientInfo": CLIENT}
    return request("initialize", {**hello, **params}, number="가")


LEGACY = {
    version: [greeting(version), INITIALIZED, request("tools/list", number=2)] for version in HANDSHAKES
}
ENVELOPED = [
    request("server/discover", {"_meta": ENVELOPE}),
    request("tools/list", {"_meta": ENVELOPE}, number=2),
]


def open_connection(messages: Sequence[Message | str]) -> tuple[Opening, list[Message], bool]:
    """Return the opening, its answers, and whether the SDK is to go on."""
    lines = [each if isinstance(each, str) else json.dumps(each) for each in messages]
    opening = Opening(io.StringIO("".join(f"{line}\n" for line in lines)), list)
    reading, writing = os.pipe()
    goes_on = opening.answer(Output(writing))
    os.close(writing)
    with os.fdopen(reading) as answers:
        return opening, [json.loads(line) for line in answers], goes_on


def test_the_versions_are_those_of_the_sdk() -> None:
    assert set(HANDSHAKES) == set(HANDSHAKE_PROTOCOL_VERSIONS)
    assert list(MODERN_PROTOCOL_VERSIONS) == [WITHOUT_HANDSHAKE]


@pytest.mark.thorough
@pytest.mark.parametrize("messages", [*LEGACY.values(), ENVELOPED, ENVELOPED[1:]])
@pytest.mark.parametrize("flags", [(), ("--readonly",)])
def test_the_sdk_would_give_the_same_answers(
    messages: list[Message], flags: tuple[str, ...], base: Base, serve_raw: Start
) -> None:
    answers = []
    for first in ([], [NO_MESSAGE]):  # at which the opening ends
        server = serve_raw(base.parameters(*flags))
        for line in [*first, *map(json.dumps, messages)]:
            server.send_line(line)
        server.read() if first else None
        answers.append([server.answer(each["id"])["result"] for each in messages if "id" in each])
        assert server.end_input() == 0
    assert answers[0] == answers[1]
    assert len(answers[0][-1]["tools"]) == len(READERS + (() if flags else WRITERS))


@walk("messages", [LEGACY[HANDSHAKES[0]], ENVELOPED])
def test_all_of_a_usual_opening_is_answered_and_given_to_the_sdk(messages: list[Message]) -> None:
    opening, answers, goes_on = open_connection([*messages, request("ping", number=9)])
    assert [answer["id"] for answer in answers] == [each["id"] for each in messages if "id" in each]
    assert [json.loads(line)["method"] for line in opening.read] == [each["method"] for each in messages]
    assert goes_on
    assert json.loads(opening.lines.readline())["id"] == 9


LIST = request("tools/list")
UNUSUAL: list[list[Message | str]] = [
    [NO_MESSAGE],
    ["[]"],
    ["7"],
    ["[" * 100_000],
    [LIST],
    [request("ping")],
    [INITIALIZED],
    [greeting("2099-01-01")],
    [greeting(capabilities={"sampling": True})],
    [greeting(capabilities={"roots": {"listChanged": 1}})],
    [greeting(clientInfo={"name": "t"})],
    [greeting(more=1)],
    [{**greeting(), "jsonrpc": "1.0"}],
    [{**greeting(), "id": True}],
    [{**greeting(), "id": 1.5}],
    [{**greeting(), "more": 1}],
    [request("tools/list", {"_meta": {**ENVELOPE, f"{META}protocolVersion": HANDSHAKES[0]}})],
    [request("tools/list", {"_meta": ENVELOPE, "cursor": "x"})],
    [request("initialize", {"_meta": ENVELOPE})],
]


@walk("messages", UNUSUAL)
def test_anything_else_is_left_to_the_sdk(messages: list[Message | str]) -> None:
    opening, answers, goes_on = open_connection([*messages, *LEGACY[HANDSHAKES[0]]])
    assert not answers
    assert goes_on
    said = messages[0] if isinstance(messages[0], str) else json.dumps(messages[0])
    assert opening.read == [f"{said}\n"]


@walk(
    "messages",
    [
        [greeting(), LIST],
        [greeting(), greeting()],
        [greeting(), INITIALIZED, request("tools/list", {"cursor": "x"})],
        [greeting(), INITIALIZED, request("tools/list", {"_meta": ENVELOPE})],
        [request("server/discover", {"_meta": ENVELOPE}), greeting()],
    ],
)
def test_what_is_unusual_after_a_greeting_is_left_to_the_sdk(messages: list[Message]) -> None:
    _, answers, goes_on = open_connection(messages)
    assert [answer["id"] for answer in answers] == [messages[0]["id"]]
    assert goes_on


def test_a_call_may_have_the_id_of_a_request_that_was_answered(base: Base, serve_raw: Start) -> None:
    server = serve_raw(base.parameters())
    server.greet()
    server.ask("tools/list", request=1)
    for _ in range(2):
        assert server.ask("ping", request=1)["result"] == {}


def test_a_client_that_leaves_without_a_call_costs_no_sdk(base: Base) -> None:
    messages = [json.dumps(each) for each in LEGACY[HANDSHAKES[0]][:2]]
    code = (
        "import sys\nfrom kebab_mcp import Options, serve\nserve(Options())\n"
        "print(sorted({'mcp', 'mcp_types', 'anyio'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="".join(f"{line}\n" for line in messages).encode(),
        env=base.parameters().env,
        cwd=base.folder,
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["result"]["protocolVersion"] == HANDSHAKES[0]
    assert done.stderr.decode().strip() == "[]"
