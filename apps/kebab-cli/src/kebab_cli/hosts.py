"""Programs that start servers for agents, and the settings file in which each keeps the list of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

FormatName = Literal["JSON", "TOML", "YAML"]


@dataclass(frozen=True, kw_only=True)
class Host:
    """One program."""

    title: str
    path: str
    """Of its file: below the home folder, or with `is_project` below the current folder."""
    is_project: bool = False
    moved_by: Mapping[str, str] = field(default_factory=dict)
    """Variables that name another folder in place of one at the front of `path`."""
    format: FormatName = "JSON"
    """Of its settings; kebab changes plain JSON and TOML."""
    members: str = "mcpServers"
    """The object in the file that holds the servers by name."""
    command: str = "command"
    """Name of the member that holds the program."""
    also: Mapping[str, object] = field(default_factory=dict)
    """Members of an entry beside command and arguments."""
    then: str
    """The user's next step."""

    def entry(self, program: str, arguments: Sequence[str]) -> dict[str, object]:
        """Build the entry of a server that is started so."""
        return {**self.also, self.command: program, "args": list(arguments)}


_RESTART = "restart it"
_IS_MAC = sys.platform == "darwin"
_SETTINGS: Mapping[str, str] = {} if _IS_MAC else {"XDG_CONFIG_HOME": ".config"}
HOSTS: Mapping[str, Host] = {
    "claude-code": Host(
        title="Claude Code",
        path=".mcp.json",
        is_project=True,
        also={"type": "stdio"},
        then="start it in this folder and allow the server",
    ),
    "claude-desktop": Host(
        title="Claude Desktop",
        path=(
            "Library/Application Support/Claude/claude_desktop_config.json"
            if _IS_MAC
            else ".config/Claude/claude_desktop_config.json"
        ),
        moved_by=_SETTINGS,
        then=_RESTART,
    ),
    "codex": Host(
        title="Codex",
        path=".codex/config.toml",
        moved_by={"CODEX_HOME": ".codex"},
        format="TOML",
        members="mcp_servers",
        then=_RESTART,
    ),
    "continue": Host(
        title="Continue",
        path=".continue/mcpServers/mcp.json",
        is_project=True,
        then="open this folder in it and use its agent mode",
    ),
    "cursor": Host(title="Cursor", path=".cursor/mcp.json", then=_RESTART),
    "gemini-cli": Host(title="Gemini CLI", path=".gemini/settings.json", then=_RESTART),
    "goose": Host(
        title="goose",
        path=".config/goose/config.yaml",
        moved_by={"XDG_CONFIG_HOME": ".config"},
        format="YAML",
        members="extensions",
        command="cmd",
        also={
            "enabled": True,
            "type": "stdio",
            "name": "kebab",
            "description": "Search and ask the user's own documents",
            "timeout": 300,
        },
        then=_RESTART,
    ),
    "vscode": Host(
        title="VS Code",
        path=".vscode/mcp.json",
        is_project=True,
        members="servers",
        also={"type": "stdio"},
        then="open this folder in it and start the server",
    ),
    "windsurf": Host(title="Windsurf", path=".codeium/windsurf/mcp_config.json", then=_RESTART),
    "zed": Host(
        title="Zed",
        path=".config/zed/settings.json",
        moved_by=_SETTINGS,
        members="context_servers",
        also={"source": "custom"},
        then="look for it in the settings of its agent panel",
    ),
}
"""By the name that `kebab mcp install` takes."""


def find_file(host: Host, environ: Mapping[str, str]) -> Path:
    """Locate a program's file, for this user or, with `is_project`, for the current folder."""
    if host.is_project:
        return Path.cwd() / host.path
    for variable, folder in host.moved_by.items():
        named = environ.get(variable, "")
        if Path(named).is_absolute():
            return Path(named) / Path(host.path).relative_to(folder)
    return Path(environ.get("HOME") or Path.home()) / host.path
