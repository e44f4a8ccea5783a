"""Programs that start servers for agents, and the settings file in which each keeps the list of them."""

from __future__ import annotations

import re
import sys
from collections import Counter
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


READONLY = "--readonly"
_VERB = "mcp"
_CONFIG = "--config"
_FLAGS = (READONLY, "--debug")
"""Of kebab: they may stand before the verb as well."""
_IS_READONLY = re.compile(
    r"(?<![\w-])--readonly(?![\w-])|\bKEBAB_READONLY=(?:1|true|yes|on)\b", re.IGNORECASE
)
_SWITCHES = ("disabled", "enabled")


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
    remarks: tuple[str, ...] = ()
    """Further remarks for people, such as a member that was replaced."""


def merge_entry(
    host: Host, present: object, ours: Mapping[str, object], *, lets_write: bool = False
) -> ServerEntry:
    """Merge the entry that starts the server into the one that is there.

    Only the command, its `--config` and the transport change. A server with `--readonly` keeps it.

    Args:
        host: The host of both.
        present: The entry in its file; None where there is none.
        ours: The entry that starts the server.
        lets_write: Take `--readonly` out.
    """
    old = present if isinstance(present, dict) else {}
    line = [*_words(old.get(host.command)), *_words(old.get("args"))]
    wanted_words = _words(ours["args"])
    words = _merge(_words(old.get("args")), wanted_words)
    if lets_write:
        words = [word for word in words if word != READONLY]
    elif READONLY not in words and any(map(_IS_READONLY.search, line)):
        words.append(READONLY)
    start = {host.command: ours[host.command], "args": words}
    starts_program = host.command in old
    kind = {"type": "stdio"} if starts_program and old.get("type", "stdio") != "stdio" else {}
    user = old if starts_program else {name: old[name] for name in _SWITCHES if name in old}
    return ServerEntry(
        members={**ours, **user, **start, **kind},
        arguments=tuple(words),
        kept=_less([word for word in words if not word.startswith(f"{_CONFIG}=")], wanted_words),
        dropped=_less(line, [str(ours[host.command]), *words]),
        is_off=is_switched_off(old),
        remarks=tuple(_remark(old, starts_program=starts_program, lets_write=lets_write)),
    )


def is_switched_off(entry: object) -> bool:
    """True if an entry is disabled for its host."""
    return isinstance(entry, dict) and (entry.get("disabled") is True or entry.get("enabled") is False)


def _merge(present: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Merge the arguments after the verb into ours, in their order; `--config` is ours."""
    verb = ours.index(_VERB) if _VERB in ours else len(ours)
    config = ours[ours.index(_CONFIG) + 1] if _CONFIG in ours else None
    if _VERB not in present:
        return [*ours, *(flag for flag in _FLAGS if flag in present and flag not in ours)]
    at = present.index(_VERB)
    rest, has_config = _with_config(present[at + 1 :], config)
    front = [flag for flag in _FLAGS if flag in present[:at]]
    named = [] if has_config or config is None else [_CONFIG, config]
    more = [word for word in ours[verb + 1 :] if word not in (_CONFIG, config, *rest, *front)]
    return [*ours[: verb + 1], *front, *rest, *named, *more]


def _with_config(words: Sequence[str], config: str | None) -> tuple[list[str], bool]:
    """Replace the configuration that words name; also whether they named one."""
    merged: list[str] = []
    is_named = False
    rest = iter(words)
    for word in rest:
        name, equals, _ = word.partition("=")
        if name != _CONFIG:
            merged.append(word)
            continue
        if not equals:
            next(rest, None)
        if config is not None and not is_named:
            merged.extend([f"{_CONFIG}={config}"] if equals else [_CONFIG, config])
            is_named = True
    return merged, is_named


def _remark(old: Mapping[str, object], *, starts_program: bool, lets_write: bool) -> list[str]:
    remarks = []
    if old and not starts_program:
        remarks.append(f"the entry started no program and was replaced; it had {', '.join(map(str, old))}")
    elif old.get("type", "stdio") != "stdio":
        remarks.append(
            f"its type was {old['type']!r}, which fits no program that is started: it is 'stdio' now"
        )
    if starts_program and "url" in old:
        remarks.append("the entry also names a url: take that out if the host goes by it")
    env = old.get("env", old.get("envs"))
    if lets_write and isinstance(env, dict) and "KEBAB_READONLY" in env:
        remarks.append(
            "KEBAB_READONLY in the entry's environment still decides whether tools that write are there"
        )
    return remarks


def _words(value: object) -> list[str]:
    """List the words of a command line, which may be a list or one string."""
    if isinstance(value, str):
        return [value]
    words = value if isinstance(value, list) else []
    return [str(word) for word in words if isinstance(word, str | int | float)]


def _less(words: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Words that are not among others, in their order."""
    left = Counter(others)
    kept = []
    for word in words:
        if left[word]:
            left[word] -= 1
        else:
            kept.append(word)
    return tuple(kept)
