"""One member of a file that a person wrote is changed, and nothing else."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, strategies as st
from kebab_cli.jsonc import parse, set_member

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)
PATH = ("servers", "kebab")
COMMENTED = """\
// my servers
{
    /* the first */
    "servers": {
        "other": {"command": "x"}, // keep
        "last": { "command": "y" } // and this
        // below
    },
    "theme": "dark", // trailing comma next
}
"""


@given(value=VALUES, indent=st.sampled_from([None, 1, 2, 4]))
def test_json_is_read_as_the_standard_library_reads_it(value: object, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    assert parse(text).value == json.loads(text)


@given(before=OBJECTS, value=VALUES, indent=st.sampled_from([None, 2, 4]))
def test_a_member_is_set_and_all_others_stay(
    before: dict[str, object], value: object, indent: int | None
) -> None:
    before.pop("servers", None)
    text = set_member(json.dumps(before, ensure_ascii=False, indent=indent), PATH, value)
    assert json.loads(text) == {**before, "servers": {"kebab": value}}
    again = set_member(text, PATH, [1])
    assert json.loads(again) == {**before, "servers": {"kebab": [1]}}


@given(servers=OBJECTS, value=VALUES)
def test_a_member_joins_an_object_that_is_there(servers: dict[str, object], value: object) -> None:
    text = set_member(json.dumps({"servers": servers, "z": 1}, indent=2), PATH, value)
    assert json.loads(text) == {"servers": {**servers, "kebab": value}, "z": 1}


def test_comments_order_and_spelling_stay() -> None:
    after = set_member(COMMENTED, PATH, {"command": "kebab"})
    kept = [line for line in after.splitlines() if line in COMMENTED.splitlines()]
    missing = [line for line in COMMENTED.splitlines() if line not in kept]
    assert missing == ['        "last": { "command": "y" } // and this']
    assert '        "last": { "command": "y" }, // and this\n        // below\n        "kebab": {' in after
    assert parse(after).value == {
        "servers": {"other": {"command": "x"}, "last": {"command": "y"}, "kebab": {"command": "kebab"}},
        "theme": "dark",
    }


def test_a_value_that_is_there_is_replaced_where_it_stands() -> None:
    text = '{"servers": {"kebab": {"command": "old"} /* mine */, "b": 1}}'
    assert set_member(text, PATH, 2) == '{"servers": {"kebab": 2 /* mine */, "b": 1}}'


@pytest.mark.parametrize("text", ["", "  \n", "{}", "{\n}\n"])
def test_a_file_without_anything_becomes_one_with_the_member(text: str) -> None:
    after = set_member(text, PATH, {"command": "k"})
    assert json.loads(after) == {"servers": {"kebab": {"command": "k"}}}
    assert re.search(r'^  "servers": \{\n    "kebab": \{\n      "command": "k"', after, re.MULTILINE)


def test_line_ends_of_another_system_stay() -> None:
    after = set_member('{\r\n  "a": 1\r\n}\r\n', PATH, 2)
    assert after.startswith('{\r\n  "a": 1,')
    assert json.loads(after) == {"a": 1, "servers": {"kebab": 2}}


@pytest.mark.parametrize(
    "text", ["{", '{"a"}', '{"a": }', "{a: 1}", '{"a": 1} x', '["', "nope", '{"a": 1,, "b": 2}', "'a'"]
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        set_member(text, PATH, 1)


@pytest.mark.parametrize("text", ["[]", "1", '{"servers": []}', '{"servers": null}'])
def test_what_is_no_object_on_the_way_is_refused(text: str) -> None:
    with pytest.raises(TypeError):
        set_member(text, PATH, 1)


@pytest.mark.parametrize("step", ["\t", "    ", "   "])
def test_what_is_new_is_indented_as_the_file_is(step: str) -> None:
    before = f'{{\n{step}"servers": {{}},\n{step}"z": 1\n}}\n'
    after = set_member(before, PATH, {"command": "k", "args": ["mcp"]})
    assert (
        f'\n{step * 2}"kebab": {{\n{step * 3}"command": "k",\n{step * 3}"args": [\n{step * 4}"mcp"' in after
    )
