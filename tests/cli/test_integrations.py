"""What `integrations/` teaches agents and hosts is what kebab does."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from kebab_cli.main import cli
from kebab_core import TokenCounter
from kebab_testing.tables import walk
from kebab_wire import ErrorCode

from tests.integration.served import Served

ROOT = Path(__file__).parents[2]
HOSTS = sorted((ROOT / "integrations" / "hosts").iterdir())
SKILL = ROOT / "integrations" / "skills" / "kebab" / "SKILL.md"
TEXT = SKILL.read_text(encoding="utf-8")
_, FRONT, BODY = TEXT.split("---\n", 2)
EXAMPLES = [line for block in re.findall(r"```sh\n(.*?)```", BODY, re.DOTALL) for line in block.splitlines()]
CALLS = [line for block in re.findall(r"```text\n(.*?)```", BODY, re.DOTALL) for line in block.splitlines()]
PROSE = re.sub(r"```(?:sh|text)\n.*?```", "", BODY, flags=re.DOTALL)
SCHEMAS = ROOT / "wire-schema" / "v1"
MAX_SKILL_TOKENS = 2_000
MAX_FRONT_TOKENS = 200
GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


@pytest.fixture(scope="module")
def guides(make_inside, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    """A knowledge base of the guides, which `kebab demo` shows too."""
    base = make_inside(tmp_path_factory.mktemp("guides"))
    shutil.copytree(ROOT / "docs" / "guide", base.notes, dirs_exist_ok=True)
    base.write("notes.md", "# 메모\n\n벡터는 뜻을 담는다.\n")
    assert base("ingest").code == 0
    return base


@pytest.fixture(scope="module")
def ids(guides) -> dict[str, str]:  # type: ignore[no-untyped-def]
    hit = guides("search", "색인", "--json").last["hits"][0]
    return {"ADDRESS": hit["address"]}


@pytest.fixture(scope="module")
def tools(guides) -> dict[str, Any]:  # type: ignore[no-untyped-def]
    asked = [("initialize", GREETING), ("tools/list", {})]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    ]
    done = subprocess.run(
        guides.kebab.command("mcp", "--config", str(guides.config)),
        env=guides.kebab.environment(),
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    answers = {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}
    return {tool["name"]: tool for tool in answers[1]["result"]["tools"]}


@cache
def wire_words() -> set[str]:
    """Return every name and every fixed value of the published objects."""

    def walk(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value.get("properties", {}) if isinstance(value.get("properties"), dict) else ()
            yield from (
                each for each in (*value.get("enum", ()), value.get("const")) if isinstance(each, str)
            )
            for each in value.values():
                yield from walk(each)
        elif isinstance(value, list):
            for each in value:
                yield from walk(each)

    return {
        word for path in SCHEMAS.glob("*.schema.json") for word in walk(json.loads(path.read_text("utf-8")))
    }


def test_the_front_matter_has_the_format_that_agents_share() -> None:
    front = yaml.safe_load(FRONT)
    assert front.keys() == {"name", "description", "license", "compatibility"}
    assert front["name"] == SKILL.parent.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", front["name"])
    assert len(front["name"]) <= 64
    assert 1 <= len(front["description"]) <= 1024
    assert len(front["compatibility"]) <= 500


def test_the_skill_costs_little() -> None:
    count = TokenCounter().count
    assert count(FRONT) <= MAX_FRONT_TOKENS
    assert count(BODY) <= MAX_SKILL_TOKENS


@walk("line", EXAMPLES)
def test_every_example_of_the_skill_runs(line: str, guides, ids: dict[str, str]) -> None:  # type: ignore[no-untyped-def]
    for name, value in ids.items():
        line = line.replace(name, value)
    before, _, command = line.rpartition("kebab ") if " | " in line else ("", "", line.removeprefix("kebab "))
    given = shlex.split(before.removesuffix(" | "))[2:]
    done = guides(*shlex.split(command), stdin="".join(f"{each}\n" for each in given))
    assert done.code == 0, done.stderr
    assert done.objects


def test_every_call_of_the_skill_succeeds_in_its_order(guides, ids: dict[str, str]) -> None:  # type: ignore[no-untyped-def]
    known = dict(ids)
    server = Served(guides.config, env={"HOME": str(guides.kebab.home)})
    with server.process:
        server.start()
        called = set()
        for line in CALLS:
            name, _, text = line.partition(" ")
            arguments = {
                key: known.get(value, value) if isinstance(value, str) else value
                for key, value in json.loads(text).items()
            }
            found = server.call(name, **arguments)
            called.add(name)
            if name == "search":
                assert found["hits"], line
            if name == "write_note":
                known["NOTE"] = found["address"]
                assert server.call("fetch", address=known["NOTE"])["text"]
        assert server.end() == 0
    listed = set(re.findall(r"`(\w+)\([\w, ]*\)`", BODY))
    assert listed - called == {"doctor", "ingest_file"}


def test_every_tool_and_argument_of_the_skill_is_there(tools: dict[str, Any]) -> None:
    named = dict(re.findall(r"`(\w+)\(([\w, ]*)\)`", BODY))
    assert named.keys() == tools.keys()
    for name, arguments in named.items():
        known = tools[name]["inputSchema"]["properties"]
        assert set(arguments.replace(" ", "").split(",")) - {""} <= known.keys()


def test_every_name_in_the_skill_is_one_of_kebab(tools: dict[str, Any]) -> None:
    arguments = {name for tool in tools.values() for name in tool["inputSchema"]["properties"]}
    known = wire_words() | arguments | tools.keys() | {str(code) for code in ErrorCode}
    words = {*re.findall(r"`([a-z][a-z_]*)`", PROSE)} - {"kebab"}
    assert words
    unknown = words - known
    assert not unknown


def test_every_command_in_the_skill_is_there() -> None:
    context = click.Context(cli)
    named = {name for text in (PROSE, *EXAMPLES) for name in re.findall(r"(?:`|^|\| )kebab ([a-z-]+)", text)}
    assert named <= set(cli.list_commands(context))


@pytest.mark.parametrize("file", HOSTS, ids=lambda file: file.stem)
def test_the_entry_for_a_host_is_what_install_writes(file: Path, indexed, inside, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    kebab = inside(indexed).kebab
    written = tmp_path / file.name
    done = kebab("mcp", "install", file.stem, "--file", str(written), "--json")
    assert done.last["arguments"] == ["mcp"]
    if file.suffix == ".yaml":  # which is printed, not written
        shown = kebab("mcp", "install", file.stem, "--file", str(written)).stdout
    else:
        shown = written.read_text(encoding="utf-8")
    assert file.read_text(encoding="utf-8") == shown.replace(str(done.last["command"]), "kebab")


def test_every_host_has_its_entry_and_stands_in_the_readme(quick) -> None:  # type: ignore[no-untyped-def]
    hosts = quick("mcp", "install", "--json").last["hosts"]
    assert [file.stem for file in HOSTS] == [host["host"] for host in hosts]
    readme = (ROOT / "integrations" / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| \[(\S+)\]\(hosts/\2\) \|$", readme, re.MULTILINE)
    assert rows == [(host["title"], file.name) for host, file in zip(hosts, HOSTS, strict=True)]
