"""Knowledge bases with vectors of which one file is damaged, and what has to be true of them then and once mended."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from kebab_config import read_environment

from tests.command_server import CommandServer
from tests.integration.damages import DAMAGES, PLACES, WEIGHTS, Damage
from tests.integration.served import Served, ToolFailedError

NOTES = {
    "garden/quince.md": "# Quince\n\nThe quince blossoms in May.\n\n## Harvest\n\nPick the quince in October, before the frost.\n",
    "garden/fig.md": "# Fig\n\nThe fig wants a warm wall and little water.\n",
    "office/deploy.md": "# Deployment\n\nWe deploy on Tuesdays.\n\n## Rollback\n\nA rollback of the quince service takes five minutes.\n",
    "한국어/모과.md": "# 모과\n\n모과나무는 봄에 꽃이 핀다.\n\n## 수확\n\n모과는 시월에 딴다.\n",
    "한국어/배포.md": "# 배포\n\n배포는 화요일에 한다. 되돌리기는 오 분이 걸린다.\n",
}
LAST = {"late.md": "# Late\n\nThe medlar came last, after the quince.\n"}
GIVEN = "# Letter\n\nA letter about the quince, given by hand.\n"
QUERIES = ("quince", "모과 수확", "medlar", "rollback")
QUESTION = "When is the quince picked?"
_CONFIG = (
    '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\nvector_index = "{vector_index}"\n'
    "[models.embedding]\nthreads = 1\n"
)
MODES = ("lexical", "hybrid")
LOST = (EOFError, TimeoutError, OSError, ValueError, subprocess.TimeoutExpired)
_CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    *(("search", {"query": query, "mode": mode}) for query in QUERIES for mode in MODES),
    ("ask", {"question": QUESTION}),
    ("doctor", {}),
)
_FORBIDDEN = ("Traceback", "a bug in kebab", '"internal"', "panicked at", "Error:")
_COMMAND = re.compile(r"kebab (?:doctor|reset|ingest|embed)(?: --[a-z-]+)*")
_ROUNDS = 4


class Trial(NamedTuple):
    """What is damaged, and how."""

    place: str
    damage: Damage
    seed: int

    @property
    def name(self) -> str:
        return f"{self.damage.__name__} in {self.place}"


class Seen(NamedTuple):
    """What a knowledge base gives."""

    lexical: Mapping[str, frozenset[str]]
    hybrid: Mapping[str, frozenset[str]]
    answers: int


def draw_trial(random: Random) -> Trial:
    """Return one of all."""
    (place,) = random.choices(list(PLACES), WEIGHTS)
    return Trial(place, random.choice(DAMAGES), random.getrandbits(32))


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


def _last_object(text: str) -> dict[str, Any]:
    for line in reversed(text.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return {}


class DamagedBases:
    """Makes one knowledge base, and copies of it to be damaged.

    Args:
        scratch: An empty folder.
        commands: What runs kebab.
        vector_index: The setting of that name.
    """

    def __init__(self, scratch: Path, commands: CommandServer, *, vector_index: str = "lancedb") -> None:
        self._config = _CONFIG.format(vector_index=vector_index)
        self._commands = commands
        self._scratch = scratch
        self.whole = scratch / "whole"
        self._make()
        self.expected, faults = self._look(self.whole)
        assert not faults, faults

    def copy(self, name: str) -> Path:
        """Return a copy that may be spoiled."""
        home = self._scratch / name
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(self.whole, home)
        return home

    def find_faults(self, trial: Trial) -> list[str]:
        """Damage a copy and use it, carry out what is advised, use it again; return what was not as promised."""
        home = self.copy("damaged")
        damage_file(home, trial)
        before, faults = self._look(home)
        checked = self._run(home, "doctor", "--json")
        faults += faults_of(checked)
        faults += self._unsaid(before, checked)
        ingested = self._run(home, "ingest", "--json")
        faults += faults_of(ingested)
        return [*faults, *self.faults_once_mended(home, lossless=not _says_that_answers_go(checked))]

    def find_running_faults(self, trial: Trial) -> list[str]:
        """Damage a copy under a server for agents; return what was not as promised, then and once it is mended."""
        home = self.copy("damaged")
        server = Served(home / "kebab.toml", env={"HOME": str(self._scratch)})
        faults: list[str] = []
        try:
            server.start()
            for mode in MODES:
                server.call("search", query=QUERIES[0], mode=mode)
            damage_file(home, trial)
            faults += [fault for call in _CALLS for fault in _faults_of_call(server, *call)]
            checked = self._run(home, "doctor", "--json")
            faults += self.faults_once_mended(home, lossless=not _says_that_answers_go(checked))
            for mode in MODES:
                for query, then in getattr(self.expected, mode).items():
                    found = server.call("search", query=query, mode=mode, k=50)
                    now = frozenset(
                        hit["address"].partition("#")[0].rpartition(":")[2] for hit in found["hits"]
                    )
                    if now != then:
                        faults.append(f"once mended, the server finds {_told(now)} and not {_told(then)}")
            if code := server.end():
                faults.append(f"the server ended with {code}")
        except (ToolFailedError, *LOST) as error:
            faults.append(f"the server: {error!r}")
        finally:
            server.kill()
        return faults

    def faults_once_mended(self, home: Path, *, lossless: bool) -> list[str]:
        """Do what the doctor advises until it is content; return what is not as it was."""
        faults = []
        for _ in range(_ROUNDS):
            checked = self._run(home, "doctor", "--json")
            faults += faults_of(checked)
            hints = [check["hint"] for check in checked.last.get("checks", ()) if not check["ok"]]
            if not hints:
                break
            lossless = lossless and not _says_that_answers_go(checked)
            for done in self._follow(home, hints):
                faults += faults_of(done)
                if done.code not in {0, 3}:
                    faults.append(f"the remedy `{done.command}` failed: {done.stderr.strip()[-300:]}")
        else:
            faults.append(f"the doctor is not content after {_ROUNDS} rounds: {hints}")
        after, found = self._look(home)
        faults += found
        for query in QUERIES:
            for mode in MODES:
                now, then = getattr(after, mode).get(query), getattr(self.expected, mode)[query]
                if now != then:
                    faults.append(f"once mended, {mode} {query!r} finds {_told(now)} and not {_told(then)}")
        if lossless and after.answers < self.expected.answers:
            faults.append("once mended, stored answers are gone without a word")
        return faults

    def _make(self) -> None:
        self.whole.mkdir(parents=True)
        (self.whole / "kebab.toml").write_text(self._config, encoding="utf-8")
        write_notes(self.whole, NOTES)
        for arguments, stdin in (
            (("ingest",), ""),
            (("ingest-stdin", "--title", "Letter"), GIVEN),
            (("ask", QUESTION), ""),
        ):
            done = self._run(self.whole, *arguments, stdin=stdin)
            assert done.code in {0, 3}, done
        with closing(sqlite3.connect(self.whole / "data" / "kebab.sqlite")) as reader:
            # what is written while somebody reads stays in the log
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM documents").fetchone()
            write_notes(self.whole, LAST)
            done = self._run(self.whole, "ingest")
            assert done.code == 0, done
            assert (self.whole / "data" / "kebab.sqlite-wal").stat().st_size
            kept = self._scratch / "kept"
            shutil.copytree(self.whole, kept)
        shutil.rmtree(self.whole)
        kept.rename(self.whole)
        (self.whole / "data" / "kebab.sqlite-shm").unlink(missing_ok=True)
        pristine = self._scratch / "pristine"
        shutil.copytree(self.whole, pristine)
        self._pristine = pristine

    def _run(self, home: Path, *arguments: str, stdin: str = "") -> Done:
        done = self._commands.run(
            [*arguments, "--config", f"{home}/kebab.toml"],
            environ={**read_environment(), "HOME": str(self._scratch)},
            cwd=home,
            stdin=stdin,
        )
        return Done(" ".join(arguments), *done)

    def _look(self, home: Path) -> tuple[Seen, list[str]]:
        """Search, ask and list answers; return what was found, and what no damage excuses."""
        faults: list[str] = []
        found: dict[str, dict[str, frozenset[str]]] = {mode: {} for mode in MODES}
        for mode, kept in found.items():
            asked = "".join(json.dumps({"query": query, "mode": mode, "k": 50}) + "\n" for query in QUERIES)
            done = self._run(home, "search", "--bulk", "--json", stdin=asked)
            faults += faults_of(done)
            for query, item in zip(QUERIES, done.objects, strict=False):
                response, error = item.get("response"), item.get("error")
                failure = error or response["coverage"].get("leg_failure")
                if failure is None or (mode == "lexical" and error is None):
                    kept[query] = frozenset(hit["doc_path"] for hit in response["hits"])
                elif failure["code"] == "internal" or not failure.get("hint"):
                    faults.append(f"{mode} {query!r} says no remedy: {failure}")
                elif error is None:
                    words = {hit["doc_path"] for hit in response["hits"]}
                    if not found["lexical"].get(query, frozenset()) <= words:
                        faults.append(f"{mode} {query!r} finds less than by words")
        asked = self._run(home, "ask", QUESTION, "--json")
        faults += faults_of(asked)
        listed = self._run(home, "answers", "list", "--json")
        faults += faults_of(listed)
        return Seen(found["lexical"], found["hybrid"], len(listed.last.get("answers", ()))), faults

    def _unsaid(self, seen: Seen, checked: Done) -> Iterator[str]:
        """Yield what search did not find, or refused, while the doctor sees nothing wrong."""
        if not checked.last.get("ok"):
            return
        for mode in MODES:
            for query, then in getattr(self.expected, mode).items():
                now = getattr(seen, mode).get(query)
                if now != then:
                    yield f"{mode} {query!r} finds {_told(now)} and not {_told(then)}, and the doctor is content"

    def _follow(self, home: Path, hints: list[str]) -> Iterator[Done]:
        """Carry out the commands that hints name, each once, in order."""
        done: set[str] = set()
        for hint in hints:
            for command in _COMMAND.findall(hint.split(", or let")[0]):
                if command in done:
                    continue
                done.add(command)
                arguments = shlex.split(command)[1:]
                yield self._run(home, *arguments, *(["--yes"] if arguments[0] == "reset" else []))


def damage_file(home: Path, trial: Trial) -> None:
    """Damage a file of the place; nothing where there is none."""
    random = Random(trial.seed)  # noqa: S311 - what breaks is no secret
    files = sorted(path for path in (home / "data").glob(PLACES[trial.place]) if path.is_file())
    if files:
        trial.damage(random.choice(files), random)


def write_notes(home: Path, notes: Mapping[str, str]) -> None:
    """Write notes below a home."""
    for name, text in notes.items():
        path = home / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def faults_of(done: Done) -> list[str]:
    """Return what no damage excuses: a crash, a traceback, an error without a remedy."""
    faults = [
        f"`{done.command}` says {word!r}: {_around(done, word)}" for word in _FORBIDDEN if word in done.stderr
    ]
    if '"internal"' in done.stdout:
        faults.append(f"`{done.command}` tells of a bug: {done.stdout[-600:]}")
    if done.code < 0 or done.code not in {0, 1, 2, 3}:
        faults.append(f"`{done.command}` ends with {done.code}: {done.stderr.strip()[-300:]}")
    if done.code == 2 and not done.error.get("hint"):
        faults.append(f"`{done.command}` says no remedy: {done.stderr.strip()[-300:]}")
    return faults


def _faults_of_call(server: Served, tool: str, arguments: Mapping[str, object]) -> list[str]:
    """Call a tool of a server; return what no damage excuses.

    Raises:
        EOFError: The server has died.
    """
    try:
        server.call(tool, **arguments)
    except ToolFailedError as error:
        if error.code == "internal" or not error.hint:
            return [f"the server's {tool} {arguments}: {error}, hint {error.hint}"]
    return []


def _around(done: Done, word: str) -> str:
    place = done.stderr.index(word)
    return " ".join(done.stderr[max(0, place - 200) : place + 300].split())


def _says_that_answers_go(checked: Done) -> bool:
    return "stored answers" in checked.stdout


def _told(found: frozenset[str] | None) -> str:
    return "an error" if found is None else str(sorted(found))
