"""`kebab mcp install`: a host knows the server afterwards, and nothing else in its file is another."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from kebab_config import read_environment

HOSTS = {
    "claude-desktop": ("mcpServers", ".config/Claude/claude_desktop_config.json"),
    "cursor": ("mcpServers", ".cursor/mcp.json"),
    "gemini-cli": ("mcpServers", ".gemini/settings.json"),
    "windsurf": ("mcpServers", ".codeium/windsurf/mcp_config.json"),
    "claude-code": ("mcpServers", ".mcp.json"),
    "vscode": ("servers", ".vscode/mcp.json"),
}
"""The member that holds servers, and the file below the home, in which the commands of these tests stand too."""
WRITTEN = '// mine\n{\n  "mcpServers": {\n    "other": {"command": "x"}, // keep\n  }\n}\n'


@pytest.fixture
def file(quick) -> Path:  # type: ignore[no-untyped-def]
    path: Path = quick.folder / "host.json"
    return path


@pytest.mark.parametrize("host", sorted(HOSTS))
def test_the_file_of_a_host_is_made_where_the_host_looks(host: str, quick, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("sys.platform", "linux")
    members, path = HOSTS[host]
    done = quick("mcp", "install", host, "--json")
    assert (done.code, done.last["status"]) == (0, "created"), done.stderr
    found = json.loads((quick.kebab.home / path).read_text(encoding="utf-8"))
    entry = found[members]["kebab"]
    assert entry["args"][-3:] == ["mcp", "--config", str(quick.config)]


def test_the_entry_starts_a_server_over_this_knowledge_base(indexed) -> None:  # type: ignore[no-untyped-def]
    file = indexed.folder / "host.json"
    assert indexed("mcp", "install", "cursor", "--file", str(file), "--no-ingest").code == 0
    entry = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]["kebab"]
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    done = subprocess.run(
        [entry["command"], *entry["args"]],
        env={name: value for name, value in read_environment().items() if name in {"PATH", "PYTHONPATH"}},
        input=asked,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["id"] == 1
    assert entry["args"][-1] == "--readonly"


def test_other_entries_and_comments_stay_and_the_old_file_is_kept(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_text(WRITTEN, encoding="utf-8")
    done = quick("mcp", "install", "cursor", "--file", str(file), "--json")
    assert done.last["status"] == "updated"
    after = file.read_text(encoding="utf-8")
    assert after.startswith('// mine\n{\n  "mcpServers": {\n    "other": {"command": "x"}, // keep\n')
    backup = Path(str(done.last["backup_path"]))
    assert backup.read_text(encoding="utf-8") == WRITTEN
    again = quick("mcp", "install", "cursor", "--file", str(file), "--json")
    assert (again.last["status"], "backup_path" in again.last) == ("unchanged", False)
    assert file.read_text(encoding="utf-8") == after


def test_a_dry_run_shows_the_change_and_writes_nothing(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_text(WRITTEN, encoding="utf-8")
    done = quick("mcp", "install", "cursor", "--file", str(file), "--dry-run", "--readonly")
    assert done.code == 0
    assert '+    "kebab": {' in done.stdout
    assert "would be updated" in done.stdout
    assert [path.name for path in file.parent.glob("host.json*")] == ["host.json"]
    assert file.read_text(encoding="utf-8") == WRITTEN


@pytest.mark.parametrize(
    "text", [b'{"mcpServers": {', b"[]", b'{"mcpServers": []}', b"\xff\xfe{}", b'{"mcpServers": null}']
)
def test_a_file_that_is_not_as_expected_is_left_as_it_is(text: bytes, quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_bytes(text)
    done = quick("mcp", "install", "cursor", "--file", str(file), "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert file.read_bytes() == text
    assert done.error["hint"]


def test_a_read_only_kebab_changes_no_host(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    done = quick("mcp", "install", "cursor", "--file", str(file), "--readonly", "--json")
    assert (done.code, done.error["code"]) == (2, "readonly_mode")
    assert not file.exists()


def test_a_linked_file_stays_a_link(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    target = file.with_name("dotfiles.json")
    target.write_text("{}", encoding="utf-8")
    file.symlink_to(target)
    assert quick("mcp", "install", "cursor", "--file", str(file)).code == 0
    assert file.is_symlink()
    assert json.loads(target.read_text(encoding="utf-8"))["mcpServers"]["kebab"]


def test_an_unknown_host_is_answered_with_those_there_are(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("mcp", "install", "cursr", "--json")
    assert done.code == 2
    assert "did you mean 'cursor'" in str(done.error["message"])
