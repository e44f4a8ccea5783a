"""A server for agents as a process, and a client that speaks to it in bare lines."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from kebab_config import read_environment

from tests.command_server import MCP, ForkedProcess, find_command_server

PATIENCE_S = 120
_BLOCK = 1 << 16
_CLIENT = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "kebab-tests", "version": "1"},
}


class ToolFailedError(Exception):
    """A tool returned an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = str(error.get("code"))
        self.hint = error.get("hint")


def server_command(config: Path, *flags: str, module: str = MCP) -> list[str]:
    """Return the command that serves a knowledge base."""
    return [sys.executable, "-P", "-m", module, "--config", str(config), *flags]


class Served:
    """One server, and one call to it at a time.

    Args:
        config: Of the knowledge base.
        flags: Of the server.
        env: On top of this process's environment.
        module: What is run.
        forks: False for a process that Python starts anew.
    """

    def __init__(
        self,
        config: Path,
        *flags: str,
        env: Mapping[str, str] | None = None,
        module: str = MCP,
        forks: bool = True,
    ) -> None:
        environ = {**read_environment(), **(env or {})}
        self.process: subprocess.Popen[bytes] | ForkedProcess
        if forks and module == MCP:
            server, arguments = find_command_server(environ), ["--config", str(config), *flags]
            self.process = ForkedProcess(
                server.address, arguments, environ=environ, cwd=Path.cwd(), module=MCP
            )
        else:
            self.process = subprocess.Popen(
                server_command(config, *flags, module=module),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environ,
                bufsize=0,
            )
        self._lines = Lines(self.process.stdout)
        self._asked = 0

    def start(self) -> None:
        """Greet, and have the tools listed."""
        self.ask("initialize", _CLIENT)
        self.send({"method": "notifications/initialized"})
        self.ask("tools/list")

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def post(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Write a request, and return its id."""
        self._asked += 1
        self.send({"id": self._asked, "method": method, "params": params or {}})
        return self._asked

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the result of a request."""
        number = self.post(method, params)
        while (answer := json.loads(self._lines.read())).get("id") != number:
            continue
        if "error" in answer:
            raise ToolFailedError(answer["error"])
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, /, **arguments: object) -> dict[str, Any]:
        """Return what a tool returns.

        Raises:
            ToolFailedError: It returned an error.
        """
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        found: dict[str, Any] = json.loads(result["content"][0]["text"])
        if result.get("isError"):
            raise ToolFailedError(found)
        return found

    def end(self) -> int:
        """Return the exit code, after closing the input."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self._wait()

    def terminate(self) -> int:
        """Return the exit code, after a signal that asks to end."""
        self.process.terminate()
        return self._wait()

    def kill(self) -> None:
        """End it, where it has not ended."""
        self.process.kill()
        self._wait()

    def _wait(self) -> int:
        code = self.process.wait(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        return code


class Lines:
    """Lines of a pipe; waits for each, but not for ever."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        assert pipe is not None
        self._descriptor = pipe.fileno()
        self._rest = b""

    def read(self) -> bytes:
        """Return the next line.

        Raises:
            TimeoutError: None came in two minutes.
            EOFError: None will come.
        """
        deadline = time.monotonic() + PATIENCE_S
        while b"\n" not in self._rest:
            if not select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("no answer")
            block = os.read(self._descriptor, _BLOCK)
            if not block:
                raise EOFError("the server has ended")
            self._rest += block
        line, _, self._rest = self._rest.partition(b"\n")
        return line
