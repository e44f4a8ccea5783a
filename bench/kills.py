"""SIGKILL at random moments of commands that write: `python -m bench.kills [OPERATION...] [--kills N] [--seed S]`.

After a kill come a reader, sometimes the same command killed again, what brings the base into its last state, `kebab doctor`
and the results: all as after a run that was not killed, with no other files or processes. Prints each fault with its round,
and a table; exit code 1 if there is any. A command that ended before it was to be killed is not counted.
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from zipfile import BadZipFile, ZipFile

from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import SearchMode, SearchQuery
from kebab_testing.onnx_files import write_word_embedder

from tests.command_server import CommandServer, ForkedProcess, Outcome
from tests.integration.format_samples import sample
from tests.integration.killed_runs import NEW, OLD, KilledBase, dump_all

DIMENSIONS = {"old-e5": 32, "new-e5": 48}
WORDS = sorted({word for text in NEW.values() for word in re.findall(r"\w+", text.decode("utf-8", "ignore"))})
MANY = {f"many {n:02}.md": b"# One of many\n\nFile %d of them.\n" % n for n in range(40)}
RISKY = {f"paper.{extension}": sample(extension) for extension in ("pdf", "docx", "hwpx")}
LETTER = "서울에서 보낸 편지이다. It is about the new text.\n"
ARCHIVE = "../archive.zip"
QUERIES = (("the new text", SearchMode.VECTOR), ("새로운 글", SearchMode.LEXICAL))
_PLACES = 4
"""Of scores that are compared: sums over vectors depend on the order of their rows beyond that."""
READABLE = {"not_indexed", "config_not_found"}
"""Errors that a reader may get where nothing is there yet."""
KILLED_TWICE = 0.2
PATIENCE_S = 20
_PAUSE = threading.Event()
"""Never set."""

Command = Sequence[str]


class World:
    """A folder in which all rounds happen, and the commands that run there.

    Args:
        home: The folder, empty.
    """

    def __init__(self, home: Path) -> None:
        self.work, self._home = home / "work", home
        self.config = self.work / "kebab.toml"
        for name in ("tmp", "user"):
            (home / name).mkdir()
        kept = {n: v for n, v in read_environment().items() if n in {"PATH", "LANG", "LC_ALL", "PYTHONPATH"}}
        folders = {"HOME": str(home / "user"), "TMPDIR": str(home / "tmp")}
        self.environ = {**kept, **folders, "KEBAB_LANG": "en", "KEBAB_INGEST_WORKERS": "2"}
        self._server = CommandServer(self.environ)
        self._writes = 0
        for seed, (name, dimensions) in enumerate(DIMENSIONS.items()):
            write_word_embedder(home / "models" / name, WORDS, dimensions=dimensions, seed=seed)
        self._make_template()

    def _make_template(self) -> None:
        (self.work / "other").mkdir(parents=True)
        (self.work / "out").mkdir()
        (self.work / "other" / "else.md").write_text("# Elsewhere\n\nThe new text of another folder.\n")
        self.config.write_text(
            '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "onnx"\n'
            f'model = "{self.model("old-e5")}"\ndimensions = 32\n'
        )
        self.write(OLD)
        self.must("ingest")
        self.must("ingest-stdin", "--title", "letter", stdin=LETTER)
        self.must("export", ARCHIVE)
        documents = json.loads(self.must("list", "docs", "--json").stdout)["documents"]
        self.letter = next(each["address"] for each in documents if each["title"] == "letter")
        self.work.rename(self._home / "template")

    def close(self) -> None:
        """End the process that commands are forked from."""
        self._server.close()

    def model(self, name: str) -> str:
        """Return the folder of a model."""
        return str(self._home / "models" / name)

    def reset(self) -> None:
        """Put everything back to where a round begins."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self._home / "template", self.work)

    def write(self, files: Mapping[str, bytes]) -> None:
        """Make the folder of notes hold these files."""
        base = KilledBase(self.work, writes=self._writes)
        base.write(files)
        self._writes = base.writes

    def run(self, *arguments: str, stdin: str = "") -> Outcome:
        """Run a command to its end."""
        return self._server.run(self._whole(arguments), environ=self.environ, cwd=self.work, stdin=stdin)

    def must(self, *arguments: str, stdin: str = "") -> Outcome:
        """Run a command that succeeds.

        Raises:
            RuntimeError: It did not.
        """
        done = self.run(*arguments, stdin=stdin)
        if done.code:
            raise RuntimeError(f"{arguments}: {done.code}: {done.stderr}")
        return done

    def start(self, *arguments: str) -> ForkedProcess:
        """Start a command that can be killed."""
        return ForkedProcess(
            self._server.address, self._whole(arguments), environ=self.environ, cwd=self.work
        )

    def _whole(self, arguments: Command) -> list[str]:
        return [*arguments, "--config", str(self.config)]

    def files(self) -> set[str]:
        """Return the names of all files, numbers and hashes in them as `#`, but for the logs of runs."""
        found = (
            path.relative_to(self._home).as_posix()
            for part in ("work", "tmp", "user")
            for path in (self._home / part).rglob("*")
        )
        names = {
            re.sub(r"[0-9a-f]{8,}|\d+", "#", name)
            for name in found
            if "/runs/" not in name and "/logs/" not in name
        }
        return {name for name in names if not name.endswith(("-wal", "-shm", ".lock", ".waiters"))}


def _nothing(_world: World) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class Operation:
    """A command that is killed, and what follows."""

    command: Command
    then: Sequence[Command] = ()
    """Commands after which the base is as if nothing had been killed; without any, the command itself."""
    prepare: Callable[[World], None] = _nothing
    stdin: str = ""
    done: frozenset[str] = frozenset()
    """Errors of the following commands that say that the killed one had done its work."""
    meanwhile: Callable[[World], None] = _nothing
    """Change of the folder at a random moment of the command, such as files that are written."""
    seconds: float = 0
    """Longest run of a command that does not end by itself, such as `watch`; 0 for one that does."""


def _edit(world: World) -> None:
    world.write(NEW)


def _edit_much(world: World) -> None:
    world.write({**NEW, **MANY, **RISKY})


def _unplug(world: World) -> None:
    world.config.unlink()
    shutil.rmtree(world.work / "data")


def _forget(world: World) -> None:
    shutil.rmtree(world.work / "data")


def _after(*commands: Command, edited: bool = False) -> Callable[[World], None]:
    def prepare(world: World) -> None:
        if edited:
            _edit(world)
        for command in commands:
            world.must(*command)

    return prepare


def list_operations(world: World) -> dict[str, Operation]:
    """Return all operations by name."""
    old, new, letter = world.model("old-e5"), world.model("new-e5"), world.letter
    ingest = ("ingest",)
    return {
        "first": Operation(command=ingest, prepare=_forget),
        "ingest": Operation(command=ingest, prepare=_edit),
        "many": Operation(command=ingest, prepare=_edit_much),
        "force": Operation(command=("ingest", "--force"), then=[ingest]),
        "watch": Operation(command=("watch",), then=[ingest], meanwhile=_edit, seconds=3),
        "export": Operation(command=("export", "out/b.zip"), then=[("export", "out/b.zip", "--force")]),
        "import": Operation(
            command=("import", ARCHIVE), then=[("import", ARCHIVE, "--replace")], prepare=_unplug
        ),
        "replace": Operation(command=("import", ARCHIVE, "--replace"), prepare=_after(ingest, edited=True)),
        "switch": Operation(
            command=("models", "switch", new, "--yes"), then=[ingest, ("models", "switch", new, "--yes")]
        ),
        "switch back": Operation(
            command=("models", "switch", old, "--yes"), prepare=_after(("models", "switch", new, "--yes"))
        ),
        "gc": Operation(
            command=("models", "gc", "--yes"), prepare=_after(("models", "switch", new, "--yes"))
        ),
        "forget": Operation(command=("forget", letter, "--yes"), done=frozenset({"doc_not_found"})),
        "erase": Operation(
            command=("forget", letter, "--yes", "--erase"),
            done=frozenset({"doc_not_found"}),
        ),
        "undo": Operation(
            command=("forget", "--undo"),
            then=[("forget", "--undo"), ingest],
            prepare=_after(("forget", letter, "--yes")),
            done=frozenset({"invalid_input"}),
        ),
        "stdin": Operation(command=("ingest-stdin", "--title", "memo"), stdin=LETTER),
        "file": Operation(command=("ingest-file", "other/else.md")),
        "root": Operation(
            command=("config", "set", "workspace.root", "other"),
            then=[("config", "set", "workspace.root", "other"), ("ingest", "--prune")],
        ),
        "source": Operation(
            command=("config", "add-source", "other", "--id", "more"),
            then=[("config", "add-source", "other", "--id", "more"), ingest],
            done=frozenset({"invalid_input"}),
        ),
        "embed": Operation(command=("embed",), prepare=_after(("ingest", "--no-embed"), edited=True)),
        "vectors": Operation(command=("reset", "--vector-only", "--yes"), then=[("embed",)]),
        "reset": Operation(
            command=("reset", "--data-only", "--yes"), then=[("reset", "--data-only", "--yes"), ingest]
        ),
    }


class Round:
    """One operation from its start to its results.

    Args:
        world: Where it happens.
        operation: What is killed.
        random: Chooses the moments.
    """

    def __init__(self, world: World, operation: Operation, random: Random) -> None:
        self._world, self._operation, self._random = world, operation, random
        self.kills = 0
        self.faults: list[str] = []

    def play(self, seconds: float | None) -> dict[str, object]:
        """Kill the command within so many seconds, not at all without; return the state in the end."""
        world, operation = self._world, self._operation
        world.reset()
        operation.prepare(world)
        if seconds is None:
            self._run_whole()
        else:
            self._kill(seconds)
            if self._random.random() < KILLED_TWICE:
                self._kill(seconds)
        for command in operation.then or [operation.command]:
            done = world.run(*command, "--json", stdin=operation.stdin)
            if done.code and _error(done) not in operation.done:
                self.faults.append(f"{' '.join(command)}: {done.code}: {done.stderr[-300:]}")
        return self._state()

    def _run_whole(self) -> None:
        operation, world = self._operation, self._world
        if not operation.seconds:
            world.run(*operation.command, stdin=operation.stdin)
            return
        process = world.start(*operation.command)
        _PAUSE.wait(operation.seconds)
        operation.meanwhile(world)
        process.send_signal(signal.SIGINT)
        process.stdin.close()
        process.stdout.read()
        process.wait(PATIENCE_S)

    def _kill(self, seconds: float) -> None:
        operation = self._operation
        moment = self._random.random() * seconds
        process = self._world.start(*operation.command)
        process.stdin.write(operation.stdin.encode())
        process.stdin.close()
        wait = moment * self._random.random()
        _PAUSE.wait(wait)
        operation.meanwhile(self._world)
        _PAUSE.wait(max(0.0, moment - wait))
        process.kill()
        process.stdout.close()
        self.kills += process.wait(PATIENCE_S) < 0
        self._check_processes()
        self._check_reader()

    def _check_processes(self) -> None:
        # workers notice the death of their parent by themselves
        deadline = time.monotonic() + PATIENCE_S
        marker = f"TMPDIR={self._world.environ['TMPDIR']}"
        command = ["pgrep", "-f", "kebab_runtime.worker_process"]
        while left := [
            pid
            for pid in subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
            if _has(pid, marker)
        ]:
            if time.monotonic() > deadline:
                self.faults.append(f"processes are left: {left}")
                return
            _PAUSE.wait(0.05)

    def _check_reader(self) -> None:
        for archive in (self._world.work / "out").iterdir():
            if archive.suffix != ".zip" or not _is_whole(archive):
                self.faults.append(f"{archive.name} is left and no whole archive")
        done = self._world.run("search", "the text", "--json", "--readonly")
        if done.code not in {0, 1} and _error(done) not in READABLE:
            self.faults.append(f"a reader gets {done.code}: {done.stderr[-300:]}")

    def _state(self) -> dict[str, object]:
        world = self._world
        loaded = load_settings(config_path=world.config, environ=world.environ)
        with App(loaded, readonly=True) as app:
            self.faults += [
                f"doctor: {each.name}: {each.detail}" for each in app.doctor().checks if not each.ok
            ]
            state = dump_all(app)
            for text, mode in QUERIES:
                hits = app.search(SearchQuery(text=text, mode=mode)).hits
                state[f"hits of {text}"] = [(hit.chunk_id, round(hit.score, _PLACES)) for hit in hits]
        return {**state, "names of files": world.files(), "configuration": world.config.read_text()}


def _has(pid: str, marker: str) -> bool:
    try:
        return marker.encode() in Path("/proc", pid, "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _is_whole(archive: Path) -> bool:
    try:
        with ZipFile(archive) as opened:
            return opened.testzip() is None
    except (BadZipFile, OSError):
        return False


def _error(done: Outcome) -> str:
    lines = done.stderr.splitlines()
    return str(json.loads(lines[-1]).get("code")) if lines and lines[-1].startswith("{") else ""


def _difference(found: object, expected: object) -> str:
    if isinstance(found, set) and isinstance(expected, set):
        return f"more: {sorted(found - expected)}, fewer: {sorted(expected - found)}"
    one, other = str(found), str(expected)
    at = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    return f"…{one[max(0, at - 60) : at + 60]}… and not …{other[max(0, at - 60) : at + 60]}…"


class Trials:
    """Rounds of every operation until there are so many kills."""

    def __init__(self, world: World, names: Sequence[str], seed: int) -> None:
        self._world, self._seed = world, seed
        self._operations = {n: o for n, o in list_operations(world).items() if not names or n in names}
        self._expected: dict[str, dict[str, object]] = {}
        self._seconds: dict[str, float] = {}
        self.kills = dict.fromkeys(self._operations, 0)
        self.faulty = dict.fromkeys(self._operations, 0)

    def learn(self) -> None:
        """Run every operation whole, for its results and the time that it takes."""
        for name, operation in self._operations.items():
            whole = Round(self._world, operation, Random(self._seed))  # noqa: S311 - moments, no secrets
            self._expected[name] = whole.play(None)
            self._seconds[name] = operation.seconds or self._time(operation)
            self._report(name, "whole", whole.faults)

    def _time(self, operation: Operation) -> float:
        self._world.reset()
        operation.prepare(self._world)
        began = time.perf_counter()
        self._world.run(*operation.command, stdin=operation.stdin)
        return time.perf_counter() - began

    def run(self, kills: int) -> None:
        """Go on until there are so many kills."""
        number = 0
        while sum(self.kills.values()) < kills:
            for name, operation in self._operations.items():
                self._play(name, operation, number)
            number += 1
            print(f"{number} rounds of each, {sum(self.kills.values())} kills", flush=True)

    def _play(self, name: str, operation: Operation, number: int) -> None:
        seed = f"{self._seed} {name} {number}"
        one = Round(self._world, operation, Random(seed))  # noqa: S311 - likewise
        state = one.play(self._seconds[name])
        expected = self._expected[name]
        faults = one.faults + [
            f"{part}: {_difference(state[part], expected[part])}"
            for part in expected
            if state[part] != expected[part]
        ]
        self.kills[name] += one.kills
        self.faulty[name] += bool(faults)
        self._report(name, str(number), faults)

    def _report(self, name: str, number: str, faults: Sequence[str]) -> None:
        for fault in faults:
            print(f"  {name} {number}: {fault}", flush=True)
        if faults:
            kept = Path(tempfile.mkdtemp(prefix=f"kills-{name.replace(' ', '-')}-{number}-"))
            shutil.copytree(self._world.work, kept, dirs_exist_ok=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="OPERATION", help="all of them without")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31), help="a fresh one without")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder).resolve())
        trials = Trials(world, options.names, options.seed)
        trials.learn()
        trials.run(options.kills)
        world.close()
    for name, kills in trials.kills.items():
        print(f"{name:12} {kills:5} kills, {trials.faulty[name]} rounds with faults")
    print(f"{sum(trials.kills.values())} kills, {sum(trials.faulty.values())} rounds with faults")
    return 1 if any(trials.faulty.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
