from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kebab_store_sqlite.path_glob import path_matches

NAMES = st.text(alphabet="ab가.-[]!*?\\^ ", min_size=1, max_size=6)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
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
