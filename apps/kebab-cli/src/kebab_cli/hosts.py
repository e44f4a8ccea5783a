"""Programs that start servers for agents, the settings file in which each lists them, and the entry of kebab there."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kebab_core import Message

SERVER_NAME = "kebab"
READONLY = "--readonly"
_VERB = "mcp"
_IS_READONLY = re.compile(r"--readonly(?![\w-])|\bKEBAB_READONLY=(?:1|true|yes|on)\b", re.IGNORECASE)
_SWITCHES = ("disabled", "enabled")


_RESTART = Message("restart it")


@dataclass(frozen=True)
class Host:
    """One program."""

    title: str
    path: str
    """Of its file: below the home folder, or with `is_project` below the current folder."""
    then: Message = _RESTART
    """The user's next step."""
    is_project: bool = False
    user_path: str = ""
    """With `is_project`: its file for the user, below the home folder; empty where it has none."""
    moved_by: tuple[str, str] = ("", "")
    """A variable that names another folder in place of the one at the front of `path`, and that one."""
    format: Literal["JSON", "TOML", "YAML"] = "JSON"
    """Of its settings; kebab changes plain JSON and TOML."""
    members: str = "mcpServers"
    """The object in the file that holds the servers by name."""
    command: str = "command"
    """Name of the member that holds the program."""
    is_one_line: bool = False
    """True if that member holds the arguments too, in one list."""
    also: Mapping[str, object] = field(default_factory=dict)
    """Members of an entry beside command and arguments."""

    def entry(self, program: str, arguments: Sequence[str]) -> dict[str, object]:
        """Build the entry of a server that is started so."""
        return {**self.also, **self.start_line(program, arguments)}

    def start_line(self, program: str, arguments: Sequence[str]) -> dict[str, object]:
        """Build the members of an entry that start a server so."""
        if self.is_one_line:
            return {self.command: [program, *arguments]}
        return {self.command: program, "args": list(arguments)}


_IS_MAC = sys.platform == "darwin"
_XDG = ("XDG_CONFIG_HOME", ".config")
_SETTINGS = ("", "") if _IS_MAC else _XDG
_APPLICATIONS = "Library/Application Support" if _IS_MAC else ".config"
_STDIO = {"type": "stdio"}
_LOCAL_TRANSPORTS = ("stdio", "local")
_VSCODE = f"{_APPLICATIONS}/Code/User"
_GOOSE = {
    "enabled": True,
    "type": "stdio",
    "name": SERVER_NAME,
    "description": "Search and ask the user's own documents",
    "timeout": 300,
}
HOSTS: Mapping[str, Host] = {
    "claude-code": Host(
        "Claude Code",
        ".mcp.json",
        Message("start it in this folder and allow the server"),
        is_project=True,
        user_path=".claude.json",
        also=_STDIO,
    ),
    "claude-desktop": Host(
        "Claude Desktop", f"{_APPLICATIONS}/Claude/claude_desktop_config.json", moved_by=_SETTINGS
    ),
    "cline": Host(
        "Cline",
        f"{_VSCODE}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        Message("look for it among the MCP servers of its panel"),
        moved_by=_SETTINGS,
    ),
    "codex": Host(
        "Codex", ".codex/config.toml", moved_by=("CODEX_HOME", ".codex"), format="TOML", members="mcp_servers"
    ),
    "continue": Host(
        "Continue",
        ".continue/mcpServers/mcp.json",
        Message("open this folder in it and use its agent mode"),
        is_project=True,
    ),
    "copilot-cli": Host(
        "Copilot CLI",
        ".copilot/mcp-config.json",
        moved_by=("COPILOT_HOME", ".copilot"),
        also={**_STDIO, "tools": ["*"]},
    ),
    "cursor": Host("Cursor", ".cursor/mcp.json"),
    "gemini-cli": Host("Gemini CLI", ".gemini/settings.json"),
    "goose": Host(
        "goose",
        ".config/goose/config.yaml",
        moved_by=_XDG,
        format="YAML",
        members="extensions",
        command="cmd",
        also=_GOOSE,
    ),
    "jetbrains": Host(
        "JetBrains Junie", ".junie/mcp/mcp.json", Message("look for it in its settings, under Junie")
    ),
    "lm-studio": Host("LM Studio", ".lmstudio/mcp.json", Message("switch it on in the Program tab")),
    "opencode": Host(
        "opencode",
        ".config/opencode/opencode.json",
        moved_by=_XDG,
        members="mcp",
        is_one_line=True,
        also={"type": "local", "enabled": True},
    ),
    "vscode": Host(
        "VS Code (Copilot)",
        ".vscode/mcp.json",
        Message("open this folder in it and start the server"),
        is_project=True,
        user_path=f"{_VSCODE}/mcp.json",
        members="servers",
        also=_STDIO,
    ),
    "windsurf": Host("Windsurf", ".codeium/windsurf/mcp_config.json"),
    "zed": Host(
        "Zed",
        ".config/zed/settings.json",
        Message("look for it in the settings of its agent panel"),
        moved_by=_SETTINGS,
        members="context_servers",
        also={"source": "custom"},
    ),
}
"""By the name that `kebab mcp install` takes."""


def find_file(host: Host, environ: Mapping[str, str], *, for_user: bool = False) -> Path:
    """Locate a program's file: for this user, or with `is_project` for the current folder unless it is `for_user`."""
    if host.is_project and not for_user:
        return Path.cwd() / host.path
    if host.is_project:
        return Path(environ.get("HOME") or Path.home()) / host.user_path
    variable, folder = host.moved_by
    moved = Path(environ.get(variable, ""))
    if moved.is_absolute():
        return moved / Path(host.path).relative_to(folder)
    return Path(environ.get("HOME") or Path.home()) / host.path


@dataclass(frozen=True, kw_only=True)
class ServerEntry:
    """An entry to be written, and how it differs from the one that is there."""

    members: dict[str, object]
    arguments: tuple[str, ...]
    kept: tuple[str, ...] = ()
    """Arguments that kebab did not put there."""
    dropped: tuple[str, ...] = ()
    """Words of the old command line that are no longer in it."""
    is_off: bool = False
    """True if the user has switched the server off."""
    remarks: tuple[Message, ...] = ()
    """Further remarks for people."""


def merge_entry(
    host: Host, present: object, program: str, arguments: Sequence[str], *, lets_write: bool = False
) -> ServerEntry:
    """Merge the entry that starts the server into the one that is there.

    Only the command and its `--config` change. A server with `--readonly` keeps it. An entry that starts no program, or
    speaks another transport, is replaced.

    Args:
        host: The host of both.
        present: The entry in its file; None where there is none.
        program: Starts the server.
        arguments: Of the program.
        lets_write: Take `--readonly` out.
    """
    old = present if isinstance(present, dict) else {}
    line = [*_words(old.get(host.command)), *_words(old.get("args"))]
    added = _added_arguments(line)
    if any(map(_IS_READONLY.search, line)):
        added.append(READONLY)
    kept = [word for word in dict.fromkeys(added) if word not in arguments]
    if lets_write and READONLY in kept:
        kept.remove(READONLY)
    words = [*arguments, *kept]
    is_started = host.command in old and old.get("type", "stdio") in _LOCAL_TRANSPORTS
    stays = old if is_started else {name: old[name] for name in _SWITCHES if name in old}
    replaced = Message(
        "the entry started no program and was replaced; it had {members}", members=", ".join(map(str, old))
    )
    return ServerEntry(
        members={**host.entry(program, words), **stays, **host.start_line(program, words)},
        arguments=tuple(words),
        kept=tuple(kept),
        dropped=tuple(word for word in line if word not in (program, *words)),
        is_off=is_switched_off(old),
        remarks=(replaced,) if old and not is_started else (),
    )


def find_fault(host: Host, entry: object) -> str | None:
    """Find what an entry names that is not there: its program, or its configuration file.

    Returns:
        The path or the name; None where all is there, or the entry is not read.
    """
    if not isinstance(entry, dict) or not (
        line := [*_words(entry.get(host.command)), *_words(entry.get("args"))]
    ):
        return None
    program = Path(line[0]).expanduser()
    if not (program.exists() if program.is_absolute() else shutil.which(line[0])):
        return line[0]
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", nargs="?")
    config = parser.parse_known_args(line[1:])[0].config
    return config if config and not Path(config).expanduser().exists() else None


def is_switched_off(entry: object) -> bool:
    """True if an entry is disabled for its host."""
    return isinstance(entry, dict) and (entry.get("disabled") is True or entry.get("enabled") is False)


def _added_arguments(line: Sequence[str]) -> list[str]:
    """Arguments after the verb in a command line, without `--config`."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--config", nargs="?")
    after_verb = line[line.index(_VERB) + 1 :] if _VERB in line else []
    return parser.parse_known_args(after_verb)[1]


def _words(value: object) -> list[str]:
    """List the words of a command line, which may be a list or one string."""
    words = value if isinstance(value, list) else [value]
    return [str(word) for word in words if isinstance(word, str | int | float)]
