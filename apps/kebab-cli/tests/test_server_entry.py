"""What the user added to the entry of kebab in a host's file stays when kebab is installed again."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kebab_cli.host_settings import plan_change
from kebab_cli.hosts import HOSTS, merge_entry

CURSOR = HOSTS["cursor"]
OURS = CURSOR.entry("/opt/kebab", ["mcp", "--config", "/new.toml"])
COMMENTED = """\
[mcp_servers.kebab]
command = "kebab"
args = [
    "mcp", # the verb
    # it must not write
    "--readonly", # ever
    "--debug", # for now
]
"""


@pytest.mark.parametrize(
    ("args", "wanted", "kept"),
    [
        (["mcp"], ["mcp", "--config", "/new.toml"], ()),
        (["mcp", "--readonly"], ["mcp", "--readonly", "--config", "/new.toml"], ("--readonly",)),
        (["mcp", "--readonly", "--config", "/a"], ["mcp", "--readonly", "--config", "/new.toml"], ("--readonly",)),
        (["mcp", "--config=/a", "--debug"], ["mcp", "--config=/new.toml", "--debug"], ("--debug",)),
        (["--config", "/a", "--readonly", "mcp"], ["mcp", "--readonly", "--config", "/new.toml"], ("--readonly",)),
        (["--from", "kebab-cli", "kebab", "mcp"], ["mcp", "--config", "/new.toml"], ()),
        (["-c", "exec kebab mcp --readonly"], ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        (["KEBAB_READONLY=1", "kebab", "mcp"], ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        ("mcp --readonly", ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        (["mcp", None, {}, "--debug", 3], ["mcp", "--debug", "3", "--config", "/new.toml"], ("--debug", "3")),
        ([], ["mcp", "--config", "/new.toml"], ()),
    ],
)  # fmt: skip
def test_arguments_of_the_user_stay(args: object, wanted: list[str], kept: tuple[str, ...]) -> None:
    merged = merge_entry(CURSOR, {"command": "kebab", "args": args}, OURS)
    assert merged.members == {"command": "/opt/kebab", "args": wanted}
    assert merged.kept == kept
    assert "kebab" in merged.dropped


WORDS = st.sampled_from([
    "mcp",
    "--readonly",
    "--debug",
    "--config",
    "--config=/a",
    "/a",
    "/b",
    "-P",
    "kebab_cli",
])


@given(args=st.lists(WORDS, max_size=6), ours=st.sampled_from([["mcp"], ["-P", "mcp", "--config", "/a"]]))
def test_a_server_that_only_reads_stays_one_and_twice_changes_nothing(
    args: list[str], ours: list[str]
) -> None:
    entry = CURSOR.entry("kebab", ours)
    merged = merge_entry(CURSOR, {"command": "x", "args": args}, entry)
    assert "--readonly" not in args or "--readonly" in merged.arguments
    assert merged.arguments[: ours.index("mcp") + 1] == tuple(ours[: ours.index("mcp") + 1])
    named = " ".join(merged.arguments).replace("--config=", "--config ").count("--config /a")
    assert named == ours.count("--config")
    assert merge_entry(CURSOR, merged.members, entry).members == merged.members
    writing = merge_entry(CURSOR, merged.members, entry, lets_write=True)
    assert "--readonly" not in writing.arguments


def test_comments_beside_arguments_stay(tmp_path: Path) -> None:
    host, file = HOSTS["codex"], tmp_path / "host"
    file.write_text(COMMENTED, encoding="utf-8")
    entry = host.entry("kebab", ["mcp", "--config", "/new.toml"])
    change = plan_change(file, host, entry=entry)
    args = ["mcp", "--readonly", "--debug", "--config", "/new.toml"]
    assert tomllib.loads(change.after)["mcp_servers"]["kebab"]["args"] == args
    shown = change.after.splitlines()
    assert [line for line in COMMENTED.splitlines() if line not in shown] == []
    assert re.search(r"must not write\n\s*\W*--readonly", change.after)
    file.write_text(change.after, encoding="utf-8")
    assert plan_change(file, host, entry=entry).is_none
    writing = plan_change(file, host, entry=entry, lets_write=True)
    assert "--readonly" not in writing.after
    assert "the verb" in writing.after
    assert "for now" in writing.after


@pytest.mark.parametrize("switch", [{"disabled": True}, {"enabled": False}])
@pytest.mark.parametrize("start", [{"command": "kebab", "args": ["mcp"]}, {"url": "http://x.test"}])
def test_a_server_that_is_switched_off_stays_off(switch: dict[str, bool], start: dict[str, object]) -> None:
    merged = merge_entry(CURSOR, {**start, **switch}, OURS)
    assert merged.is_off
    assert merged.members == {**OURS, **switch}
    assert not merge_entry(CURSOR, {**start, "disabled": False}, OURS).is_off


def test_a_type_that_fits_no_program_is_mended_and_told() -> None:
    merged = merge_entry(CURSOR, {"type": "sse", "url": "http://x.test", "command": "kebab"}, OURS)
    assert merged.members["type"] == "stdio"
    assert ["'sse'" in merged.remarks[0], "url" in merged.remarks[1]] == [True, True]
    assert not merge_entry(CURSOR, merged.members, OURS).remarks[1:]


def test_an_environment_that_forbids_writing_is_told_where_writing_is_asked_for() -> None:
    there = {"command": "kebab", "args": ["mcp"], "env": {"KEBAB_READONLY": "1"}}
    assert "KEBAB_READONLY" in merge_entry(CURSOR, there, OURS, lets_write=True).remarks[0]
    assert not merge_entry(CURSOR, there, OURS).remarks
