"""What goes wrong has one code, wherever it goes wrong: command line, library, agents, one search or many."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_socket
from kebab_app import App
from kebab_config import load_settings
from kebab_core import KebabError, ReadonlyModeError
from kebab_testing.tables import walk
from kebab_wire import ErrorCode, ErrorV1, parse_wire

from tests.integration.error_causes import CAUSES, write_measures
from tests.integration.error_table import (
    BY_MEANING,
    CONVERSATION,
    FAILURES,
    NEVER_FAILS,
    OPERATIONS,
    QUESTION,
    READABLE,
    READING,
    REPORTED,
    TRIED_ELSEWHERE,
    WRITING,
    Operation,
)
from tests.integration.served import Served

ROOT = Path(__file__).parents[2]
READONLY = "read-only"
ANOTHER_WRITER = "another writer"
INGEST_ROOTS = '[mcp]\ningest_roots = ["."]\n'
"""Agents may have added what the command line may."""
TOOLS = {operation.tool for operation in OPERATIONS.values()} - {""}
WRITING_TOOLS = {OPERATIONS[name].tool for name in WRITING} - {""}


@dataclass
class Spoiled:
    """A knowledge base of two notes, an answer and no vectors, for a test to spoil."""

    kb: Any
    places: dict[str, str]

    @property
    def folder(self) -> Path:
        return self.kb.folder  # type: ignore[no-any-return]

    @property
    def config(self) -> Path:
        return self.kb.config  # type: ignore[no-any-return]

    @property
    def data(self) -> Path:
        return self.kb.data  # type: ignore[no-any-return]

    def __call__(self, *arguments: str, stdin: str = "") -> Any:
        return self.kb(*arguments, stdin=stdin)

    def settle(self, *sections: str) -> None:
        head = f'[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n{INGEST_ROOTS}'
        self.config.write_text(head + "".join(sections), encoding="utf-8")


@pytest.fixture(scope="module")
def asked_once(tmp_path_factory, make_inside) -> tuple[Path, dict[str, str]]:  # type: ignore[no-untyped-def]
    kb = make_inside(tmp_path_factory.mktemp("errors"))
    kb.write("한국어/색인.md", "# 색인\n\n색인은 파일이 바뀌면 다시 만들어진다.\n")
    kb.write("english/deployment.md", "# Deployment\n\nWe deploy with a blue green switch every Tuesday.\n")
    assert kb("ingest").code == 0
    write_measures(kb.folder)
    with kb.config.open("a", encoding="utf-8") as config:
        config.write(INGEST_ROOTS)
    assert kb("ask", QUESTION, "--session", CONVERSATION).code == 0
    (stored,) = kb("answers", "list", "--json").objects
    hit = kb("search", "색인", "--json").last["hits"][0]
    trace = stored["answers"][0]["answer"]["retrieval"]["trace_id"]
    return kb.folder, {"doc": hit["doc_id"], "chunk": hit["chunk_id"], "trace": trace}


@pytest.fixture
def spoiled(tmp_path, kebab, inside, asked_once) -> Spoiled:  # type: ignore[no-untyped-def]
    folder, places = asked_once
    shutil.copytree(folder, tmp_path / "kb")
    kb = inside(SimpleNamespace(folder=tmp_path / "kb", kebab=kebab))
    return Spoiled(kb, {**places, "folder": str(tmp_path / "kb")})


@pytest.fixture(scope="module")
def reader(asked_once) -> Iterator[Served]:  # type: ignore[no-untyped-def]
    """A server over what no test spoils."""
    folder, _ = asked_once
    agent = Served(folder / "kebab.toml")
    with agent.process:
        agent.start()
        yield agent
        agent.kill()


def fill(value: Any, places: Mapping[str, str]) -> Any:
    """Return a value with the places that it names."""
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace(f"{{{name}}}", place)
        return value
    if isinstance(value, dict):
        return {name: fill(each, places) for name, each in value.items()}
    return [fill(each, places) for each in value] if isinstance(value, list | tuple) else value


def check_error(line: str) -> ErrorV1:
    """Return an error of the wire; it says what is the matter and what to do."""
    error = parse_wire(line)
    assert isinstance(error, ErrorV1), line
    assert error.message
    assert error.hint
    return error


def told_to_programs(base: Spoiled, operation: Operation, *flags: str) -> ErrorV1:
    done = base(*fill(operation.argv, base.places), "--json", *flags, stdin=operation.stdin)
    if operation.is_bulk and done.code == 0:
        (item,) = done.objects
        assert (item["response"], done.error["failed"]) == (None, 1)
        return check_error(json.dumps(item["error"]))
    assert (done.code, done.stdout) == (2, ""), operation.argv
    (line,) = done.stderr.splitlines()
    return check_error(line)


def told_to_people(base: Spoiled, operation: Operation, *flags: str) -> str:
    done = base(*fill(operation.argv, base.places), *flags, stdin=operation.stdin)
    lines = done.stderr.splitlines()
    if operation.is_bulk and done.code == 0:
        assert lines[0].startswith("# Query 1: ")
        assert lines.pop().endswith("0 succeeded, 1 failed")
        lines = lines[1:]
    else:
        assert done.code == 2, operation.argv
    assert done.stdout == ""
    error, hint = lines[-2:]
    assert error.startswith("error: ")
    assert hint.startswith("hint: ")
    return error.removeprefix("error: ")


def told_to_agents(agent: Served, operation: Operation, places: Mapping[str, str]) -> ErrorV1:
    arguments = fill(dict(operation.arguments), places)
    result = agent.ask("tools/call", {"name": operation.tool, "arguments": arguments})
    (block,) = result["content"]
    if operation.is_bulk and not result["isError"]:
        (item,) = result["structuredContent"]["results"]
        assert "response" not in item
        return check_error(json.dumps(item["error"]))
    assert result["isError"] is True
    assert result["structuredContent"] == json.loads(block["text"])
    return check_error(block["text"])


def told_to_library(base: Spoiled, operation: Operation, *, readonly: bool) -> KebabError:
    assert operation.call is not None
    try:
        loaded = load_settings(config_path=base.config, environ={"HOME": str(base.kb.kebab.home)})
        with App(loaded, readonly=readonly) as app:
            outcome = operation.call(app, base.places)
    except KebabError as error:
        outcome = error
    assert isinstance(outcome, KebabError), (operation.argv, outcome)
    return outcome


@contextmanager
def serving(
    base: Spoiled, *flags: str, env: Mapping[str, str] | None = None, waits: bool = True
) -> Iterator[Served]:
    """Run a server, one that waits for no other writer where `waits` is false."""
    environ = {"HOME": str(base.kb.kebab.home), **(env or {})}
    if waits:
        agent = Served(base.config, *flags, env=environ)
    else:
        path = {"PYTHONPATH": str(ROOT)}
        agent = Served(
            base.config, *flags, env={**environ, **path}, module="tests.integration.impatient_server"
        )
    with agent.process:
        try:
            agent.start()
            yield agent
        finally:
            agent.kill()


def names_of_tools(agent: Served) -> set[str]:
    return {tool["name"] for tool in agent.ask("tools/list")["tools"]}


def unpretended(base: Spoiled) -> Any:
    return nullcontext(base)


@pytest.mark.thorough
@pytest.mark.parametrize("matter", sorted(FAILURES))
def test_what_goes_wrong_is_the_same_error_for_everyone(matter: str, spoiled: Spoiled) -> None:
    pytest_socket.enable_socket()  # for servers of this machine; it is forbidden again before the next test
    code, names = FAILURES[matter]
    flags = ["--readonly"] if matter == READONLY else []
    waits = matter != ANOTHER_WRITER
    with CAUSES.get(matter, unpretended)(spoiled), serving(spoiled, *flags, waits=waits) as agent:
        for name in names:
            operation = OPERATIONS[name]
            error = told_to_programs(spoiled, operation, *flags)
            assert (name, error.code) == (name, code)
            assert told_to_people(spoiled, operation, *flags) == error.message
            if operation.call is not None:
                raised = told_to_library(spoiled, operation, readonly=bool(flags))
                assert (raised.code, raised.message) == (code, error.message)
            if operation.tool:
                told = told_to_agents(agent, operation, spoiled.places)
                assert (told.code, told.message) == (code, error.message)


@pytest.mark.parametrize("matter", sorted(REPORTED))
def test_what_goes_wrong_with_vectors_is_an_error_of_the_run_over_them(matter: str, spoiled: Spoiled) -> None:
    pytest_socket.enable_socket()
    with CAUSES[matter](spoiled):
        done = spoiled("embed", "--json")
        assert done.code == 2
        assert done.objects[-1]["kind"] == "aborted"
        error = check_error(done.stderr)
        shown = spoiled("embed")
        assert (shown.code, shown.stdout) == (2, "")
        assert f"error: {error.message}" in shown.stderr.splitlines()
        loaded = load_settings(config_path=spoiled.config, environ={"HOME": str(spoiled.kb.kebab.home)})
        with App(loaded) as app, pytest.raises(KebabError) as raised:
            app.embed()
        assert error.code == raised.value.code == REPORTED[matter]


def snapshot(*folders: Path) -> dict[Path, bytes]:
    """Return every file but those by which SQLite's readers know of each other."""
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if path.suffix not in {".sqlite-shm", ".sqlite-wal"}}


@pytest.mark.parametrize("means", ["--readonly", "KEBAB_READONLY"])
def test_where_nothing_may_be_written_reading_works_and_nothing_changes(
    means: str, spoiled: Spoiled, words_only: Callable[[str], AbstractContextManager[None]]
) -> None:
    flags = ["--readonly"] if means == "--readonly" else []
    if not flags:
        spoiled.kb.kebab.environ["KEBAB_READONLY"] = "1"
    before = snapshot(spoiled.folder, spoiled.kb.kebab.home)
    loaded = load_settings(config_path=spoiled.config, environ={"HOME": str(spoiled.kb.kebab.home)})
    with serving(spoiled, *flags, env=spoiled.kb.kebab.environ) as agent, App(loaded, readonly=True) as app:
        assert names_of_tools(agent) == TOOLS - WRITING_TOOLS
        for name in (*(READABLE if flags else READING), *WRITING):
            operation, is_refused = OPERATIONS[name], name in WRITING
            with words_only(name):
                done = spoiled(*fill(operation.argv, spoiled.places), "--json", *flags, stdin=operation.stdin)
            assert (name, done.code) == (name, 2 if is_refused else 0), done.stderr
            if is_refused:
                assert check_error(done.stderr).code == "readonly_mode"
            if operation.tool:
                arguments = fill(dict(operation.arguments), spoiled.places)
                result = agent.ask("tools/call", {"name": operation.tool, "arguments": arguments})
                assert (name, result["isError"]) == (name, is_refused)
            if operation.call is not None:
                with pytest.raises(ReadonlyModeError) if is_refused else nullcontext():
                    operation.call(app, spoiled.places)
    assert snapshot(spoiled.folder, spoiled.kb.kebab.home) == before


def test_every_operation_is_a_reader_or_a_writer_or_fails_by_itself() -> None:
    by_itself = {name for matter, (_, names) in FAILURES.items() if matter not in CAUSES for name in names}
    assert {*READABLE, *WRITING, *by_itself} | set(BY_MEANING) == set(OPERATIONS)


def error_codes(kind: type[KebabError] = KebabError) -> set[str]:
    return {kind.code, *(code for child in kind.__subclasses__() for code in error_codes(child))} - {""}


def test_every_code_is_brought_about_or_said_why_not() -> None:
    tried = {code for code, _ in FAILURES.values()} | set(REPORTED.values())
    assert error_codes() == set(ErrorCode) == tried | set(TRIED_ELSEWHERE)
    assert not tried & set(TRIED_ELSEWHERE)


def test_every_cause_is_that_of_a_failure() -> None:
    assert set(CAUSES) <= set(FAILURES) | set(REPORTED)


def test_every_command_and_tool_fails_of_something_or_is_said_never_to(leaf_commands, reader) -> None:  # type: ignore[no-untyped-def]
    failing = [OPERATIONS[name] for _, names in FAILURES.values() for name in names]
    commands = {" ".join(operation.argv) for operation in failing}
    without = {
        command
        for command in leaf_commands
        if not any(f"{called} ".startswith(f"{command} ") for called in commands)
    }
    assert without == set(NEVER_FAILS) - {"doctor"}  # whose repair may fail
    assert {operation.tool for operation in failing} - {""} == names_of_tools(reader) - set(NEVER_FAILS)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_a_flag_that_there_is_not_is_an_error_of_every_command(name: str, spoiled: Spoiled) -> None:
    operation = OPERATIONS[name]
    unknown = replace(operation, argv=(*operation.argv, "--frobnicate"), is_bulk=False)
    assert told_to_programs(spoiled, unknown).code == "invalid_input"
    assert "--frobnicate" in told_to_people(spoiled, unknown)


@walk("tool", sorted(TOOLS))
def test_an_argument_that_there_is_not_is_an_error_of_every_tool(tool: str, reader: Served) -> None:
    unknown = Operation(tool=tool, arguments={"frobnicate": True})
    error = told_to_agents(reader, unknown, {})
    assert error.code == "invalid_input"
    assert "frobnicate" in error.message
