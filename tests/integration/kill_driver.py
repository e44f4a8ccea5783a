"""A run of ingest that dies at a named place: `run` in a process of a command server, with CONFIG HOME POINT ADDRESS as arguments.

It replaces functions of kebab in its own process, and has the processes that prepare files do so, too, so that
they can die likewise. All of them hold the file `ALIVE`: when it has no writer left, none is left. A file whose
text has `FAILS` in it cannot be parsed, as by a version of kebab with that bug.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from kebab_config import read_environment
from kebab_runtime import worker_process

from tests.command_server import CODE, ForkedProcess
from tests.integration.kill_points import POINTS, Case, KillPoint, Victim, When
from tests.integration.killed_pictures import LOG, NEVER, PICTURE_POINTS, read_without_models
from tests.integration.vector_kill_points import VECTOR_POINTS

if TYPE_CHECKING:
    from kebab_core import Embedder

ALIVE = 3
FAILING = b"FAILS"
WORK = "from tests.integration.kill_driver import work; work()"
WORKERS = 2
BATCH = 4
"""Passages that are embedded at once."""

Function = Callable[..., Any]


class Trap:
    """Waits for a point and kills there, once for all processes of a run."""

    def __init__(self, point: KillPoint, *, flag: Path, parent: int | None) -> None:
        self._point = point
        self._flag = flag
        self._parent = parent
        """Process id of the run, in a worker."""
        self._left = point.nth
        self._depth = 0

    def set(self) -> None:
        """Replace what the point names."""
        point = self._point
        if (self._parent is None) != (point.victim is Victim.RUN):
            return
        if point.within:
            _replace(point.within, self._armed)
        else:
            self._depth = 1
        if point.when is When.STATEMENT:
            self._depth = 0
            _replace(point.target, self._armed)
            _replace("kebab_store_sqlite.database:connect", self._traced)
        else:
            _replace(point.target, getattr(self, f"_{point.when}"))

    def spring(self) -> None:
        """Kill, if this is the time."""
        if not self._depth:
            return
        self._left -= 1
        if self._left == 0 and self._is_first():
            victim = self._parent if self._point.victim is Victim.PARENT else None
            os.kill(victim or os.getpid(), signal.SIGKILL)

    def _is_first(self) -> bool:
        try:
            self._flag.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def _armed(self, function: Function) -> Function:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._depth += 1
            try:
                return function(*args, **kwargs)
            finally:
                self._depth -= 1

        return call

    def _traced(self, connect: Function) -> Function:
        def traced(*args: Any, **kwargs: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*args, **kwargs)
            connection.set_trace_callback(self._look_at)
            return connection

        return traced

    def _look_at(self, statement: str) -> None:
        if " ".join(statement.split()).startswith(self._point.statement):
            self.spring()

    def _before(self, function: Function) -> Function:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.spring()
            return function(*args, **kwargs)

        return call

    def _after(self, function: Function) -> Function:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            self.spring()
            return result

        return call

    def _item(self, function: Function) -> Function:
        def call(*args: Any, **kwargs: Any) -> Iterator[Any]:
            for item in function(*args, **kwargs):
                self.spring()
                yield item

        return call

    def _end(self, function: Function) -> Function:
        def call(*args: Any, **kwargs: Any) -> Iterator[Any]:
            yield from function(*args, **kwargs)
            self.spring()

        return call

    def _half(self, write: Function) -> Function:
        def call(path: Path, content: bytes) -> None:
            draft = path.with_name(f".{path.name}.{os.getpid()}.0")
            draft.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.write_bytes(content[: len(content) // 2])
            self.spring()
            draft.unlink()
            write(path, content)

        return call

    def _cut(self, write: Function) -> Function:
        def call(file: BinaryIO, *args: Any) -> None:
            first = file.tell()
            write(file, *args)
            if self._depth and self._left == 1:
                os.ftruncate(file.fileno(), (first + file.tell()) // 2)
            self.spring()

        return call

    def _during(self, function: Function) -> Function:
        def call(*args: Any, **kwargs: Any) -> Any:
            signal.setitimer(signal.ITIMER_REAL, self._point.microseconds / 1e6)
            return function(*args, **kwargs)

        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        return call


def _replace(reference: str, wrap: Callable[[Function], Function]) -> None:
    module, _, path = reference.partition(":")
    *parents, name = path.split(".")
    owner: Any = import_module(module)
    for parent in parents:
        owner = getattr(owner, parent)
    setattr(owner, name, wrap(getattr(owner, name)))


def _refuse_failing(extract: Function) -> Function:
    def call(self: object, context: object, content: bytes) -> object:
        from kebab_core import DocumentError

        if FAILING in content:
            raise DocumentError("this version cannot parse it")
        return extract(self, context, content)

    return call


def _start_workers_as_this(arguments: list[str], address: str) -> None:
    def start(_: list[str], **__: object) -> ForkedProcess:
        given = (CODE, WORK, *arguments, str(os.getpid()))
        return ForkedProcess(address, given, environ=read_environment(), cwd=Path.cwd(), more=[ALIVE])

    workers: Any = import_module("kebab_runtime.worker_pool")
    workers.subprocess = types.SimpleNamespace(Popen=start, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)


def _build_embedder() -> Embedder:
    """Return an embedder without a model; batches are so small that there are many."""
    embedding_batches: Any = import_module("kebab_ingest.embedding_batches")
    embedding_batches.FIRST_BATCH = embedding_batches.MIN_BATCH = embedding_batches.MAX_BATCH = BATCH
    from kebab_testing.fakes.embedder import BagOfWordsEmbedder

    return BagOfWordsEmbedder()


def work() -> None:
    """Be a process that prepares files; arguments are those of the run, and its process id."""
    *_, parent = sys.argv
    _set_trap(int(parent))
    worker_process.main()


def run() -> None:
    """Run until the point is reached."""
    config, home, _, address = arguments = sys.argv[1:]
    point = _set_trap(None)
    _start_workers_as_this(arguments, address)
    from kebab_app import App
    from kebab_config import load_settings

    workers = WORKERS if point.case is Case.MANY else 1
    overrides = {"ingest.workers": workers}
    loaded = load_settings(config_path=Path(config), environ={"HOME": home}, overrides=overrides)
    embedder = _build_embedder() if point.case is Case.VECTORS else None
    with App(loaded, embedder=embedder) as app:
        app.ingest()


def _set_trap(parent: int | None) -> KillPoint:
    home, name = sys.argv[2:4]
    point = next(point for point in (*POINTS, *VECTOR_POINTS, *PICTURE_POINTS, NEVER) if point.name == name)
    _replace("kebab_parse_md:MarkdownExtractor.extract", _refuse_failing)
    if point.case is Case.PICTURES:
        _replace("kebab_app.ocr:PictureReaderRecipe.__call__", lambda _: read_without_models(Path(home, LOG)))
    Trap(point, flag=Path(home, "killed"), parent=parent).set()
    return point
