"""Lines that are no message of the protocol: mended where it is plain what is meant, else answered with what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

if TYPE_CHECKING:
    from mcp.types import RequestId

_HALF = re.compile("[\ud800-\udfff]")
_HALF_ESCAPED = re.compile(r"\\u[dD][89a-fA-F]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def mend(line: str) -> SessionMessage | None:
    """Return the message of a line with half a character in it, such as the first half of an emoji that was cut.

    The half becomes the sign for what cannot be shown.
    """
    if not _HALF_ESCAPED.search(line):
        return None
    try:
        whole = json.dumps(json.loads(line), ensure_ascii=False)
        return SessionMessage(
            jsonrpc_message_adapter.validate_json(_HALF.sub(_REPLACEMENT, whole), by_name=False)
        )
    except (ValueError, RecursionError):
        return None


def has_unusable_id(line: str) -> bool:
    """Return whether a request has an id of a kind that the protocol does not know; the SDK takes it for a notification.

    One that is null is as if it were not there: some clients write it so.
    """
    if '"id"' not in line and "\\u" not in line:
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # such as a number of thousands of digits
        return True
    return isinstance(value, dict) and value.get("id") is not None


def refuse(line: str) -> Iterator[JSONRPCError]:
    """Yield what to answer: an error for each request that can be told apart, and none where no answer is expected.

    Args:
        line: What is no message.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        if line.strip():
            yield _refusal(None, PARSE_ERROR, "the line is not JSON")
        return
    if isinstance(value, list):
        said = "batches are not taken: send each request on a line of its own"
        ids = [
            each["id"]
            for each in value
            if isinstance(each, dict) and "method" in each and _is_id(each.get("id"))
        ]
        for request in ids or [None]:
            yield _refusal(request, INVALID_REQUEST, said)
    elif not isinstance(value, dict) or _expects_answer(value):
        request = value.get("id") if isinstance(value, dict) else None
        said = (
            "the line is no request: it needs jsonrpc, an id that is text or a whole number, method and, where there "
            "are any, params as an object"
        )
        yield _refusal(request if _is_id(request) else None, INVALID_REQUEST, said)


def _expects_answer(value: dict[str, Any]) -> bool:
    return "id" in value and ("method" in value or not {"result", "error"} & value.keys())


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _refusal(request: RequestId | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=message))
