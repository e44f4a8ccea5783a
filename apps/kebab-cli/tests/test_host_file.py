"""The file of a host: changed in one entry, whatever its format."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from kebab_cli.host_file import carry_out, has_entry, plan_change
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
    assert has_entry(file, host)


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
    assert not has_entry(file, host)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    host, file = HOSTS["cursor"], tmp_path / "file" / "host.json"
    with pytest.raises(StorageError, match="cannot write in"):
        carry_out(file, lambda: plan_change(file, host, entry=host.entry("kebab", ["mcp"])))
