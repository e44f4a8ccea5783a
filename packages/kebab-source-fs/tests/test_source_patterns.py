from __future__ import annotations

import unicodedata
from fnmatch import fnmatchcase

from hypothesis import given, strategies as st
from kebab_source_fs.ignore import RuleSet
from kebab_testing.tables import walk

texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12)
odd_texts = st.text(alphabet="ab[]!^-\\*?/ :#.\t한|&~()+{}$", max_size=12)
names = texts.map(lambda text: unicodedata.normalize("NFC", text.replace("/", "").replace("\0", ""))).filter(
    bool
)


@given(line=texts | odd_texts, path=names, is_folder=st.booleans())
def test_any_line_compiles_without_error_or_warning(line: str, path: str, is_folder: bool) -> None:
    assert RuleSet([line]).verdict(path, is_folder=is_folder) in {True, None}


@given(name=names, is_folder=st.booleans())
def test_escaped_name_matches_itself_only(name: str, is_folder: bool) -> None:
    rules = RuleSet(["".join(f"\\{char}" for char in name)])
    assert rules.verdict(name, is_folder=is_folder) is True
    assert rules.verdict(f"a/{name}", is_folder=is_folder) is True
    assert rules.verdict(f"{name}x", is_folder=is_folder) is None


@given(lines=st.lists(odd_texts, max_size=4), path=names)
def test_last_matching_line_decides(lines: list[str], path: str) -> None:
    name = "".join(f"\\{char}" for char in path)
    assert RuleSet([*lines, name]).verdict(path, is_folder=False) is True
    assert RuleSet([*lines, f"!{name}"]).verdict(path, is_folder=False) is False


@given(
    parts=st.lists(st.sampled_from(["a", "b", "*", "**", "?", "[ab]", "ab"]), max_size=8),
    name=st.text(alphabet="ab", min_size=1, max_size=8),
)
def test_stars_match_what_a_plain_glob_matches(parts: list[str], name: str) -> None:
    pattern = f"x{''.join(parts)}"
    assert bool(RuleSet([pattern]).verdict(f"x{name}", is_folder=False)) is fnmatchcase(f"x{name}", pattern)


def test_pattern_of_many_stars_is_refused_without_trying_every_way() -> None:
    assert RuleSet(["*a" * 40 + "*b"]).verdict("a" * 255, is_folder=False) is None


@walk(
    ("pattern", "matching", "other"),
    [
        ("[[:digit:]x]", "7 x", "a [ :"),
        ("[[:upper:]][[:lower:]]", "Ab", "aB ab"),
        ("[!한]글", "큰글", "한글"),
        ("?.md", "가.md a.md", ".md ab.md"),
        ("[]-]", "] -", "["),
        (r"[\]\-a]", "] - a", "\\"),
        ("[a-c-e]", "b - e", "d"),
        ("a.b", "a.b", "axb"),
        ("(a|b)+$", "(a|b)+$", "a b"),
    ],
)
def test_bracket_and_wildcard_stand_for_one_character(pattern: str, matching: str, other: str) -> None:
    rules = RuleSet([pattern])
    assert {name for name in f"{matching} {other}".split() if rules.verdict(name, is_folder=False)} == set(
        matching.split()
    )


SEGMENTS = st.sampled_from(["a", "b", "*", "**", "a*", "?b"])


@given(
    segments=st.lists(SEGMENTS, min_size=1, max_size=7),
    path=st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=7),
)
def test_depths_match_what_trying_every_way_matches(segments: list[str], path: list[str]) -> None:
    verdict = RuleSet([f"x/{'/'.join(segments)}"]).verdict("/".join(["x", *path]), is_folder=False)
    assert bool(verdict) is names_match(segments, path)


def names_match(segments: list[str], path: list[str]) -> bool:
    if not segments or not path:
        return not segments and not path
    if segments[0] == "**" and len(segments) > 1:
        return any(names_match(segments[1:], path[start:]) for start in range(len(path) + 1))
    if segments[0] == "**":
        return True
    return fnmatchcase(path[0], segments[0]) and names_match(segments[1:], path[1:])


def test_pattern_of_many_depths_is_refused_without_trying_every_way() -> None:
    assert RuleSet(["**/a/" * 30 + "b"]).verdict("/".join("a" * 200), is_folder=False) is None
