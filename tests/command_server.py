"""Runs `kebab` in a process of its own for each command, forked from one that has imported it: `python -m` is that one.

A start of Python with all imports costs a third of a second, a fork some milliseconds. Everything else is as for a new
process: arguments, environment, folder, streams, signals, exit code.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple, NoReturn

PATIENCE_S = 120
"""Seconds after which a command is ended by SIGALRM."""
_STDERR = 2
_ROOT = Path(__file__).parents[1]
_IMPORTED = (
    *("kebab_cli.start", "kebab_cli.main", "kebab_app.search", "kebab_app.ask", "kebab_app.ingest"),
    *("kebab_app.documents", "kebab_app.introspection", "kebab_ingest.run", "kebab_search", "kebab_rag"),
    *(
        "kebab_analysis",
        "kebab_chunk",
        "kebab_parse_md",
        "kebab_source_fs",
        "kebab_store_sqlite",
        "kebab_wire",
    ),
)
_FROM_THE_START = ("PYTHON", "LC_", "LANG", "LD_")
"""Beginnings of variables that Python or the loader reads when a process starts."""


class Outcome(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    """Negative: the signal that ended it."""
    stdout: str
    stderr: str


class CommandServer:
    """Runs commands; several at once from several threads.

    Args:
        environ: The environment that Python starts in.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kebab-commands-")
        self._address = str(Path(self._folder.name) / "socket")
        self._environ = environ
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.command_server", self._address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(environ),
            cwd=_ROOT,
        )
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == b"ready\n"

    def close(self) -> None:
        """End the server."""
        self._server.communicate()
        self._folder.cleanup()

    def can_have(self, environ: Mapping[str, str]) -> bool:
        """Tell whether an environment has the same effect on a process that runs already."""
        return all(
            environ.get(name) == self._environ.get(name)
            for name in environ.keys() | self._environ.keys()
            if name.startswith(_FROM_THE_START)
        )

    def run(self, arguments: Sequence[str], *, environ: Mapping[str, str], cwd: Path, stdin: str) -> Outcome:
        """Run one command to its end."""
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin.encode())
            given.seek(0)
            streams = [given.fileno(), out.fileno(), err.fileno()]
            code = self.start(arguments, environ=environ, cwd=cwd, streams=streams)()
            out.seek(0)
            err.seek(0)
            return Outcome(code, *(_decode(stream.read()) for stream in (out, err)))

    def start(
        self, arguments: Sequence[str], *, environ: Mapping[str, str], cwd: Path, streams: Sequence[int]
    ) -> Callable[[], int]:
        """Start a command with three open files as its streams; what is returned waits for its exit code."""
        request = json.dumps({"arguments": arguments, "environ": dict(environ), "cwd": str(cwd)}).encode()
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._address)
        socket.send_fds(connection, [len(request).to_bytes(8)], streams)
        connection.sendall(request)

        def wait() -> int:
            with connection, connection.makefile("rb") as reply:
                return int(reply.readline())

        return wait


def _decode(printed: bytes) -> str:
    return printed.decode().replace("\r\n", "\n").replace("\r", "\n")


def _accept(address: str) -> Mapping[str, Any]:
    """Serve until standard input ends. Returns the request in the process that is to run it, and there alone."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        os.write(1, b"ready\n")
        while True:
            ready, _, _ = select.select([listener, 0], [], [])
            if 0 in ready:
                sys.exit()
            _reap()
            connection, _ = listener.accept()
            with connection:
                if not os.fork():
                    listener.close()
                    return _become_command(connection)


def _reap() -> None:
    """Collect the processes whose commands have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become_command(connection: socket.socket) -> Mapping[str, Any]:
    size, streams, _, _ = socket.recv_fds(connection, 8, 3)
    request: Mapping[str, Any] = json.loads(connection.makefile("rb").read(int.from_bytes(size)))
    if command := os.fork():
        _wait(command, connection)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    _open_streams()
    return request


def _open_streams() -> None:
    """Open the streams as Python does at its start: what is known of a pipe is not so of a terminal."""
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        former = getattr(sys, name)
        is_by_line = mode == "w" and (number == _STDERR or os.isatty(number))
        stream = open(  # noqa: SIM115 - for the rest of the process
            number,
            mode,
            buffering=1 if is_by_line else -1,
            encoding=former.encoding,
            errors=former.errors,
            closefd=False,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _wait(command: int, connection: socket.socket) -> NoReturn:
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    connection.sendall(b"%d\n" % code)
    os._exit(0)


def _import_all() -> None:
    for name in _IMPORTED:
        import_module(name)
    for module in iter_modules(import_module("kebab_cli.commands").__path__, "kebab_cli.commands."):
        import_module(module.name)
    gc.collect()
    gc.freeze()


def _serve(address: str) -> None:
    _import_all()
    request = _accept(address)
    signal.alarm(PATIENCE_S)
    os.environ.clear()  # noqa: TID251 - the environment of the command
    os.environ.update(request["environ"])  # noqa: TID251 - likewise
    time.tzset()
    os.chdir(request["cwd"])
    sys.argv = ["kebab", *request["arguments"]]
    import_module("kebab_cli.start").start()


if __name__ == "__main__":
    _serve(sys.argv[1])
