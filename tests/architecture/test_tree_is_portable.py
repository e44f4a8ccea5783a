"""Nothing in the tree may name the machine it was written on or the registry its packages came from."""

import re
from functools import cache

from kebab_testing.tables import walk

from tests.architecture.members import ROOT, files_below, shown

GENERATED = {"uv.lock"}
HERE = "tests/architecture/test_tree_is_portable.py"
PLACES = re.compile(r"(?<![\w.~}-])/(?:root|home|work|workspace|builds|tmp|Users)/(?!(?:kim|me)\b)[\w.-]+")
"""Absolute paths of somebody's machine; `kim` and `me` live in examples."""
REGISTRIES = re.compile(
    r"https?://[^/\s\"']*(?:pypi|pythonhosted|artifactory|nexus|devpi)|pythonhosted\.org|--(?:extra-)?index-url"
    r"|file:///",
    re.IGNORECASE,
)


@cache
def _text_files() -> list[tuple[str, str]]:
    texts = []
    for path in files_below(ROOT):
        if path.name in GENERATED or shown(path) == HERE:
            continue
        try:
            texts.append((shown(path), path.read_text("utf-8")))
        except UnicodeDecodeError:
            continue
    return texts


@walk("pattern", [PLACES, REGISTRIES])
def test_no_file_names_this_machine_or_a_registry(pattern: re.Pattern[str]) -> None:
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in _text_files()
        if pattern.search(text)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found


@walk(
    ("pattern", "line"),
    [
        (PLACES, "see /work/main/a"),
        (PLACES, '"/root/x"'),
        (PLACES, "in /tmp/build-1"),
        (PLACES, "of /home/somebody/kebab"),
        (REGISTRIES, "https://pypi.org/simple"),
        (REGISTRIES, "pip install --index-url x"),
    ],
)
def test_the_patterns_find_what_they_are_for(pattern: re.Pattern[str], line: str) -> None:
    assert pattern.search(line)


@walk(
    "line",
    [
        "docs/work/a.md",
        "~/root/x",
        "/home/me/notes",
        "/home/kim",
        "the /tmp folder",
        "$HOME/work/x",
        "https://pypi.example",
    ],
)
def test_the_patterns_leave_ordinary_text_alone(line: str) -> None:
    assert not PLACES.search(line)
