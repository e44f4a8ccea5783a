"""`kebab mcp install`: a host knows the server afterwards, and nothing else in its file is another."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from kebab_config import read_environment

FILES = {
    "claude-code": ("mcpServers", ".mcp.json"),
    "claude-desktop": ("mcpServers", ".config/Claude/claude_desktop_config.json"),
    "cline": (
        "mcpServers",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    ),
    "codex": ("mcp_servers", ".codex/config.toml"),
    "continue": ("mcpServers", ".continue/mcpServers/mcp.json"),
    "copilot-cli": ("mcpServers", ".copilot/mcp-config.json"),
    "cursor": ("mcpServers", ".cursor/mcp.json"),
    "gemini-cli": ("mcpServers", ".gemini/settings.json"),
    "goose": ("extensions", ".config/goose/config.yaml"),
    "jetbrains": ("mcpServers", ".junie/mcp/mcp.json"),
    "lm-studio": ("mcpServers", ".lmstudio/mcp.json"),
    "opencode": ("mcp", ".config/opencode/opencode.json"),
    "vscode": ("servers", ".vscode/mcp.json"),
    "windsurf": ("mcpServers", ".codeium/windsurf/mcp_config.json"),
    "zed": ("context_servers", ".config/zed/settings.json"),
}
"""The member that holds servers, and the file below the home, in which the commands of these tests stand too."""
READERS = {".json": json.loads, ".toml": tomllib.loads}
CODEX = 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n'
WRITTEN = '{\n  "mcpServers": {\n    "other": {"command": "x"}\n  },\n  "theme": [1,2]\n}\n'
ZED = '{\n\t"context_servers": {},\n\t"theme": {"mode": "dark"}\n}\n'


def start_line(entry: dict[str, Any]) -> list[str]:
    """Return the words that an entry starts; opencode has them in one list."""
    command = entry["command"]
    return command if isinstance(command, list) else [command, *entry["args"]]


@pytest.fixture
def file(quick) -> Path:  # type: ignore[no-untyped-def]
    path: Path = quick.folder / "host.json"
    return path


@pytest.mark.parametrize("host", sorted(FILES.keys() - {"goose"}))
def test_the_file_of_a_host_is_made_where_the_host_looks(host: str, quick, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("sys.platform", "linux")
    members, path = FILES[host]
    done = quick("mcp", "install", host, "--json")
    assert (done.code, done.last["status"]) == (0, "created"), done.stderr
    file = quick.kebab.home / path
    entry = READERS[file.suffix](file.read_text(encoding="utf-8"))[members]["kebab"]
    program, *arguments = start_line(entry)
    assert arguments[-3:] == ["mcp", "--config", str(quick.config)]
    assert program == done.last["command"]


def test_the_entry_for_a_host_with_yaml_is_printed_and_its_file_left_alone(quick, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("sys.platform", "linux")
    file = quick.kebab.home / FILES["goose"][1]
    done = quick("mcp", "install", "goose", "--no-ingest")
    assert (done.code, file.exists()) == (0, False)
    entry = yaml.safe_load(done.stdout)["extensions"]["kebab"]
    assert entry["args"] == ["mcp", "--config", str(quick.config), "--readonly"]
    assert f"add this to {file} by hand" in done.stderr
    told = quick("mcp", "install", "goose", "--no-ingest", "--json").last
    assert (told["status"], told["path"]) == ("unchanged", str(file))
    assert (entry["cmd"], entry["args"]) == (told["command"], told["arguments"])
    assert str(told["remarks"]).count("add this to") == 1
    assert done.stdout.rstrip("\n") == told["remarks"][0].partition("by hand:\n")[2]


@pytest.mark.parametrize(("host", "variable"), [("codex", "CODEX_HOME"), ("zed", "XDG_CONFIG_HOME")])
def test_a_variable_that_moves_a_hosts_folder_is_honoured(  # type: ignore[no-untyped-def]
    host: str, variable: str, quick, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    assert quick("mcp", "install", host, env={variable: str(moved)}).code == 0
    inside = Path(FILES[host][1]).relative_to(".codex" if host == "codex" else ".config")
    assert (moved / inside).is_file()
    assert quick("mcp", "install", host, "--json", env={variable: "relative"}).last["status"] == "created"
    assert (quick.kebab.home / FILES[host][1]).is_file()


@pytest.mark.parametrize(("host", "text"), [("codex", CODEX), ("cursor", WRITTEN), ("zed", ZED)])
def test_every_format_keeps_what_stood_there(host: str, text: str, quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_text(text, encoding="utf-8")
    file.chmod(0o640)
    assert quick("mcp", "install", host, "--file", str(file), "--json").last["status"] == "updated"
    after = file.read_text(encoding="utf-8")
    gone = [line for line in text.splitlines() if line not in after.splitlines()]
    assert [line.strip() for line in gone] in ([], ['"other": {"command": "x"}'], ['"context_servers": {},'])
    assert file.stat().st_mode & 0o777 == 0o640
    assert quick("mcp", "install", host, "--file", str(file), "--json").last["status"] == "unchanged"
    assert file.read_text(encoding="utf-8") == after


def test_an_entry_that_starts_nothing_is_replaced(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_text(
        '{"mcpServers": {"kebab": {"url": "http://x.test"}, "b": {"command": "x"}}}', encoding="utf-8"
    )
    assert quick("mcp", "install", "cursor", "--file", str(file)).code == 0
    found = json.loads(file.read_text(encoding="utf-8"))["mcpServers"]
    assert sorted(found["kebab"]) == ["args", "command"]
    assert found["b"] == {"command": "x"}


def test_line_ends_and_the_first_mark_stay_in_file_and_backup(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    before = b'\xef\xbb\xbf{\r\n  "mcpServers": {\r\n    "b": {"command": "x"}\r\n  }\r\n}\r\n'
    file.write_bytes(before)
    done = quick("mcp", "install", "cursor", "--file", str(file), "--json")
    assert Path(str(done.last["backup_path"])).read_bytes() == before
    after = file.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf{\r\n")
    assert after.count(b"\n") == after.count(b"\r\n")


def test_without_a_host_they_are_listed(quick) -> None:  # type: ignore[no-untyped-def]
    goose = quick.kebab.home / FILES["goose"][1]
    goose.parent.mkdir(parents=True, exist_ok=True)
    goose.write_text(quick("mcp", "install", "goose").stdout, encoding="utf-8")
    (quick.kebab.home / ".mcp.json").write_text("{", encoding="utf-8")
    listed = {host["host"]: host for host in quick("mcp", "install", "--json").last["hosts"]}
    assert listed.keys() == FILES.keys()
    assert [name for name, host in listed.items() if host["installed"]] == ["goose"]
    assert [name for name, host in listed.items() if host["exists"]] == ["claude-code", "goose"]
    shown = quick("mcp", "install").stdout.splitlines()
    assert len(shown) == len(FILES)
    assert "has kebab" in next(line for line in shown if line.startswith("goose "))


@pytest.mark.parametrize("flag", [["--dry-run"], ["--file", "x"]])
def test_a_flag_about_one_host_asks_which(flag: list[str], quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("mcp", "install", *flag, "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert "codex" in str(done.error["hint"])


def test_a_dry_run_tells_programs_the_change(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_text(CODEX, encoding="utf-8")
    done = quick("mcp", "install", "codex", "--file", str(file), "--dry-run", "--json")
    assert "+[mcp_servers.kebab]\n" in str(done.last["diff"])
    assert not [
        line for line in str(done.last["diff"]).splitlines() if line.startswith("-") and line != "--- now"
    ]


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


def test_other_entries_stay_and_the_old_file_is_kept(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_text(WRITTEN, encoding="utf-8")
    done = quick("mcp", "install", "cursor", "--file", str(file), "--json")
    assert done.last["status"] == "updated"
    after = file.read_text(encoding="utf-8")
    assert after.startswith('{\n  "mcpServers": {\n    "other": {"command": "x"},\n    "kebab": {\n')
    assert after.endswith('\n  },\n  "theme": [1,2]\n}\n')
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
    ("host", "text"),
    [
        *(
            ("cursor", text)
            for text in (
                b'{"mcpServers": {',
                b"[]",
                b'{"mcpServers": []}',
                b"\xff\xfe{}",
                b'{"mcpServers": null}',
            )
        ),
        ("cursor", b"[" * 20_000),
        ("codex", b"[mcp_servers"),
        ("codex", b"mcp_servers = 1\n"),
        ("codex", b"[[mcp_servers]]\nname = 'x'\n"),
        ("zed", b"// mine\n{}\n"),
        ("vscode", b'{"servers": {},}'),
    ],
)
def test_a_file_that_is_not_as_expected_is_left_as_it_is(host: str, text: bytes, quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_bytes(text)
    done = quick("mcp", "install", host, "--file", str(file), "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert file.read_bytes() == text
    assert sorted(path.name for path in file.parent.glob("host*")) == ["host.json"]
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


ONLY_READS = {
    "cursor": '{"mcpServers": {"kebab": {"command": "kebab", "args": ["mcp", "--readonly"], "disabled": true}}}',
    "codex": '[mcp_servers.kebab]\ncommand = "kebab"\nargs = ["mcp", "--readonly"] # only\nenabled = false\n',
}


@pytest.mark.parametrize("host", sorted(ONLY_READS))
def test_a_server_that_only_reads_or_is_off_stays_so_and_that_is_told(host: str, quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_text(ONLY_READS[host], encoding="utf-8")
    shown = quick("mcp", "install", host, "--file", str(file), "--dry-run").stdout
    assert "kept     --readonly\n" in shown
    assert "switched off" in shown
    done = quick("mcp", "install", host, "--file", str(file), "--json")
    assert done.last["arguments"][-4:] == ["mcp", "--config", str(quick.config), "--readonly"]
    assert (done.last["kept"], done.last["dropped"]) == (["--readonly"], ["kebab"])
    assert done.last["switched_off"] is True
    assert ("# only" in file.read_text(encoding="utf-8")) is (host != "cursor")
    again = quick("mcp", "install", host, "--file", str(file), "--json")
    assert (again.last["status"], again.last["switched_off"]) == ("unchanged", True)
    writing = quick("mcp", "install", host, "--file", str(file), "--ingest", "--json")
    assert writing.last["arguments"][-3:] == ["mcp", "--config", str(quick.config)]
    assert "--readonly" in writing.last["dropped"]
    assert "--readonly" not in file.read_text(encoding="utf-8")


def test_a_server_that_is_off_is_listed_as_such(quick) -> None:  # type: ignore[no-untyped-def]
    (quick.kebab.home / ".mcp.json").write_text(ONLY_READS["cursor"], encoding="utf-8")
    listed = {host["host"]: host for host in quick("mcp", "install", "--json").last["hosts"]}
    assert (listed["claude-code"]["installed"], listed["claude-code"]["switched_off"]) == (True, True)
    assert "switched off" in quick("mcp", "install").stdout


@pytest.mark.parametrize(
    ("host", "path"), [("claude-code", ".claude.json"), ("vscode", ".config/Code/User/mcp.json")]
)
def test_a_host_of_projects_is_set_up_for_the_user_too(host: str, path: str, quick, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("sys.platform", "linux")
    members, file = FILES[host][0], quick.kebab.home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"projects": {"/a": {"mcpServers": {}}}}\n', encoding="utf-8")
    assert quick("mcp", "install", host, "--user", "--json").last["status"] == "updated"
    found = json.loads(file.read_text(encoding="utf-8"))
    assert found["projects"] == {"/a": {"mcpServers": {}}}
    assert found[members]["kebab"]["args"][-3:] == ["mcp", "--config", str(quick.config)]
    listed = {each["host"]: each for each in quick("mcp", "install", "--user", "--json").last["hosts"]}
    assert (listed[host]["installed"], listed[host]["is_project"]) == (True, False)
    assert quick("mcp", "uninstall", host, "--user", "--json").last["status"] == "removed"
    assert json.loads(file.read_text(encoding="utf-8")) == {"projects": {"/a": {"mcpServers": {}}}}


def test_a_host_without_a_file_for_the_user_says_so(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("mcp", "install", "continue", "--user", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert "--file" in str(done.error["hint"])


KEPT = {
    "cursor": [
        '{\n  "mcpServers": {\n    "a": {"command": "x"},\n    "b": {"command": "y"}\n  },\n  "theme": [1,2]\n}\n',
        '{"mcpServers":{"a":{"command":"x"}}}',
        "\ufeff{}\n",
        '{\r\n  "mcpServers": {\r\n    "b": {"command": "x"}\r\n  }\r\n}\r\n',
    ],
    "codex": [CODEX, ""],
    "opencode": [
        '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    "a": {"type": "remote"}\n  }\n}\n'
    ],
}


@pytest.mark.parametrize(("host", "text"), [(host, text) for host, texts in KEPT.items() for text in texts])
def test_uninstall_leaves_what_else_stood_there(host: str, text: str, quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_bytes(text.encode())
    assert quick("mcp", "install", host, "--file", str(file)).code == 0
    shown = quick("mcp", "uninstall", host, "--file", str(file), "--dry-run").stdout
    assert "-" in shown
    assert "kebab" in file.read_text(encoding="utf-8")
    done = quick("mcp", "uninstall", host, "--file", str(file), "--json")
    assert (done.code, done.last["status"]) == (0, "removed")
    assert Path(str(done.last["backup_path"])).is_file()
    after = file.read_bytes().decode("utf-8")
    assert "kebab" not in after
    reader = (
        tomllib.loads if host == "codex" else lambda each: json.loads(each.removeprefix("\ufeff") or "{}")
    )
    members = {"codex": "mcp_servers", "opencode": "mcp"}.get(host, "mcpServers")
    assert {members: {}, **reader(text)} == {members: {}, **reader(after)}
    if text.count("\n") > 2:
        assert after == text
    again = quick("mcp", "uninstall", host, "--file", str(file), "--json")
    assert (again.code, again.last["status"]) == (0, "unchanged")


def test_uninstall_makes_no_file(quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    done = quick("mcp", "uninstall", "cursor", "--file", str(file), "--json")
    assert (done.code, done.last["status"]) == (0, "unchanged")
    assert not file.exists()


@pytest.mark.parametrize("at", range(3))
def test_uninstall_cuts_an_entry_anywhere_in_its_object(at: int, quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    entries = [("a", 1), ("b", 2)]
    entries.insert(at, ("kebab", {"command": "kebab", "args": ["mcp"]}))  # type: ignore[arg-type]
    file.write_text(json.dumps({"mcpServers": dict(entries), "z": 1}, indent=2), encoding="utf-8")
    assert quick("mcp", "uninstall", "cursor", "--file", str(file), "--json").last["status"] == "removed"
    kept = {"mcpServers": {"a": 1, "b": 2}, "z": 1}
    assert file.read_text(encoding="utf-8") == json.dumps(kept, indent=2)


@pytest.mark.parametrize(
    ("host", "text"), [("zed", "// mine\n{}\n"), ("cursor", "{"), ("goose", "extensions: {}\n")]
)
def test_uninstall_leaves_a_file_that_it_cannot_read(host: str, text: str, quick, file: Path) -> None:  # type: ignore[no-untyped-def]
    file.write_text(text, encoding="utf-8")
    done = quick("mcp", "uninstall", host, "--file", str(file), "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert "by hand" in str(done.error["hint"])
    assert file.read_text(encoding="utf-8") == text


def test_doctor_says_where_an_entry_starts_nothing(quick) -> None:  # type: ignore[no-untyped-def]
    def check() -> dict[str, Any] | None:
        checks: list[dict[str, Any]] = quick("doctor", "--json").last["checks"]
        return next((each for each in checks if each["name"] == "mcp_hosts"), None)

    assert check() is None
    assert quick("mcp", "install", "cursor").code == 0
    found = check()
    assert found is not None
    assert (found["ok"], found["detail"]) == (True, "kebab is in cursor")
    file = quick.kebab.home / FILES["cursor"][1]
    for wrong in (
        {"command": "/nowhere/kebab", "args": ["mcp"]},
        {"command": "kebab-that-is-not-there", "args": ["mcp"]},
        {"command": str(Path(__file__)), "args": ["mcp", "--config", "/nowhere/kebab.toml"]},
    ):
        file.write_text(json.dumps({"mcpServers": {"kebab": wrong}}), encoding="utf-8")
        found = check()
        assert found is not None
        assert (found["ok"], found["hint"]) == (False, "kebab mcp install cursor")
        assert "does not exist" in found["detail"]
    assert quick("doctor").code == 3
