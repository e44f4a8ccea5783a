"""The opening of a connection: the first requests of a client, up to the list of tools, answered before the SDK is loaded.

The SDK takes a second to import. Requests are answered here in the forms that all clients use; any other line ends the
opening, and so does the list of tools. The SDK then reads every line of the opening again, and its equal answers are
dropped, so that it alone holds the state of the connection.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from mcp.types import JSONRPCMessage

    from kebab_mcp.process_io import Output

NAME = "kebab"
INSTRUCTIONS = (
    "kebab searches the user's own documents on this machine, in Korean and English. Look here before answering "
    "from memory about their notes, projects or decisions. `search` finds passages to read and compare; `ask` "
    "answers one question or refuses; `fetch` reads an address. Cite the address. An empty or incomplete "
    "result says why: do not guess."
)
"""Text that a client gives its model once."""
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions of the protocol that begin with `initialize`."""
WITHOUT_HANDSHAKE = "2026-07-28"
"""Version of the protocol whose requests each carry an envelope."""
_META = "io.modelcontextprotocol/"
_ENVELOPE = {f"{_META}{name}" for name in ("protocolVersion", "clientInfo", "clientCapabilities")}
_ANSWERED = "answered in the opening: "
"""Start of the ids under which the SDK reads requests that are answered."""


def find_version() -> str:
    """Return the version of the server."""
    return version("kebab-mcp")


class Opening:
    """The input from its first line on, and the answers to the first requests.

    Args:
        lines: The input.
        list_tools: Lists the definitions of the tools.
    """

    def __init__(self, lines: TextIO, list_tools: Callable[[], list[dict[str, Any]]]) -> None:
        self.lines = lines
        """The input after the opening."""
        self.read: list[str] = []
        """Lines of the opening as the SDK is to read them."""
        self._list_tools = list_tools
        self._method = ""
        """Method of the last request or notification; empty before the first."""

    def answer(self, output: Output) -> bool:
        """Answer requests until the opening ends.

        Returns:
            False if the input has ended and nothing is left to be answered.

        Raises:
            OSError: Nobody reads any more.
        """
        for line in iter(self.lines.readline, ""):
            message = _parse(line)
            if message is None or not self._is_next(message):
                self.read.append(line)
                return True
            self._method = message["method"]
            if "id" in message:
                answer = {"jsonrpc": "2.0", "id": message["id"], "result": self._result(message)}
                output.write_all(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
                message = {**message, "id": f"{_ANSWERED}{len(self.read)}"}
            self.read.append(json.dumps(message))
            if self._method == "tools/list":
                return True
        return False

    def has_answered(self, message: JSONRPCMessage) -> bool:
        """Return True if a message of the SDK answers a request that the opening has answered."""
        return str(getattr(message, "id", "")).startswith(_ANSWERED)

    def _is_next(self, message: dict[str, Any]) -> bool:
        """Return True if the opening answers a message, which follows the last one as the protocol has it."""
        params = message.get("params", {})
        match self._method, message["method"], "id" in message:
            case "", "initialize", True:
                return _is_greeting(params)
            case "initialize", "notifications/initialized", False:
                return not params
            case "notifications/initialized", "tools/list", True:
                return not params
            case (("" | "server/discover"), ("server/discover" | "tools/list"), True):
                return _is_envelope(params)
        return False

    def _result(self, message: dict[str, Any]) -> dict[str, Any]:
        server = {"name": NAME, "version": find_version()}
        identity = {"capabilities": {"tools": {"listChanged": False}}, "instructions": INSTRUCTIONS}
        result = {"tools": self._list_tools()} if message["method"] == "tools/list" else identity
        params = message.get("params", {})
        if message["method"] == "initialize":
            return {**result, "protocolVersion": params["protocolVersion"], "serverInfo": server}
        if not params:
            return result
        versions = {} if "tools" in result else {"supportedVersions": [WITHOUT_HANDSHAKE]}
        meta = {"_meta": {f"{_META}serverInfo": server}}
        return {**result, **versions, "cacheScope": "private", "resultType": "complete", "ttlMs": 0, **meta}


def _parse(line: str) -> dict[str, Any] | None:
    """Parse a request or notification; None where the line is anything else, or unusual."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.keys() - {"id", "params"} != {"jsonrpc", "method"}:
        return None
    is_usual = value["jsonrpc"] == "2.0" and isinstance(value.get("params", {}), dict)
    return value if is_usual and type(value.get("id", 0)) in (int, str) else None


def _is_greeting(params: dict[str, Any]) -> bool:
    match params:
        case {"protocolVersion": str(version), "capabilities": capabilities, "clientInfo": client, **others}:
            return not others and version in HANDSHAKES and _is_client(client, capabilities)
    return False


def _is_envelope(params: dict[str, Any]) -> bool:
    match params:
        case {"_meta": dict(meta), **others} if not others and meta.keys() == _ENVELOPE:
            client, capabilities = meta[f"{_META}clientInfo"], meta[f"{_META}clientCapabilities"]
            is_spoken = meta[f"{_META}protocolVersion"] == WITHOUT_HANDSHAKE
            return is_spoken and _is_client(client, capabilities)
    return False


def _is_client(client: object, capabilities: object) -> bool:
    """Return True if a client has a name and a version, and capabilities are objects of objects and truth values."""
    match client:
        case {"name": str(), "version": str()}:
            return isinstance(capabilities, dict) and all(map(_is_capability, capabilities.values()))
    return False


def _is_capability(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(each, bool) or _is_capability(each) for each in value.values()
    )
