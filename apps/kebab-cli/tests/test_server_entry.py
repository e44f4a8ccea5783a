"""What the user added to the entry of kebab in a host's file stays when kebab is installed again."""

from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_cli.hosts import HOSTS, merge_entry
from kebab_testing.tables import walk

CURSOR = HOSTS["cursor"]
OURS = ("/opt/kebab", ["mcp", "--config", "/new.toml"])


@walk(
    ("args", "wanted", "kept"),
    [
        (["mcp"], ["mcp", "--config", "/new.toml"], ()),
        (["mcp", "--readonly"], ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        (["mcp", "--readonly", "--config", "/a"], ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        (["mcp", "--config=/a", "--debug"], ["mcp", "--config", "/new.toml", "--debug"], ("--debug",)),
        (["--config", "/a", "--readonly", "mcp"], ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        (["--from", "kebab-cli", "kebab", "mcp"], ["mcp", "--config", "/new.toml"], ()),
        (["-c", "exec kebab mcp --readonly"], ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        (["KEBAB_READONLY=1", "kebab", "mcp"], ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        ("mcp --readonly", ["mcp", "--config", "/new.toml", "--readonly"], ("--readonly",)),
        (["mcp", None, {}, "--debug", 3], ["mcp", "--config", "/new.toml", "--debug", "3"], ("--debug", "3")),
        ([], ["mcp", "--config", "/new.toml"], ()),
    ],
)  # fmt: skip
def test_arguments_of_the_user_stay(args: object, wanted: list[str], kept: tuple[str, ...]) -> None:
    merged = merge_entry(CURSOR, {"command": "kebab", "args": args}, *OURS)
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
    merged = merge_entry(CURSOR, {"command": "x", "args": args}, "kebab", ours)
    assert "--readonly" not in args or "--readonly" in merged.arguments
    assert merged.arguments[: ours.index("mcp") + 1] == tuple(ours[: ours.index("mcp") + 1])
    named = " ".join(merged.arguments).replace("--config=", "--config ").count("--config /a")
    assert named == ours.count("--config")
    assert merge_entry(CURSOR, merged.members, "kebab", ours).members == merged.members
    writing = merge_entry(CURSOR, merged.members, "kebab", ours, lets_write=True)
    assert "--readonly" not in writing.arguments


@walk("switch", [{"disabled": True}, {"enabled": False}])
@walk("start", [{"command": "kebab", "args": ["mcp"]}, {"url": "http://x.test"}])
def test_a_server_that_is_switched_off_stays_off(switch: dict[str, bool], start: dict[str, object]) -> None:
    merged = merge_entry(CURSOR, {**start, **switch}, *OURS)
    assert merged.is_off
    assert merged.members == {**CURSOR.entry(*OURS), **switch}
    assert not merge_entry(CURSOR, {**start, "disabled": False}, *OURS).is_off


def test_an_entry_of_another_transport_is_replaced_and_that_is_told() -> None:
    merged = merge_entry(CURSOR, {"type": "sse", "url": "http://x.test", "command": "kebab"}, *OURS)
    assert merged.members == CURSOR.entry(*OURS)
    assert merged.remarks[0].endswith("it had type, url, command")
    assert not merge_entry(CURSOR, merged.members, *OURS).remarks
