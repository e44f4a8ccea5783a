"""Hostile requests to the server on a port: none is answered with success, none ends it, and the owner is still served.

python -m bench.http_calls KEBAB_TOML [--count 1000] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from bench.process_tree import rss_mb

GREETING = json.dumps({
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "b", "version": "1"},
    },
}).encode()
PATIENCE_S = 60
LARGE = 100 << 20
OPEN_AT_ONCE = 40
"""Connections that are begun and left, below the limit of the server."""


class Attacker:
    """Makes requests that the owner of the knowledge base would not send.

    Args:
        port: Of the server.
        token: The right one, for attacks that have it.
        chance: Source of random values.
    """

    def __init__(self, port: int, token: str, chance: random.Random) -> None:
        self._port, self._token, self._chance = port, token, chance
        self._left: list[socket.socket] = []
        self.attacks: tuple[Callable[[], bytes], ...] = (
            self._no_token,
            self._wrong_token,
            self._wrong_origin,
            self._wrong_host,
            self._large_body,
            self._path_traversal,
            self._half_request,
            self._garbage,
            self._large_header,
            self._unknown_session,
        )

    def send(self, content: bytes) -> bytes:
        """Send bytes, end the sending side, and return the status line, empty where there is none."""
        with socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE_S) as connection:
            with suppress(OSError):
                connection.sendall(content)
            answer = b""
            with suppress(ConnectionResetError):
                while b"\r\n" not in answer and (block := connection.recv(1 << 16)):
                    answer += block
            return answer.partition(b"\r\n")[0]

    def request(
        self, path: str = "/mcp", *, token: str | None = None, body: bytes = GREETING, **headers: str
    ) -> bytes:
        """Build a request; a header replaces the one that the owner would send."""
        lines = {
            "Host": f"127.0.0.1:{self._port}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": str(len(body)),
            "Connection": "close",
            **({"Authorization": f"Bearer {token}"} if token is not None else {}),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body

    def _no_token(self) -> bytes:
        return self.send(self.request())

    def _wrong_token(self) -> bytes:
        letters = list(self._token)
        letters[self._chance.randrange(len(letters))] = "!"
        return self.send(self.request(token="".join(letters[: self._chance.randint(1, len(letters))])))

    def _wrong_origin(self) -> bytes:
        origins = ("https://evil.example", "null", "http://127.0.0.1.evil.example", "file://")
        return self.send(self.request(token=self._token, Origin=self._chance.choice(origins)))

    def _wrong_host(self) -> bytes:
        hosts = ("evil.example", "127.0.0.1:1", f"rebound.example:{self._port}", "")
        return self.send(self.request(token=self._token, Host=self._chance.choice(hosts)))

    def _large_body(self) -> bytes:
        """Declare 100 MB, and send them in one case of ten."""
        is_sent = not self._chance.randrange(10)
        body = b" " * LARGE if is_sent else GREETING
        return self.send(self.request(token=self._token, body=body, Content_Length=str(LARGE)))

    def _path_traversal(self) -> bytes:
        paths = (
            "/../mcp-token",
            "/mcp/../../etc/passwd",
            "/..%2f..%2fetc%2fpasswd",
            "/mcp%00",
            "//mcp",
            "/mcp/",
        )
        return self.send(self.request(self._chance.choice(paths), token=self._token))

    def _half_request(self) -> bytes:
        """Begin a request and leave the connection open."""
        whole = self.request(token=self._token)
        connection = socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE_S)
        connection.sendall(whole[: self._chance.randrange(len(whole) - len(GREETING))])
        self._left.append(connection)
        if len(self._left) > OPEN_AT_ONCE:
            self._left.pop(0).close()
        return b"left open"

    def _garbage(self) -> bytes:
        return self.send(self._chance.randbytes(self._chance.randint(1, 4000)) + b"\r\n\r\n")

    def _large_header(self) -> bytes:
        return self.send(self.request(token=self._token, X_Filler="x" * (1 << 20)))

    def _unknown_session(self) -> bytes:
        session = {"Mcp_Session_Id": f"{self._chance.getrandbits(128):032x}"}
        return self.send(self.request(token=self._token, **session))

    def close(self) -> None:
        """Close the connections that were left open."""
        for connection in self._left:
            connection.close()


def main() -> None:
    """Print the answers by attack; ends with 1 where one succeeded or the server did not survive."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    command = [sys.executable, "-P", "-m", "kebab_mcp", "--config", str(given.config), "--http", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            words = server.stderr.readline().split() if server.stderr else []
            token = Path(words[6].rstrip(";")).read_text(encoding="ascii").strip()
            attacker = Attacker(urlsplit(words[1]).port or 0, token, random.Random(given.seed))  # noqa: S311
            owner = attacker.request(token=token)
            attacker.send(owner)
            before, answers = rss_mb(server.pid), Counter[tuple[str, str]]()
            for number in range(given.count):
                attack = attacker.attacks[number % len(attacker.attacks)]
                answers[attack.__name__.strip("_"), attack().decode("latin-1")] += 1
            attacker.close()
            served = attacker.send(owner)
            after, alive = rss_mb(server.pid), server.poll() is None
        finally:
            server.kill()
    for (name, answer), count in sorted(answers.items()):
        print(f"{name:16} {count:5}  {answer or 'closed'}")
    succeeded = sum(count for (_, answer), count in answers.items() if " 2" in answer)
    print(
        f"{given.count} requests, {succeeded} succeeded; memory {before:.0f} MB before, {after:.0f} MB after"
    )
    print(f"the owner's request after them: {served.decode()}")
    sys.exit(1 if succeeded or not alive or not served.endswith(b"200 OK") else 0)


if __name__ == "__main__":
    main()
