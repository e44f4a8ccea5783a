from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, example, given, settings, strategies as st
from kebab_store_sqlite.path_glob import path_matches
from kebab_testing.families import examples
from kebab_testing.tables import walk

NAMES = st.text(alphabet="ab가.-[]!*?\\^ ", min_size=1, max_size=6)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@walk(
    ("glob", "path", "expected"),
    [
        ("notes/", "notes/a/b.md", True),
        ("notes/", "notes", False),
        ("/notes/*", "notes/a.md", True),
        ("a**b", "a/x/b", True),
        ("a/**", "a", False),
        ("**/b", "b", True),
        ("x**/b", "xb", False),
        (r"\*.md", "*.md", True),
        (r"\*.md", "a.md", False),
        ("[*].md", "*.md", True),
        ("[]a].md", "].md", True),
        ("[a-c]", "b", True),
        ("[c-a]", "b", False),
        ("[]-[]", "]", False),
        ("[!c-a]", "b", True),
        ("[^a]", "b", True),
        ("[!x]", "/", False),
        ("[a", "[a", True),
        ("[]", "[]", True),
        ("a.c", "abc", False),
        ("a\n", "a\n", True),
    ],
)
def test_glob_syntax(glob: str, path: str, expected: bool) -> None:
    assert path_matches(glob, path) is expected


@given(glob=st.text(max_size=20), path=PATHS)
def test_no_glob_is_ever_an_error(glob: str, path: str) -> None:
    assert path_matches(glob, path) in {True, False}


@given(path=PATHS)
def test_an_escaped_path_matches_itself_and_two_stars_match_everything(path: str) -> None:
    escaped = "".join(f"\\{char}" for char in path)
    assert path_matches(escaped, path)
    assert path_matches("**", path)
    assert path_matches("*", path) is ("/" not in path)


PIECES = st.sampled_from([
    "a",
    "b",
    "-",
    "가",
    "/",
    "*",
    "**",
    "**/",
    "?",
    "[ab]",
    "[!a]",
    "[b-가]",
    "\\",
    "[",
    "]",
])
SHORT_PATHS = st.lists(st.text(alphabet="ab가-]", min_size=1, max_size=3), min_size=1, max_size=4).map(
    "/".join
)


def backtracking_expression(glob: str) -> str:
    """Say what a glob means as a regular expression, which takes exponential time for some."""
    pattern = unicodedata.normalize("NFC", glob).removeprefix("/")
    pattern += "**" if pattern.endswith("/") else ""
    signs = re.compile(
        r"(?P<folders>(?<![^/])\*{2,}/)|(?P<all>\*{2,})|(?P<star>\*)|(?P<one>\?)|\\(?P<literal>.)"
        r"|\[(?P<negated>[!^]?)(?P<members>\]?[^\]]+)\]|(?P<other>.)"
    )

    def translate(sign: re.Match[str]) -> str:
        if sign["members"]:
            return f"(?!/)[{'^' if sign['negated'] else ''}{re.sub(r'[^-]', lambda char: re.escape(char[0]), sign['members'])}]"
        meanings = {"folders": "(?:.*/)?", "all": ".*", "star": "[^/]*", "one": "[^/]"}
        return meanings.get(sign.lastgroup or "") or re.escape(sign["literal"] or sign["other"])

    return signs.sub(translate, pattern)


@pytest.mark.thorough
@settings(max_examples=examples(1000))
@given(glob=st.lists(PIECES, min_size=1, max_size=7).map("".join), path=SHORT_PATHS)
@example(glob="**/a**/b", path="a/b")
@example(glob="*a*b", path="aab")
@example(glob="a/**/b", path="a/b")
def test_a_glob_means_what_its_regular_expression_means(glob: str, path: str) -> None:
    try:
        expected = re.fullmatch(backtracking_expression(glob), path, re.DOTALL) is not None
    except re.error:  # a reversed range
        assume(False)
    assert path_matches(glob, path) is expected


@walk("piece", ["**/", "**a", "*a", "**/*a", "?*", "[a]*", "a**/"])
def test_globs_of_many_wildcards_need_no_more_than_a_look(piece: str) -> None:
    assert not path_matches(piece * 200 + "x", "/".join(["a" * 20] * 40))
