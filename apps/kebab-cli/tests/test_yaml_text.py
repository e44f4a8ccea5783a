"""One member of a YAML file that a person wrote is changed, and nothing else."""

from __future__ import annotations

import difflib

import pytest
import yaml
from hypothesis import given, strategies as st
from kebab_cli.yaml_text import read, set_member

TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=0xD7FF, exclude_categories=["Cc"]), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS | st.text("a\n #:-'\"", max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)
MAPPINGS = st.dictionaries(TEXTS, VALUES, max_size=4)
LAYOUTS = st.fixed_dictionaries({
    "indent": st.sampled_from([2, 4]),
    "default_flow_style": st.sampled_from([False, None]),
    "default_style": st.sampled_from([None, '"']),
    "explicit_start": st.booleans(),
})
PATH = ("extensions", "kebab")
ENTRY = {"enabled": True, "cmd": "/opt/케밥/kebab", "args": ["mcp", "--config", 'a "b" # c: d\\']}
COMMENTED = """\
# mine
GOOSE_MODEL: x   # the large one
extensions:  # all of them

  # the first
  developer:
    enabled: true
    type: builtin # keep
  other: {cmd: x, args: [a, b]}
# behind
notes: |
  two
  lines
"""


@given(before=MAPPINGS, layout=LAYOUTS)
def test_a_member_is_set_and_all_others_stay(before: dict[str, object], layout: dict[str, object]) -> None:
    before.pop("extensions", None)
    text = yaml.safe_dump(before, allow_unicode=True, **layout)  # type: ignore[arg-type]
    after = set_member(text, PATH, ENTRY)
    assert read(after) == {**before, "extensions": {"kebab": ENTRY}}
    assert _removed(text, after) in ([], [text.splitlines()[-1]])


@given(servers=MAPPINGS, layout=LAYOUTS)
def test_an_entry_joins_others_however_they_are_written(
    servers: dict[str, object], layout: dict[str, object]
) -> None:
    servers.pop("kebab", None)
    whole = {"a": 1, "extensions": servers, "z": ["x"]}
    text = yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, **layout)  # type: ignore[arg-type]
    after = set_member(text, PATH, ENTRY)
    assert read(after) == {**whole, "extensions": {**servers, "kebab": ENTRY}}
    again = set_member(after, (*PATH, "cmd"), "other")
    assert read(again) == {**whole, "extensions": {**servers, "kebab": {**ENTRY, "cmd": "other"}}}
    if servers and layout["default_flow_style"] is False:
        assert not _removed(text, after)


@given(old=VALUES, servers=MAPPINGS, layout=LAYOUTS)
def test_a_value_is_replaced_whatever_it_was(
    old: object, servers: dict[str, object], layout: dict[str, object]
) -> None:
    whole = {"extensions": {**servers, "kebab": {"cmd": old, "env": 1}}, "z": 1}
    text = yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, **layout)  # type: ignore[arg-type]
    after = set_member(text, (*PATH, "cmd"), ["new"])
    assert read(after) == {"extensions": {**servers, "kebab": {"cmd": ["new"], "env": 1}}, "z": 1}


def _removed(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line[2:] for line in lines if line.startswith("- ")]


def test_comments_order_and_spelling_stay() -> None:
    after = set_member(COMMENTED, PATH, ENTRY)
    assert not _removed(COMMENTED, after)
    assert "extensions:  # all of them\n  kebab:\n    enabled: true\n" in after
    assert read(after) == {**read(COMMENTED), "extensions": {**read(COMMENTED)["extensions"], "kebab": ENTRY}}  # type: ignore[dict-item, index]


def test_a_value_that_is_there_is_replaced_where_it_stands() -> None:
    text = "extensions:\n  kebab:\n    cmd: old # mine\n    args:\n    - a\n    - b # why\n  z: 1\n"
    after = set_member(set_member(text, (*PATH, "cmd"), "new"), (*PATH, "args"), ["mcp"])
    assert after == 'extensions:\n  kebab:\n    cmd: "new" # mine\n    args: ["mcp"] # why\n  z: 1\n'


@pytest.mark.parametrize("text", ["", "\n", "# nothing yet\n", "---\n", "extensions:\n", "extensions: {}\n"])
def test_a_file_without_anything_becomes_one_with_the_entry(text: str) -> None:
    assert read(set_member(text, PATH, ENTRY)) == {"extensions": {"kebab": ENTRY}}


@pytest.mark.parametrize("text", ["{", "a: b: c", "a: [", "\t- x", "a: 1\n---\nb: 2\n", "*x", "a: \x00"])
def test_what_is_no_yaml_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        set_member(text, PATH, ENTRY)


@pytest.mark.parametrize(
    "text",
    [
        "- a",
        "1",
        "extensions: []",
        "extensions: null",
        "a: &x {b: 1}\nextensions: *x",
        "a: &x\n  b: 1\nextensions: *x",
    ],
)
def test_what_is_no_mapping_on_the_way_is_refused(text: str) -> None:
    with pytest.raises(TypeError):
        set_member(text, PATH, ENTRY)


def test_what_is_new_is_indented_as_the_file_is() -> None:
    after = set_member("a:\n    b: 1\nextensions:\n", PATH, {"cmd": "k"})
    assert after == 'a:\n    b: 1\nextensions:\n    kebab:\n        cmd: "k"\n'
