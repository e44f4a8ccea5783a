"""One member of a TOML file that a person wrote is changed, and nothing else."""

from __future__ import annotations

import tomllib

import pytest
import tomlkit
from hypothesis import given, strategies as st
from kebab_cli.toml_text import read, set_member

NAMES = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), max_size=8)
SCALARS = st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | NAMES
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)
TABLES = st.dictionaries(NAMES, VALUES, max_size=4)
PATH = ("mcp_servers", "kebab")
ENTRY = {"command": "/opt/케밥/kebab", "args": ["mcp", "--config", 'a "b" \\ c.toml']}
COMMENTED = """\
# mine
model = "x"   # the large one

[mcp_servers.other] # keep
command = 'x'
args = [ "a",
  "b", ] # and this

[projects."/home/me/p"]
trust = "yes"\
"""


@given(before=TABLES, value=st.dictionaries(NAMES, SCALARS, min_size=1, max_size=3))
def test_a_table_is_set_and_all_others_stay(before: dict[str, object], value: dict[str, object]) -> None:
    before.pop("mcp_servers", None)
    text = tomlkit.dumps(before)
    after = set_member(text, PATH, value)
    assert after.startswith(text)
    assert read(after) == {**before, "mcp_servers": {"kebab": value}}


@given(servers=TABLES, start=st.booleans())
def test_an_entry_joins_others_however_they_are_written(servers: dict[str, object], start: bool) -> None:
    servers.pop("kebab", None)
    written = tomlkit.item({"mcp_servers": servers, "z": 1} if start else {"z": 1, "mcp_servers": servers})
    inline = "\n".join(f"{name} = {_inline(value)}" for name, value in written.unwrap().items())
    for text in (tomlkit.dumps(written), inline):  # type: ignore[arg-type]
        after = set_member(text, PATH, ENTRY)
        assert read(after) == {"z": 1, "mcp_servers": {**servers, "kebab": ENTRY}}


def _inline(value: object) -> str:
    if not isinstance(value, dict):
        return tomlkit.item(value).as_string()
    table = tomlkit.inline_table()
    table.update(value)
    return table.as_string()


def test_what_stood_there_stays_byte_for_byte() -> None:
    after = set_member(COMMENTED, PATH, ENTRY)
    assert after.startswith(f"{COMMENTED}\n\n[mcp_servers.kebab]\n")
    assert tomllib.loads(after)["mcp_servers"]["kebab"] == ENTRY


def test_a_value_is_replaced_where_it_stands_and_keeps_its_remark() -> None:
    text = '[mcp_servers.kebab]\ncommand = "old" # mine\nenv = { A = "b" }\n[z]\na = 1 # z\n'
    after = set_member(text, (*PATH, "command"), "new")
    assert after == text.replace('"old"', '"new"')


def test_an_entry_of_another_kind_is_replaced() -> None:
    after = set_member('[mcp_servers.kebab]\nurl = "x"\n\n[z]\na = 1 # z\n', PATH, ENTRY)
    assert read(after) == {"mcp_servers": {"kebab": ENTRY}, "z": {"a": 1}}
    assert after.endswith("[z]\na = 1 # z\n")


@pytest.mark.parametrize("text", ["", "\n", "# nothing yet\n"])
def test_a_file_without_anything_becomes_one_with_the_entry(text: str) -> None:
    after = set_member(text, PATH, {"command": "k", "args": ["mcp"]})
    assert after.endswith('[mcp_servers.kebab]\ncommand = "k"\nargs = ["mcp"]\n')
    assert after.startswith(text)


@pytest.mark.parametrize("text", ["{", "a = ", "a = 1\na = 2", "[x", "[[mcp_servers]]\n]"])
def test_what_is_no_toml_is_refused(text: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        set_member(text, PATH, ENTRY)


@pytest.mark.parametrize("text", ["mcp_servers = 1", "[[mcp_servers]]\nname = 'x'"])
def test_what_is_no_table_on_the_way_is_refused(text: str) -> None:
    with pytest.raises(TypeError):
        set_member(text, PATH, ENTRY)
