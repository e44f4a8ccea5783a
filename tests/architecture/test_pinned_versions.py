"""Three lists must agree: the pins of the workspace, the exported hashes and what members ask for."""

import re
from pathlib import Path

from kebab_testing.tables import walk

from tests.architecture.members import MEMBERS, ROOT, read_toml, requirement_name

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?:\s*;\s*([^\\]+?))?\s*\\?$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")
NOTE = re.compile(r"^    # ")
CONSTRAINTS = read_toml(ROOT / "pyproject.toml")["tool"]["uv"]["constraint-dependencies"]
BUILD_CONSTRAINTS = read_toml(ROOT / "pyproject.toml")["tool"]["uv"]["build-constraint-dependencies"]
FILES = {name: ROOT / "requirements" / f"{name}.txt" for name in ("runtime", "dev", "audio", "build", "uv")}


def _pin(text: str) -> tuple[str, str]:
    match = PIN.match(text)
    assert match, text
    return requirement_name(match[1]), match[2]


def _pins(path: Path) -> set[tuple[str, str]]:
    return {_pin(line) for line in path.read_text("utf-8").splitlines() if not line.startswith(" ")}


def _names(path: Path) -> set[str]:
    return {name for name, _ in _pins(path)}


def _outside(requirements: list[str]) -> set[str]:
    return {requirement_name(text) for text in requirements} - {member.name for member in MEMBERS}


def test_everything_that_can_be_installed_is_pinned_and_nothing_else() -> None:
    assert _pins(FILES["dev"]) | _pins(FILES["audio"]) == {_pin(text) for text in CONSTRAINTS}


def test_what_the_command_needs_is_part_of_everything() -> None:
    assert _pins(FILES["runtime"]) < _pins(FILES["dev"])


def test_what_builds_is_pinned_with_uv_itself_apart() -> None:
    pinned = {_pin(text) for text in BUILD_CONSTRAINTS}
    assert _names(FILES["uv"]) == {"uv"}
    assert _pins(FILES["uv"]) | _pins(FILES["build"]) == pinned
    assert not _pins(FILES["uv"]) & _pins(FILES["build"])


@walk("constraints", [CONSTRAINTS, BUILD_CONSTRAINTS])
def test_pins_are_sorted(constraints: list[str]) -> None:
    names = [_pin(text) for text in constraints]
    assert names == sorted(names)


@walk("path", FILES.values())
def test_a_requirements_file_is_pins_hashes_and_remarks(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert not [line for line in lines if not (PIN.match(line) or HASH.match(line) or NOTE.match(line))]


@walk("path", FILES.values())
def test_every_pin_has_a_hash(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    followed = zip(lines, [*lines[1:], ""], strict=True)
    assert not [line for line, after in followed if PIN.match(line) and not HASH.match(after)]


@walk("path", FILES.values())
def test_a_requirements_file_names_no_address(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not [word for word in ("://", "--index", "--extra", "--find", "-e ", " @ ") if word in text]


def test_what_members_ask_for_is_in_the_requirements() -> None:
    asked = {
        member.name: _outside(member.project["dependencies"])
        for member in MEMBERS
        if member.name != "kebab-testing"
    }
    assert not set().union(*asked.values()) - _names(FILES["dev"])
    of_extras = {
        requirement_name(text)
        for member in MEMBERS
        for extra, texts in member.project.get("optional-dependencies", {}).items()
        if extra != "ocr"  # which `.ci/pins` has installed with the command
        for text in texts
    }
    installed = [names for member, names in asked.items() if member not in of_extras]
    assert not set().union(*installed) - _names(FILES["runtime"])


def test_what_developers_ask_for_is_in_the_requirements() -> None:
    groups = read_toml(ROOT / "pyproject.toml")["dependency-groups"]
    assert not {name for group in groups.values() for name in _outside(group)} - _names(FILES["dev"])


@walk("member", MEMBERS)
def test_what_builds_a_member_is_pinned(member: object) -> None:
    needed = read_toml(member.folder / "pyproject.toml")["build-system"]["requires"]  # type: ignore[attr-defined]
    assert {requirement_name(text) for text in needed} <= {_pin(text)[0] for text in BUILD_CONSTRAINTS}
