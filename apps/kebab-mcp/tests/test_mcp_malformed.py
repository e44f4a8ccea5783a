"""Lines that are no message of the protocol: whoever sent one hears of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import RawServer

PARSE, INVALID = -32700, -32600
CALL = '{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"search","arguments":{{"query":"{query}"}}}}}}'


@walk(
    ("line", "request_id", "code"),
    [
        ("{no json", None, PARSE),
        ('{"jsonrpc":"2.0","id":3,"method":"pi', None, PARSE),
        ("[" * 100_000, None, PARSE),
        ("5", None, INVALID),
        ("[]", None, INVALID),
        ('{"jsonrpc":"2.0","id":3}', 3, INVALID),
        ('{"jsonrpc":"1.0","id":"drei","method":"ping"}', "drei", INVALID),
        ('{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', 3, INVALID),
        ('{"jsonrpc":"2.0","id":3,"method":5}', 3, INVALID),
        ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, INVALID),
        ('{"jsonrpc":"2.0","id":true,"method":"ping"}', None, INVALID),
        ('{"jsonrpc":"2.0","id":' + "9" * 5000 + ',"method":"ping"}', None, PARSE),
        ('{"jsonrpc":"2.0","id":{},"method":"ping"}', None, INVALID),
        ('{"jsonrpc":"2.0","id":[3],"method":"tools/list","params":{}}', None, INVALID),
        ('{"jsonrpc":"2.0","\\u0069d":false,"method":"ping"}', None, INVALID),
    ],
)
def test_a_line_that_is_no_message_is_answered(
    line: str, request_id: object, code: int, greeted: RawServer
) -> None:
    greeted.send_line(line)
    answer = greeted.read()
    assert (answer["id"], answer["error"]["code"]) == (request_id, code)
    assert answer["error"]["message"]
    assert greeted.ask("ping", request=9)["result"] == {}


def test_each_request_of_a_batch_is_refused_under_its_id(greeted: RawServer) -> None:
    pings = [{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in (3, 4)]
    greeted.send_line(json.dumps([*pings, {"jsonrpc": "2.0", "method": "notifications/initialized"}]))
    answers = [greeted.read(), greeted.read()]
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [(3, INVALID), (4, INVALID)]
    assert "line of its own" in answers[0]["error"]["message"]


@walk(
    "line",
    [
        "",
        "  ",
        '{"jsonrpc":"2.0","id":3,"result":5}',
        '{"jsonrpc":"2.0","id":3,"error":"no"}',
        '{"jsonrpc":"2.0","method":"notifications/progress","params":[1]}',
        '{"jsonrpc":"2.0","id":null,"method":"notifications/cancelled","params":{"requestId":{"id":3}}}',
    ],
)
def test_nothing_is_answered_where_no_answer_is_expected(line: str, greeted: RawServer) -> None:
    greeted.send_line(line)
    greeted.send("ping", request=9)
    assert greeted.read()["id"] == 9


@walk("half", [r"\ud83d", r"\uDE00", r"\ud83d색인"])
def test_a_request_with_half_a_character_is_carried_out(half: str, greeted: RawServer) -> None:
    greeted.send_line(CALL.format(query=f"색인 {half}"))
    answer = greeted.read()
    assert answer["id"] == 7
    assert json.loads(answer["result"]["content"][0]["text"])["hits"]
