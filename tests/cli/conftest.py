"""The installed `kebab`, run as a user runs it: a process of its own, a home of its own."""

from __future__ import annotations

import fcntl
import json
import os
import selectors
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest

from tests.command_server import (
    CODE,
    CommandServer,
    ForkedProcess,
    can_give_up_privileges,
    find_command_server,
)

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background of a shell: what is run here would never notice an interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

KOREAN_NOTE = """\
---
title: 색인 노트
tags: [검색, 색인]
---
# 색인

색인은 파일이 바뀌면 다시 만들어진다. 벡터 인덱스도 마찬가지다.

## 규칙

청크는 제목에서 나눈다. 표는 자르지 않는다.
"""
ENGLISH_NOTE = """\
# Deployment

We deploy with a blue green switch every Tuesday.

## Rollback

Rolling back takes one command and five minutes.
"""


CONFIG = """\
[workspace]
root = "notes"
[storage]
data_dir = "data"
[models.embedding]
provider = "none"
"""


@pytest.fixture(autouse=True)
def no_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers on the machine of the tests are not looked for; a test that wants a server sets its place."""
    monkeypatch.setattr("kebab_llm_local.chat_servers.PLACES", ())


@pytest.fixture(scope="session")
def words_only() -> Callable[[str], AbstractContextManager[None]]:
    """Given `demo`, lets it find the model without weights in this process, as on some platforms: it takes seconds to load and to answer.

    `test_readme.py` runs the demo as it is.
    """

    @contextmanager
    def prepare(command: str) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            if command == "demo":
                patch.setattr("kebab_model_e5_small.files", lambda: None)
            yield

    return prepare


@dataclass(frozen=True)
class Completed:
    """One finished command."""

    arguments: Sequence[str]
    code: int
    stdout: str
    stderr: str

    @property
    def objects(self) -> list[dict[str, object]]:
        """Every line of stdout as JSON."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def last(self) -> dict[str, object]:
        """The last line of stdout as JSON."""
        return self.objects[-1]

    @property
    def error(self) -> dict[str, object]:
        """The only line of stderr as JSON."""
        (line,) = self.stderr.splitlines()
        value: dict[str, object] = json.loads(line)
        return value


@dataclass
class Kebab:
    """A home folder with nothing in it, and the command to run there."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)
    is_bound: bool = False
    """True for file permissions that bind root, too."""

    def __call__(
        self, *arguments: str, env: Mapping[str, str] | None = None, stdin: str | bytes = ""
    ) -> Completed:
        environ = self.environment(env)
        if self._is_served(environ):
            found = _command_server().run(
                arguments, environ=environ, cwd=self.home, stdin=stdin, is_bound=self.is_bound
            )
            return Completed(arguments, found.code, found.stdout, found.stderr)
        done = subprocess.run(
            self.command(*arguments),
            env=environ,
            cwd=self.home,
            input=stdin if isinstance(stdin, bytes) else stdin.encode(),
            capture_output=True,
            timeout=120,
        )
        return Completed(arguments, done.returncode, done.stdout.decode(), done.stderr.decode())

    def run_program(self, program: str, *arguments: str, env: Mapping[str, str] | None = None) -> Completed:
        """Run Python code in a process of its own that has imported kebab, with these arguments in `sys.argv`."""
        environ = self.environment(env)
        found = _command_server().run(
            (CODE, program, *arguments), environ=environ, cwd=self.home, stdin="", is_bound=self.is_bound
        )
        return Completed(arguments, found.code, found.stdout, found.stderr)

    def start(
        self,
        *arguments: str,
        environ: Mapping[str, str],
        streams: Sequence[int],
        cwd: Path | None = None,
    ) -> Callable[[], int]:
        """Start the command, with open files as its streams; what is returned waits for its exit code.

        Args:
            arguments: Of the command.
            environ: Its environment.
            streams: Standard input, output and errors.
            cwd: Its folder, the current one by default.
        """
        folder = cwd or Path.cwd()
        if self._is_served(environ):
            return _command_server().start(
                arguments, environ=environ, cwd=folder, streams=streams, is_bound=self.is_bound
            )
        given, out, err = streams
        return subprocess.Popen(
            self.command(*arguments), env=dict(environ), cwd=folder, stdin=given, stdout=out, stderr=err
        ).wait

    def begin(self, *arguments: str, env: Mapping[str, str] | None = None) -> ForkedProcess:
        """Start the command here, to be talked to and signalled while it runs."""
        environ = self.environment(env)
        assert self._is_served(environ)
        return ForkedProcess(_command_server().address, arguments, environ=environ, cwd=self.home, text=True)

    def _is_served(self, environ: Mapping[str, str]) -> bool:
        """Tell whether a forked process is as good as a new one."""
        return _command_server().can_have(environ)

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "kebab_cli", *arguments]

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        return {
            **_inherited(),
            "KEBAB_LANG": "en",
            "HOME": str(self.home),
            **self.environ,
            **(extra or {}),
        }


def _inherited() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in {"PATH", "LANG", "LC_ALL", "TMPDIR"}}
    return {**kept, "PYTHONWARNINGS": "error"}


def _command_server() -> CommandServer:
    return find_command_server(_inherited())


class KebabInside(Kebab):
    """The same command run inside this process: a tenth of the time, where a process of its own is not the point."""

    def __call__(
        self, *arguments: str, env: Mapping[str, str] | None = None, stdin: str | bytes = ""
    ) -> Completed:
        from kebab_cli.main import run

        out, err = StringIO(), StringIO()
        with self._surroundings(self.environment(env), stdin), redirect_stdout(out), redirect_stderr(err):
            code = run(arguments)
        return Completed(arguments, code, out.getvalue(), err.getvalue())

    @contextmanager
    def _surroundings(self, environ: Mapping[str, str], stdin: str | bytes) -> Iterator[None]:
        _wait_for_models()
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        with pytest.MonkeyPatch.context() as patch:
            for name in set(os.environ) - set(environ):
                patch.delenv(name)
            for name, value in environ.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", TextIOWrapper(BytesIO(given), encoding="utf-8"))
            patch.chdir(self.home)
            yield
            _wait_for_models()


def _wait_for_models() -> None:
    """Wait for models that load beside other work: they read the environment, which must not change meanwhile (getenv(3))."""
    for thread in threading.enumerate():
        if thread.name == "load-model":
            thread.join()


@dataclass
class KnowledgeBase:
    """A configuration file beside a folder of notes and a data folder, none of them in the home."""

    folder: Path
    kebab: Kebab

    @property
    def notes(self) -> Path:
        return self.folder / "notes"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def config(self) -> Path:
        return self.folder / "kebab.toml"

    def __call__(
        self, *arguments: str, env: Mapping[str, str] | None = None, stdin: str | bytes = ""
    ) -> Completed:
        return self.kebab(*arguments, "--config", str(self.config), env=env, stdin=stdin)

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.notes / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    def doc_id(self, path: str) -> str:
        documents = self("list", "docs", "--json").last["documents"]
        assert isinstance(documents, list)
        return next(d["doc_id"] for d in documents if d["doc_path"] == path)


@pytest.fixture
def kebab(tmp_path: Path) -> Kebab:
    home = tmp_path / "home"
    home.mkdir()
    return Kebab(home)


def make_knowledge_base(folder: Path, kebab: Kebab, *, notes: bool = True) -> KnowledgeBase:
    """Return one without vectors: most tests are not about them, and a model takes seconds to load."""
    base = KnowledgeBase(folder, kebab)
    base.notes.mkdir(parents=True)
    if notes:
        base.write("한국어/색인.md", KOREAN_NOTE)
        base.write("english/deployment.md", ENGLISH_NOTE)
    base.config.write_text(CONFIG, encoding="utf-8")
    return base


@pytest.fixture
def kb(tmp_path: Path, kebab: Kebab) -> KnowledgeBase:
    """Two notes, nothing ingested."""
    return make_knowledge_base(tmp_path / "kb", kebab)


@pytest.fixture(scope="session")
def ingested_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template")
    (folder / "home").mkdir()
    base = make_knowledge_base(folder / "kb", Kebab(folder / "home"))
    done = base("ingest")
    assert done.code == 0, done.stderr
    return base.folder


@pytest.fixture(scope="session")
def backup(tmp_path_factory: pytest.TempPathFactory, ingested_once: Path) -> Path:
    """What `kebab export` writes of `indexed`."""
    base = KnowledgeBase(ingested_once, Kebab(ingested_once.parent / "home"))
    archive = tmp_path_factory.mktemp("backup") / "b.zip"
    done = base("export", str(archive))
    assert done.code == 0, done.stderr
    return archive


@pytest.fixture
def indexed(tmp_path: Path, kebab: Kebab, ingested_once: Path) -> KnowledgeBase:
    """The same, ingested; a copy that the test may spoil."""
    shutil.copytree(ingested_once, tmp_path / "kb")
    return KnowledgeBase(tmp_path / "kb", kebab)


@pytest.fixture
def inside(kebab: Kebab) -> Callable[[KnowledgeBase], KnowledgeBase]:
    """Turns a knowledge base into the same one, its commands run inside this process."""
    return lambda base: KnowledgeBase(base.folder, KebabInside(base.kebab.home, base.kebab.environ))


@pytest.fixture(scope="session")
def make_inside() -> Callable[[Path], KnowledgeBase]:
    """Makes a knowledge base, nothing ingested, its commands run inside this process; for fixtures of a module."""

    def make(folder: Path) -> KnowledgeBase:
        (folder / "home").mkdir()
        return make_knowledge_base(folder / "kb", KebabInside(folder / "home"), notes=False)

    return make


@pytest.fixture
def copy_of(
    kb: KnowledgeBase, inside: Callable[[KnowledgeBase], KnowledgeBase]
) -> Callable[[Path], KnowledgeBase]:
    """Copies a knowledge base that a module has made once, for a test that may spoil it; its commands run inside this process."""

    def copy(folder: Path) -> KnowledgeBase:
        shutil.copytree(folder, kb.folder, dirs_exist_ok=True)
        return inside(kb)

    return copy


@pytest.fixture(scope="session")
def ingest_once(
    tmp_path_factory: pytest.TempPathFactory,
    ingested_once: Path,
    make_inside: Callable[[Path], KnowledgeBase],
) -> Callable[[Mapping[str, str | bytes]], tuple[Path, Completed]]:
    """Ingests files beside those of `indexed`; for fixtures of a module. Returns the folder of the base, and the run."""

    def ingest(files: Mapping[str, str | bytes]) -> tuple[Path, Completed]:
        base = make_inside(tmp_path_factory.mktemp("once"))
        shutil.copytree(ingested_once, base.folder, dirs_exist_ok=True)
        for path, content in files.items():
            base.write(path, content)
        done = base("ingest")
        assert done.code == 0, done.stderr
        return base.folder, done

    return ingest


@pytest.fixture
def quick(indexed: KnowledgeBase, inside: Callable[[KnowledgeBase], KnowledgeBase]) -> KnowledgeBase:
    """`indexed`, its commands run inside this process."""
    return inside(indexed)


class Terminal:
    """Runs commands with some of their streams on a terminal of so many columns."""

    def __call__(
        self,
        kb: KnowledgeBase,
        *arguments: str,
        streams: Collection[str] = ("stdout", "stderr"),
        columns: int = 100,
        env: Mapping[str, str] | None = None,
        typed: str | None = None,
    ) -> Completed:
        """Run one command; what is typed comes from a terminal, too."""
        keyboard = None if typed is None else self._open(columns)
        if keyboard is not None:
            os.write(keyboard[0], str(typed).encode())
        ends = {name: self._open(columns) if name in streams else os.pipe() for name in ("stdout", "stderr")}
        environ = kb.kebab.environment({"TERM": "xterm-256color", **(env or {})})
        with Path(os.devnull).open("rb") as nothing:
            wait = kb.kebab.start(
                *(*arguments, "--config", str(kb.config)),
                environ=environ,
                streams=[
                    nothing.fileno() if keyboard is None else keyboard[1],
                    ends["stdout"][1],
                    ends["stderr"][1],
                ],
            )
        for _, writing in ends.values():
            os.close(writing)
        shown = self._read({name: reading for name, (reading, _) in ends.items()})
        code = wait()
        for end in keyboard or ():
            os.close(end)
        return Completed(arguments, code, shown["stdout"], shown["stderr"])

    @staticmethod
    def _open(columns: int) -> tuple[int, int]:
        reading, writing = os.openpty()
        fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        return reading, writing

    @staticmethod
    def _read(ends: Mapping[str, int]) -> dict[str, str]:
        shown = dict.fromkeys(ends, b"")
        with selectors.DefaultSelector() as selector:
            for name, end in ends.items():
                selector.register(end, selectors.EVENT_READ, name)
            while selector.get_map():
                for key, _ in selector.select():
                    try:
                        part = os.read(key.fd, 65536)
                    except OSError:  # how Linux says that a terminal has no writer left
                        part = b""
                    shown[key.data] += part
                    if not part:
                        selector.unregister(key.fd)
                        os.close(key.fd)
        return {name: text.decode().replace("\r\n", "\n") for name, text in shown.items()}


@pytest.fixture(scope="session")
def terminal() -> Terminal:
    return Terminal()


@pytest.fixture(scope="session")
def leaf_commands() -> set[str]:
    """The full names of all commands that are no groups."""
    import click
    from kebab_cli.main import cli

    leaves = set()
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            leaves |= {f"{name} {child}" for child in command.list_commands(context)}
        else:
            leaves.add(name)
    return leaves


@pytest.fixture
def ordinary_user(kebab: Kebab) -> None:
    """File permissions bind the commands of `kebab`, also where the tests run as root."""
    if os.geteuid() == 0:
        if not can_give_up_privileges():
            pytest.skip("runs as root and cannot give its privileges up")
        kebab.is_bound = True


@pytest.fixture(scope="session")
def places(ingested_once: Path) -> dict[str, str]:
    """Ids in `indexed`: of the Korean document and of its passage about the index."""
    found = KnowledgeBase(ingested_once, Kebab(ingested_once.parent / "home"))("search", "색인", "--json")
    hit = found.last["hits"][0]  # type: ignore[index]
    return {"doc": hit["doc_id"], "chunk": hit["chunk_id"]}
