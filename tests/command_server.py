"""Runs `kebab`, its MCP server, its page or a worker in a process of its own each time, forked from one that has imported them: `python -m` is that one.

A start of Python with all imports costs a third of a second, of the MCP server one and a half, a fork some milliseconds.
That process has also worked on a knowledge base of its own, so that patterns are compiled and models of pydantic built.
Everything else is as for a new process: arguments, environment, folder, streams, signals, exit code.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from pkgutil import iter_modules
from runpy import run_module
from types import SimpleNamespace, TracebackType
from typing import IO, Any, NamedTuple, NoReturn, Self

PATIENCE_S = 120
"""Seconds after which a command is ended by SIGALRM."""
_STDERR, _MOST_STREAMS = 2, 4
_ROOT = Path(__file__).parents[1]
CLI, MCP, WEB, WORKER = "kebab_cli", "kebab_mcp", "kebab_web", "kebab_runtime.worker_process"
CODE = "-c"
"""First argument of a command that is no command line of kebab but a program, which is the second."""
_IMPORTED = (
    *("kebab_cli.start", "kebab_cli.main", "numpy", "onnxruntime"),
    *(f"kebab_app.{name}" for name in ("search", "ask", "ingest", "documents", "introspection")),
    *("kebab_ingest.run", "kebab_search", "kebab_rag", "kebab_analysis", "kebab_chunk", "kebab_parse_md"),
    *(
        "kebab_source_fs",
        "kebab_store_sqlite",
        "kebab_store_vector.snapshot",
        "kebab_embed_local",
        "kebab_wire",
    ),
)
_FOLDERS = ("kebab_cli.commands", "kebab_mcp", "kebab_web", "kebab_web.pages", "kebab_web.documents")
"""Packages whose modules are all imported, too."""
_FROM_THE_START = ("PYTHON", "LC_", "LANG", "LD_")
"""Beginnings of variables that Python or the loader reads when a process starts."""
_AT_ANY_TIME = {"PYTHONWARNINGS", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
"""Those of them that a forked process can still follow, or that change no result."""


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
        modules: What is imported beside what most commands use.
    """

    def __init__(self, environ: Mapping[str, str], modules: Sequence[str] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="kebab-commands-")
        self.address = str(Path(self._folder.name) / "socket")
        self._environ = environ
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.command_server", self.address, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environ, "PYTHONWARNINGS": "error"},
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
        return _fixed(environ) == _fixed(self._environ)

    def run(
        self,
        arguments: Sequence[str],
        *,
        environ: Mapping[str, str],
        cwd: Path,
        stdin: str | bytes,
        is_bound: bool = False,
    ) -> Outcome:
        """Run one command to its end; `is_bound` has file permissions bind it, also where the tests run as root."""
        with (
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(stdin if isinstance(stdin, bytes) else stdin.encode())
            given.seek(0)
            streams = [given.fileno(), out.fileno(), err.fileno()]
            start = self.start(arguments, environ=environ, cwd=cwd, streams=streams, is_bound=is_bound)
            code = start()
            out.seek(0)
            err.seek(0)
            return Outcome(code, *(_decode(stream.read()) for stream in (out, err)))

    def start(
        self,
        arguments: Sequence[str],
        *,
        environ: Mapping[str, str],
        cwd: Path,
        streams: Sequence[int],
        is_bound: bool = False,
    ) -> Callable[[], int]:
        """Start a command with three open files as its streams; what is returned waits for its exit code."""
        connection = connect(
            self.address, arguments, environ=environ, cwd=cwd, streams=streams, is_bound=is_bound
        )

        def wait() -> int:
            with connection, connection.makefile("rb") as reply:
                _pid, code = map(int, reply)
                return code

        return wait


def connect(
    address: str,
    arguments: Sequence[str],
    *,
    environ: Mapping[str, str],
    cwd: Path,
    streams: Sequence[int],
    module: str = CLI,
    is_bound: bool = False,
) -> socket.socket:
    """Start a command of the server at an address; what is returned brings its process id on a line, and its exit code when it has ended.

    Of its streams, those after the third are further open files, which it has as 3 and on.
    """
    asked = {
        "module": module,
        "arguments": arguments,
        "environ": dict(environ),
        "cwd": str(cwd),
        "is_bound": is_bound,
    }
    request = json.dumps(asked).encode()
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    socket.send_fds(connection, [len(request).to_bytes(8)], streams)
    connection.sendall(request)
    return connection


class ForkedProcess:
    """A command of a server, to be used like a `subprocess.Popen` with pipes for input and output.

    Args:
        address: Of the server that runs it.
        arguments: Of the command.
        environ: Its environment.
        cwd: Its folder.
        module: What is run, as by `python -m`.
        text: True for output of UTF-8 text and a pipe for its errors, too; else it is bytes, and errors are dropped.
        more: Further open files that it has.
    """

    def __init__(
        self,
        address: str,
        arguments: Sequence[str],
        *,
        environ: Mapping[str, str],
        cwd: Path,
        module: str = CLI,
        text: bool = False,
        more: Sequence[int] = (),
    ) -> None:
        given, stdin = os.pipe()
        stdout, out = os.pipe()
        stderr, err = (
            os.pipe() if text else [os.open(os.devnull, flag) for flag in (os.O_RDONLY, os.O_WRONLY)]
        )
        self._connection = connect(
            address, arguments, environ=environ, cwd=cwd, streams=[given, out, err, *more], module=module
        )
        for end in (given, out, err):
            os.close(end)
        self.stdin: IO[bytes] = os.fdopen(stdin, "wb", buffering=0)
        how: Any = {"mode": "r", "encoding": "utf-8"} if text else {"mode": "rb"}
        self.stdout: IO[Any] = os.fdopen(stdout, **how)
        self.stderr: Any = os.fdopen(stderr, **how) if text else None
        self._reply = b""
        self.pid = int(self._line(None))
        self.returncode: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pipe in filter(None, (self.stdin, self.stdout, self.stderr)):
            with suppress(BrokenPipeError):
                pipe.close()
        self.wait()

    def communicate(self, timeout: float | None = None) -> tuple[Any, Any]:
        """Return what is left of its output and errors once it has ended; `wait` with that timeout, which counts from there."""
        self.stdin.close()
        errors: list[Any] = []
        reader = threading.Thread(target=lambda: errors.append(self.stderr.read()))
        reader.start()
        out = self.stdout.read()
        reader.join()
        self.stdout.close()
        self.stderr.close()
        self.wait(timeout)
        return out, errors[0]

    def _line(self, timeout: float | None) -> bytes:
        self._connection.settimeout(timeout)
        while b"\n" not in self._reply:
            received = self._connection.recv(64)
            if not received:
                raise RuntimeError("the server of commands has ended")
            self._reply += received
        line, _, self._reply = self._reply.partition(b"\n")
        return line

    def poll(self) -> int | None:
        """Return the exit code, None as long as it runs."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0.0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code; raises `subprocess.TimeoutExpired` where it does not end in so many seconds."""
        if self.returncode is None:
            try:
                self.returncode = int(self._line(timeout))
            except (TimeoutError, BlockingIOError) as error:
                raise subprocess.TimeoutExpired("kebab", timeout or 0.0) from error
            self._connection.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


@cache
def _server_for(fixed: tuple[tuple[str, str], ...]) -> CommandServer:
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "TMPDIR"}}  # noqa: TID251 - for Python and for what it works on once
    server = CommandServer({**kept, **dict(fixed)})
    atexit.register(server.close)
    return server


def find_command_server(environ: Mapping[str, str]) -> CommandServer:
    """Return a server for an environment, started where there is none yet; it ends with this process."""
    return _server_for(tuple(sorted(_fixed(environ).items())))


def _fixed(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a process cannot follow once it runs."""
    found = {name: value for name, value in environ.items() if name.startswith(_FROM_THE_START)}
    return {"LANG": "C.UTF-8", **{name: found[name] for name in found.keys() - _AT_ANY_TIME}}


def forwarding_command(server: CommandServer, module: str, arguments: Sequence[str]) -> list[str]:
    """Return a command that starts at once and is, by its streams, signals and exit code, the one of the server."""
    return [
        sys.executable,
        "-I",
        "-S",
        str(Path(__file__).with_name("forwarded_command.py")),
        server.address,
        module,
        *arguments,
    ]


@contextmanager
def forked_workers(address: str = "") -> Iterator[None]:
    """Have worker processes that this one starts forked from the server at an address, by default from that of its environment.

    A worker takes a third of a second to import what it reads files with. One whose environment needs a start of Python has it.
    """

    def start(command: Sequence[str], **options: Any) -> ForkedProcess | subprocess.Popen[bytes]:
        environ = dict(os.environ)  # noqa: TID251 - the worker has that of its parent
        place = address
        if not place:
            words = {name: value for name, value in environ.items() if name.startswith(("LC_", "LANG"))}
            server = find_command_server(words)
            if not server.can_have(environ):
                return subprocess.Popen(command, **options)
            place = server.address
        return ForkedProcess(place, (), environ=environ, cwd=Path.cwd(), module=WORKER)

    pool: Any = import_module("kebab_runtime.worker_pool")
    former = pool.subprocess
    pool.subprocess = SimpleNamespace(Popen=start, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)
    try:
        yield
    finally:
        pool.subprocess = former


def _decode(printed: bytes) -> str:
    return printed.decode().replace("\r\n", "\n").replace("\r", "\n")


_CAPABILITIES_V3 = 0x20080522
_PAST_PERMISSIONS = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of capabilities(7)."""


def can_give_up_privileges() -> bool:
    """Tell whether a process of root can be bound by file permissions here."""
    return sys.platform == "linux"


def _give_up_privileges() -> None:
    libc = ctypes.CDLL(None)
    thread = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0)
    held = (ctypes.c_uint32 * 6)()
    libc.capget(thread, held)
    for kind in range(2):  # effective and permitted; `access` looks at the latter
        held[kind] &= ~_PAST_PERMISSIONS
    assert libc.capset(thread, held) == 0


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
    size, streams, _, _ = socket.recv_fds(connection, 8, _MOST_STREAMS)
    request: Mapping[str, Any] = json.loads(connection.makefile("rb").read(int.from_bytes(size)))
    if command := os.fork():
        for stream in streams:  # the command alone holds them
            os.close(stream)
        _wait(command, connection)
    connection.close()
    for number, stream in enumerate(streams):
        if stream != number:
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
    connection.sendall(b"%d\n" % command)
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    with suppress(BrokenPipeError):  # nobody waits for it
        connection.sendall(b"%d\n" % code)
    os._exit(0)


def _import_all(modules: Sequence[str]) -> None:
    import_module("kebab_runtime").disable_telemetry()
    for name in (*_IMPORTED, *modules):
        import_module(name)
    warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
    for package in _FOLDERS:
        folder = import_module(package)
        for found in iter_modules(folder.__path__, f"{folder.__name__}."):
            if not found.name.endswith("__main__"):
                import_module(found.name)
    _work_once()
    gc.collect()
    gc.freeze()


_CONFIG = """\
[workspace]
root = "notes"
[storage]
data_dir = "data"
[models.embedding]
provider = "none"
"""
_NOTES = {
    "마침표.md": "# 마침표\n\n문장은 마침표로 끝난다.\n",
    "full-stop.md": "# Full stop\n\nA sentence ends with a full stop.\n",
}
_COMMANDS = (
    ("ingest",),
    ("ingest", "--json"),
    ("search", "full stop"),
    ("search", "마침표", "--json"),
    ("ask", "What does a sentence end with?"),
    ("ask", "문장은 무엇으로 끝나나요?", "--json"),
    ("list", "docs", "--json"),
    ("why", "full-stop.md"),
    ("doctor", "--json"),
    ("no-such-command",),
)


def _work_once() -> None:
    """Do on a small knowledge base what most commands do, and leave nothing of it but what Python has built for it."""
    run: Callable[[Sequence[str]], int] = import_module("kebab_cli.main").run
    former, folder = dict(os.environ), Path.cwd()  # noqa: TID251 - put back below
    with (
        tempfile.TemporaryDirectory(prefix="kebab-once-") as home,
        redirect_stdout(StringIO()),
        redirect_stderr(StringIO()) as errors,
    ):
        os.environ["HOME"] = home  # noqa: TID251 - likewise
        os.chdir(home)
        Path("notes").mkdir()
        Path("kebab.toml").write_text(_CONFIG, "utf-8")
        for name, text in _NOTES.items():
            Path("notes", name).write_text(text, "utf-8")
        codes = {arguments: run([*arguments, "--config", "kebab.toml"]) for arguments in _COMMANDS}
        os.chdir(folder)
    os.environ.clear()  # noqa: TID251 - likewise
    os.environ.update(former)  # noqa: TID251 - likewise
    assert codes["ingest",] == 0, errors.getvalue()
    assert threading.active_count() == 1, "a process with threads cannot be forked"


def _serve(address: str, *modules: str) -> None:
    _import_all(modules)
    request = _accept(address)
    module, environ = request["module"], request["environ"]
    if module == CLI:
        signal.alarm(PATIENCE_S)
    elif signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # the command line has set its own
    os.environ.clear()  # noqa: TID251 - the environment of the command
    os.environ.update(environ)  # noqa: TID251 - likewise
    if "PYTHONWARNINGS" not in environ:
        warnings.filters.remove(("error", None, Warning, None, 0))  # of the server
    time.tzset()
    tempfile.tempdir = None
    os.chdir(request["cwd"])
    if request.get("is_bound"):
        _give_up_privileges()
    sys.argv = ["kebab", *request["arguments"]]
    with forked_workers(address):
        if request["arguments"][:1] == [CODE]:
            _, program, *sys.argv[1:] = request["arguments"]
            exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})  # noqa: S102 - of a test
        elif module == CLI:
            import_module("kebab_cli.start").start()
        elif module == WORKER:
            import_module(module).main()
        else:
            run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
