"""The settings file of a host: plain JSON and TOML are changed in one entry, any other file is left alone."""

from __future__ import annotations

import json
import re
import tomllib
from difflib import ndiff
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tomlkit
import yaml
from hypothesis import given, strategies as st
from kebab_cli.host_settings import Change, plan_change, read_entry, spell_entry
from kebab_cli.hosts import HOSTS
from kebab_core import InvalidInputError, StorageError
from kebab_testing.tables import walk

PARSERS = {"JSON": json.loads, "TOML": tomllib.loads, "YAML": yaml.safe_load}
EDITED = sorted(name for name, host in HOSTS.items() if host.format != "YAML")
START = ("/opt/케밥/kebab", ["mcp", "--config", 'a "b" \\ c.toml'])
ENTRY = HOSTS["codex"].entry(*START)
NAMES = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), max_size=8)
SCALARS = (
    st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False, allow_infinity=False) | NAMES
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=10,
)
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
COMMENTED_TOML = """\
# mine
model = "x"   # the large one

[mcp_servers.other] # keep
command = 'x'
args = [ "a",
  "b", ] # and this

[projects."/home/me/p"]
trust = "yes"\
"""


def change_of(text: str, name: str) -> Change:
    """Return the change that installs `ENTRY` for a host into a file of this text."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "host"
        file.write_bytes(text.encode())
        return plan_change(file, HOSTS[name], *START)


@given(
    before=OBJECTS, servers=OBJECTS, indent=st.sampled_from([None, 1, 2, 4, "\t"]), has_servers=st.booleans()
)
def test_an_entry_joins_json_and_all_else_stays(
    before: dict[str, object], servers: dict[str, object], indent: int | str | None, has_servers: bool
) -> None:
    servers.pop("kebab", None)
    before.pop("mcpServers", None)
    if has_servers:
        before = {**before, "mcpServers": servers, "z": 1}
    text = json.dumps(before, ensure_ascii=False, indent=indent)
    after = change_of(text, "cursor").after
    assert json.loads(after) == {**before, "mcpServers": {**(servers if has_servers else {}), "kebab": ENTRY}}
    removed = [line for line in ndiff(text.splitlines(), after.splitlines()) if line.startswith("- ")]
    assert len(removed) <= (2 if indent else 1)
    again = change_of(after.replace(START[0], "/opt/kebab"), "cursor").after
    assert again == after


@given(before=OBJECTS)
def test_an_entry_joins_toml_and_all_else_stays(before: dict[str, object]) -> None:
    before.pop("mcp_servers", None)
    text = tomlkit.dumps(before)
    after = change_of(text, "codex").after
    assert after.startswith(text)
    assert tomllib.loads(after) == {**before, "mcp_servers": {"kebab": ENTRY}}


@given(servers=OBJECTS, is_first=st.booleans())
def test_an_entry_joins_other_servers_in_toml_however_they_are_written(
    servers: dict[str, object], is_first: bool
) -> None:
    servers.pop("kebab", None)
    found = {"mcp_servers": servers, "z": 1} if is_first else {"z": 1, "mcp_servers": servers}
    inline = "\n".join(f"{name} = {_inline(value)}" for name, value in found.items())
    for text in (tomlkit.dumps(found), inline):
        after = change_of(text, "codex").after
        assert tomllib.loads(after) == {"z": 1, "mcp_servers": {**servers, "kebab": ENTRY}}


def _inline(value: object) -> str:
    if not isinstance(value, dict):
        return tomlkit.item(value).as_string()
    table = tomlkit.inline_table()
    table.update(value)
    return table.as_string()


def test_comments_and_spelling_of_toml_stay_byte_for_byte() -> None:
    after = change_of(COMMENTED_TOML, "codex").after
    assert after.startswith(f"{COMMENTED_TOML}\n\n[mcp_servers.kebab]\n")
    assert tomllib.loads(after)["mcp_servers"]["kebab"] == ENTRY


def test_a_value_of_toml_is_replaced_where_it_stands_and_keeps_its_remark() -> None:
    text = '[mcp_servers.kebab]\ncommand = "old" # mine\nargs = ["mcp"]\nenv = { A = "b" }\n[z]\na = 1 # z\n'
    after = change_of(text, "codex").after
    assert '" # mine\nargs' in after
    assert after.endswith('env = { A = "b" }\n[z]\na = 1 # z\n')


def test_an_entry_that_starts_no_program_is_replaced_in_toml() -> None:
    after = change_of('[mcp_servers.kebab]\nurl = "x"\n\n[z]\na = 1 # z\n', "codex").after
    assert tomllib.loads(after) == {"mcp_servers": {"kebab": ENTRY}, "z": {"a": 1}}
    assert after.endswith("[z]\na = 1 # z\n")


@walk("text", ["", "  \n", "{}", "{\n}\n"])
def test_an_empty_json_file_becomes_one_with_the_entry(text: str) -> None:
    after = change_of(text, "cursor").after
    assert json.loads(after) == {"mcpServers": {"kebab": ENTRY}}
    assert re.search(r'^  "mcpServers": \{\n    "kebab": \{\n      "command":', after, re.MULTILINE)


@walk("step", ["\t", "    ", "   "])
def test_a_new_entry_is_indented_as_the_file_is(step: str) -> None:
    after = change_of(f'{{\n{step}"mcpServers": {{}},\n{step}"z": 1\n}}\n', "cursor").after
    assert f'\n{step * 2}"kebab": {{\n{step * 3}"command": "' in after
    assert f'"args": [\n{step * 4}"mcp"' in after


def test_numbers_and_escapes_of_json_keep_their_spelling() -> None:
    text = '{"a": 1.00000000000000000001, "b": 1e400, "c": "\\u00e9\\ud800", "d": 1, "d": 2}'
    after = change_of(text, "cursor").after
    assert after.startswith(text[:-1])


@walk(
    "text",
    ["// mine\n{}", '{"a": 1,}', '{"mcpServers": {/* none */}}', "{", '{"a" 1}', '{"a": 1} x', "[]", "'a'"],
)
def test_a_file_that_is_not_plain_json_is_left_alone_and_the_entry_is_told(text: str) -> None:
    with pytest.raises(InvalidInputError, match="is not plain JSON, and was left as it is") as caught:
        change_of(text, "cursor")
    pasted = str(caught.value.hint).partition("by hand:\n")[2]
    assert json.loads(pasted) == {"mcpServers": {"kebab": ENTRY}}


@walk("name", sorted(HOSTS))
def test_the_entry_to_add_by_hand_is_of_the_hosts_format(name: str) -> None:
    host = HOSTS[name]
    entry = host.entry(*START)
    assert PARSERS[host.format](spell_entry(host, entry)) == {host.members: {"kebab": entry}}


@pytest.mark.parametrize(
    ("name", "text", "is_named"),
    [
        ("zed", '{\n  // mine\n  "context_servers": {\n    "kebab": {}\n  }\n}', True),
        ("zed", "{ // kebab is nice\n}", False),
        ("goose", "extensions:\n  kebab:\n    cmd: kebab\n", True),
        ("goose", "extensions:\n  other:\n    name: kebab\n", False),
    ],
)
def test_a_file_that_is_not_parsed_names_kebab_where_it_has_a_member_of_that_name(
    name: str, text: str, is_named: bool, tmp_path: Path
) -> None:
    file = tmp_path / "host"
    file.write_text(text, encoding="utf-8")
    assert (read_entry(file, HOSTS[name]) is not None) is is_named


@pytest.mark.parametrize("name", EDITED)
def test_what_the_user_added_to_the_entry_stays(name: str, tmp_path: Path) -> None:
    host, file = HOSTS[name], tmp_path / "host"
    file.write_text(spell_entry(host, {**host.entry("old", []), "env": 1}), encoding="utf-8")
    change = plan_change(file, host, "new", ["mcp", "--readonly"])
    wanted = {**host.entry("new", ["mcp", "--readonly"]), "env": 1}
    assert PARSERS[host.format](change.after) == {host.members: {"kebab": wanted}}
    file.write_text(change.after, encoding="utf-8")
    assert plan_change(file, host, "new", ["mcp", "--readonly"]).is_none
    assert read_entry(file, host) == wanted


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    change = plan_change(tmp_path / "file" / "host.json", HOSTS["cursor"], "kebab", ["mcp"])
    with pytest.raises(StorageError, match="cannot read or write"):
        change.write()


def test_a_link_that_leads_nowhere_yet_is_written_through(tmp_path: Path) -> None:
    file, target = tmp_path / "host.json", tmp_path / "kept.json"
    file.symlink_to(target)
    plan_change(file, HOSTS["cursor"], "kebab", ["mcp"]).write()
    assert file.is_symlink()
    assert '"kebab"' in target.read_text(encoding="utf-8")


def test_a_file_that_is_protected_is_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "host.toml"
    file.write_text("a = 1\n", encoding="utf-8")
    file.chmod(0o444)
    with pytest.raises(StorageError, match="protected") as caught:
        plan_change(file, HOSTS["codex"], "kebab", ["mcp"])
    assert "\n[mcp_servers.kebab]\n" in str(caught.value.hint)
