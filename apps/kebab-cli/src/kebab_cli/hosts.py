"""Programs that start servers for agents, and where each keeps the list of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Host:
    """One program."""

    title: str
    path: str
    """Of its file: below the home folder, or with `is_project` below the folder at hand."""
    is_project: bool = False
    members: str = "mcpServers"
    """The object in the file that holds the servers by name."""
    also: Mapping[str, object] = field(default_factory=dict)
    """What an entry says beside command and arguments."""
    then: str
    """What the user does next."""


_RESTART = "restart it"
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
            if sys.platform == "darwin"
            else ".config/Claude/claude_desktop_config.json"
        ),
        then=_RESTART,
    ),
    "cursor": Host(title="Cursor", path=".cursor/mcp.json", then=_RESTART),
    "gemini-cli": Host(title="Gemini CLI", path=".gemini/settings.json", then=_RESTART),
    "vscode": Host(
        title="VS Code",
        path=".vscode/mcp.json",
        is_project=True,
        members="servers",
        also={"type": "stdio"},
        then="open this folder in it and start the server",
    ),
    "windsurf": Host(title="Windsurf", path=".codeium/windsurf/mcp_config.json", then=_RESTART),
}
"""By the name that `kebab mcp install` takes."""


def find_file(host: Host, environ: Mapping[str, str]) -> Path:
    """Return where a program keeps its servers, for this user or, with `is_project`, for the folder at hand."""
    base = Path.cwd() if host.is_project else Path(environ.get("HOME") or Path.home())
    return base / host.path
