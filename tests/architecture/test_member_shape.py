import re
import subprocess
import sys
from itertools import product
from pathlib import Path

from kebab_testing.tables import walk

from tests.architecture.members import MEMBERS, ROOT, Member, read_toml, requirement_name

EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EACH = """\
import os, runpy, sys, traceback

home = os.getcwd()
for name in sys.argv[1:]:
    os.chdir(os.path.join(home, name))
    try:
        runpy.run_path("example.py", run_name="__main__")
    except BaseException:
        traceback.print_exc()
        print("in the example of", name, file=sys.stderr)
"""
"""Runs `example.py` in each folder named, all in one process, which imports what they share once."""
VERSION = read_toml(ROOT / "pyproject.toml")["project"]["version"]
LICENCES = {
    "kebab-model-e5-small": "(MIT OR Apache-2.0) AND MIT",
    "kebab-model-ocr": "(MIT OR Apache-2.0) AND Apache-2.0",
}
"""Of members whose wheel holds files of others."""
LIBRARIES = [member for member in MEMBERS if member.folder.parent.name == "packages"]

every_member = walk("member", MEMBERS)


@every_member
def test_a_member_has_a_readme_a_type_marker_and_tests(member: Member) -> None:
    assert (member.folder / "README.md").is_file()
    assert (member.source / "py.typed").is_file()
    assert list((member.folder / "tests").glob("**/test_*.py"))


@every_member
def test_the_project_table_says_the_same_everywhere(member: Member) -> None:
    project = member.project
    assert project["name"] == member.name
    assert project["version"] == VERSION
    assert project["requires-python"] == ">=3.11.5"
    assert project["license"] == LICENCES.get(member.name, "MIT OR Apache-2.0")
    assert project["readme"] == "README.md"
    assert project["description"].endswith(".")


@walk(("name", "member"), product(["LICENSE-MIT", "LICENSE-APACHE"], MEMBERS))
def test_a_member_carries_the_licence_texts_into_its_wheel(name: str, member: Member) -> None:
    # copies, since a build sees nothing outside the member's folder
    assert member.project["license-files"][0] == "LICENSE-*"
    assert (member.folder / name).read_bytes() == (ROOT / name).read_bytes()
    assert not (member.folder / name).is_symlink()


def test_the_summary_of_the_command_promises_only_what_is_there() -> None:
    (cli,) = (member for member in MEMBERS if member.name == "kebab-cli")
    readers = {member.name for member in MEMBERS if member.name.startswith("kebab-parse-")}
    summary = cli.project["description"].lower()
    assert {word for word in ("pdf", "images", "code") if word in summary} <= {
        name.removeprefix("kebab-parse-") for name in readers
    }
    assert ("ask" in summary.split()) is any(member.name == "kebab-rag" for member in MEMBERS)


@every_member
def test_members_require_each_other_exactly(member: Member) -> None:
    internal = [
        text for text in member.project["dependencies"] if requirement_name(text).startswith("kebab-")
    ]
    assert [text for text in internal if text != f"{requirement_name(text)}=={VERSION}"] == []


@every_member
def test_requirements_are_sorted_and_others_are_not_pinned(member: Member) -> None:
    requirements = member.project["dependencies"]
    assert sorted(requirements) == requirements
    assert not [text for text in requirements if "==" in text and not text.startswith("kebab-")]


def test_only_the_workspace_and_the_tests_stay_unpublished() -> None:
    private = "Private :: Do Not Upload"
    assert [member.name for member in MEMBERS if private in member.project.get("classifiers", [])] == [
        "kebab-testing"
    ]


def test_the_first_example_of_each_readme_runs(tmp_path: Path) -> None:
    for member in LIBRARIES:
        found = EXAMPLE.search(member.readme)
        assert found, f"no example in Python: {member.name}"
        (tmp_path / member.name).mkdir()
        (tmp_path / member.name / "example.py").write_text(found.group(1), "utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", EACH, *(member.name for member in LIBRARIES)],
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
