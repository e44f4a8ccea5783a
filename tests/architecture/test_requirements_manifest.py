"""What the README and the reference promise is proven: `tests/requirements.toml` leads from each promise to the tests that hold it."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

from kebab_testing.tables import walk

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "tests" / "requirements.toml"


@cache
def promises() -> list[dict[str, object]]:
    found: list[dict[str, object]] = tomllib.loads(MANIFEST.read_text(encoding="utf-8"))["promise"]
    return found


@cache
def defined_tests(path: str) -> frozenset[str]:
    """Return the tests that a file defines, those of classes as `Class::test`."""
    names = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        names |= {prefix + m.name for m in members if isinstance(m, ast.FunctionDef)}
    return frozenset(name for name in names if name.rpartition("::")[2].startswith("test_"))


def said_in_the_readme() -> set[str]:
    """Return the exit codes, and what can be relied on."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    codes = re.search(r"Exit codes: (.+?)\.(?: |$)", " ".join(text.split()))
    assert codes is not None
    bullets = text.partition("## What you can rely on")[2].partition("\n## ")[0]
    return {
        *(f"exit code {code}" for code in codes[1].split(", ")),
        *re.findall(r"^- (.+)$", bullets, re.MULTILINE),
    }


def commands() -> set[str]:
    """Return the commands that `kebab --help` lists, each with its summary."""
    text = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    listed = text.partition("Commands:\n")[2].partition("```")[0]
    return {
        f"`kebab {name}`: {says}" for name, says in re.findall(r"^  ([a-z-]+) +(.+)$", listed, re.MULTILINE)
    }


def wire_objects() -> set[str]:
    return {
        path.name.removesuffix(".schema.json") for path in (ROOT / "wire-schema/v1").glob("*.schema.json")
    }


SOURCES = {"README.md": said_in_the_readme, "docs/reference/cli.md": commands, "wire-schema/v1": wire_objects}


@walk("source", SOURCES)
def test_every_promise_is_listed_and_nothing_else_is(source: str) -> None:
    listed = [str(promise["says"]) for promise in promises() if promise["source"] == source]
    assert sorted(listed) == sorted(SOURCES[source]())


def test_prose_that_is_listed_is_still_said() -> None:
    for promise in promises():
        if promise["source"] not in SOURCES:
            text = (ROOT / str(promise["source"])).read_text(encoding="utf-8")
            assert str(promise["says"]) in " ".join(text.split())


def test_every_promise_is_held_by_tests_that_exist() -> None:
    for promise in promises():
        tests = promise["tests"]
        assert isinstance(tests, list)
        assert tests, promise["says"]
        assert [test for test in tests if not exists(test)] == []


def exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return (ROOT / path).is_file() and name in defined_tests(path)


def test_a_test_that_does_not_exist_is_noticed() -> None:
    here = "tests/architecture/test_requirements_manifest.py"
    assert exists(f"{here}::test_a_test_that_does_not_exist_is_noticed")
    assert not exists(f"{here}::test_of_nothing")
    assert not exists("tests/nowhere.py::test_of_nothing")
    assert not exists(f"{here}::promises")
