"""kebab's commands, each in a process of its own that begins with everything imported: `python -m` serves requests.

A process for each, so that one that dies takes nothing along; forked from one that has no threads yet, which saves a
second for each.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

from kebab_config import read_environment

PATIENCE_S = 120
_KEPT = {"PATH", "LANG", "LC_ALL", "TMPDIR"}
_IMPORTED = (
    *(f"kebab_cli.commands.{name}" for name in ("search", "ask", "doctor", "ingest", "embed", "reset")),
    *("kebab_app.search", "kebab_app.ask", "kebab_ingest.run", "kebab_app.doctor"),
    *("kebab_search", "kebab_rag", "kebab_analysis", "kebab_chunk", "kebab_parse_md", "kebab_source_fs"),
    *(
        "kebab_store_sqlite",
        "kebab_store_vector.snapshot",
        "kebab_embed_local",
        "kebab_wire",
        "pydantic",
        "numpy",
    ),
    "onnxruntime",
)


class Done(NamedTuple):
    """One finished command."""

    command: str
    code: int
    """Negative: the signal that ended it."""
    stdout: str
    stderr: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Every line of stdout as JSON."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def last(self) -> dict[str, Any]:
        """The last line of stdout as JSON; empty where there is none."""
        return _last_object(self.stdout)

    @property
    def error(self) -> dict[str, Any]:
        """The last line of stderr as JSON; empty where there is none."""
        return _last_object(self.stderr)


class ForkedCommands:
    """Runs commands.

    Args:
        scratch: A folder for what they print.
        has_lancedb: Whether LanceDB is imported before, too, which takes more than a second.
    """

    def __init__(self, scratch: Path, *, has_lancedb: bool = True) -> None:
        self._streams = [scratch / "stdout", scratch / "stderr"]
        kept = {name: value for name, value in read_environment().items() if name in _KEPT}
        self._server = subprocess.Popen(
            [sys.executable, "-m", __name__, *(["lancedb"] if has_lancedb else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**kept, "HOME": str(scratch)},
            cwd=Path(__file__).parents[2],
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()

    def run(self, home: Path, *arguments: str, stdin: str = "") -> Done:
        """Return what a command did in a folder that has a `kebab.toml`."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        request = {
            "home": str(home),
            "arguments": arguments,
            "stdin": stdin,
            "streams": [*map(str, self._streams)],
        }
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        code = int(self._server.stdout.readline())
        out, err = (stream.read_text(encoding="utf-8", errors="replace") for stream in self._streams)
        return Done(" ".join(arguments), code, out, err)


def _last_object(text: str) -> dict[str, Any]:
    for line in reversed(text.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return {}


def _serve() -> None:
    for name in (*_IMPORTED, *sys.argv[1:]):
        import_module(name)
    warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            _run(request)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


def _run(request: Mapping[str, Any]) -> NoReturn:
    """Be the command; nothing of the server's is cleaned up here."""
    from kebab_cli.main import run

    code = 255
    try:
        home, arguments = request["home"], request["arguments"]
        signal.alarm(PATIENCE_S)
        os.chdir(home)
        reading, writing = os.pipe()
        os.write(writing, request["stdin"].encode())
        os.close(writing)
        os.dup2(reading, 0)
        for number, stream in enumerate(request["streams"], 1):
            os.dup2(os.open(stream, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), number)
        sys.argv = ["kebab", *arguments]
        code = int(run([*arguments, "--config", f"{home}/kebab.toml"]))
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
