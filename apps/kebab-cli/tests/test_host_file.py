"""The file of a host: changed in one entry, whatever its format."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from kebab_cli.host_file import Change, carry_out, plan_change, read_entry
from kebab_cli.hosts import HOSTS
from kebab_cli.member_formats import load_format
from kebab_core import InvalidInputError, StorageError


@pytest.mark.parametrize("name", sorted(HOSTS))
def test_what_the_user_added_to_the_entry_stays(name: str, tmp_path: Path) -> None:
    host, file = HOSTS[name], tmp_path / "host"
    file.write_text(
        plan_change(file, host, entry={**host.entry("old", []), "env": {"A": "b"}}).after, encoding="utf-8"
    )
    change = plan_change(file, host, entry=host.entry("new", ["mcp", "--readonly"]))
    found = load_format(host.format).read(change.after)
    assert found == {host.members: {"kebab": {**host.entry("new", ["mcp", "--readonly"]), "env": {"A": "b"}}}}
    file.write_text(change.after, encoding="utf-8")
    assert plan_change(file, host, entry=host.entry("new", ["mcp", "--readonly"])).is_none
    assert read_entry(file, host) == {**host.entry("new", ["mcp", "--readonly"]), "env": {"A": "b"}}


def test_many_at_once_lose_no_entry(tmp_path: Path) -> None:
    file = tmp_path / "new" / "host.json"
    hosts = [replace(HOSTS["cursor"], members=f"servers{number}") for number in range(12)]

    def install(number: int) -> None:
        host = hosts[number]
        carry_out(file, lambda: plan_change(file, host, entry=host.entry("kebab", ["mcp"])))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(install, range(len(hosts))))
    found = json.loads(file.read_text(encoding="utf-8"))
    assert sorted(found) == sorted(host.members for host in hosts)
    backups = [path for path in file.parent.iterdir() if ".bak" in path.name]
    assert sorted(file.parent.iterdir()) == sorted([file, *backups])


@pytest.mark.parametrize("name", ["codex", "cursor", "goose"])
def test_a_refusal_says_what_to_add_by_hand(name: str, tmp_path: Path) -> None:
    host, file = HOSTS[name], tmp_path / "host"
    file.write_text("[1", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=f"is not {host.format} as expected") as caught:
        plan_change(file, host, entry=host.entry("kebab", ["mcp"]))
    assert caught.value.hint is not None
    assert host.members in caught.value.hint
    assert read_entry(file, host) is None


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    host, file = HOSTS["cursor"], tmp_path / "file" / "host.json"
    with pytest.raises(StorageError, match="cannot write in"):
        carry_out(file, lambda: plan_change(file, host, entry=host.entry("kebab", ["mcp"])))


def test_what_to_add_by_hand_can_be_pasted(tmp_path: Path) -> None:
    for name in ("codex", "cursor", "goose"):
        host, file = HOSTS[name], tmp_path / name
        file.write_text("[1", encoding="utf-8")
        with pytest.raises(InvalidInputError) as caught:
            plan_change(file, host, entry=host.entry("kebab", ["mcp"]))
        pasted = str(caught.value.hint).partition("by hand:\n")[2]
        assert load_format(host.format).read(pasted) == {
            host.members: {"kebab": host.entry("kebab", ["mcp"])}
        }


def test_a_link_that_leads_nowhere_yet_is_written_through(tmp_path: Path) -> None:
    host, file, target = HOSTS["cursor"], tmp_path / "host.json", tmp_path / "kept.json"
    file.symlink_to(target)
    carry_out(file, lambda: plan_change(file, host, entry=host.entry("kebab", ["mcp"])))
    assert file.is_symlink()
    assert '"kebab"' in target.read_text(encoding="utf-8")


def test_a_link_into_a_folder_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    host, file = HOSTS["cursor"], tmp_path / "host.json"
    file.symlink_to(tmp_path / "gone" / "kept.json")

    def plan() -> Change:
        return plan_change(file, host, entry=host.entry("kebab", ["mcp"]))

    for act in (plan, lambda: carry_out(file, plan)):
        with pytest.raises(StorageError, match=r"is a link into .*gone', which does not exist"):
            act()
    assert not (tmp_path / "gone").exists()


def test_a_file_that_is_protected_is_left_as_it_is(tmp_path: Path) -> None:
    host, file = HOSTS["codex"], tmp_path / "host.toml"
    file.write_text("a = 1\n", encoding="utf-8")
    file.chmod(0o444)

    def plan() -> Change:
        return plan_change(file, host, entry=host.entry("kebab", ["mcp"]))

    for act in (plan, lambda: carry_out(file, plan)):
        with pytest.raises(StorageError, match="protected") as caught:
            act()
        assert "\n[mcp_servers.kebab]\n" in str(caught.value.hint)
    assert file.read_text(encoding="utf-8") == "a = 1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["host.toml"]
