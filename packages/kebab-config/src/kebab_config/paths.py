"""Paths on this machine: expansion of configured paths, and the XDG layout on every operating system alike.

| kind | folder |
|---|---|
| configuration | `$XDG_CONFIG_HOME/kebab/config.toml` |
| data | `storage.data_dir`, by default `$XDG_DATA_HOME/kebab` |
| state, logs below it | `$XDG_STATE_HOME/kebab` |
| cache | `$XDG_CACHE_HOME/kebab` |

State and cache follow the data: where `storage.data_dir` is not the default folder, logs go to its subfolder
`logs` and the cache to `cache`, so that a separate knowledge base never leaves traces in the folders of another.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kebab_core import (
    BUCKET_SOURCE,
    DEFAULT_SOURCE_ID,
    ConfigInvalidError,
    McpSettings,
    Message,
    Remedy,
    SourceId,
    SourceSettings,
    StorageSettings,
    WorkspaceSettings,
)

_FALLBACKS = {"XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state", "XDG_CACHE_HOME": ".cache"}


@dataclass(frozen=True, slots=True)
class ResolvedSource:
    """A source with all settings that apply to it, and its folder on this machine."""

    settings: SourceSettings
    """`include` falls back to the workspace's, `exclude` holds the workspace's first."""
    root: Path
    """Of a bucket the URL, of which a path keeps one slash."""


@dataclass(frozen=True, slots=True)
class Paths:
    """Absolute paths, expanded; none of them needs to exist."""

    config_file: Path
    """The file in force, or where the default one would be."""
    data_dir: Path
    state_dir: Path
    cache_dir: Path
    log_dir: Path
    """Always below `state_dir`."""
    sources: tuple[ResolvedSource, ...]
    """At least one, in the order of the configuration."""
    models_dir: Path
    """Folder of pulled models."""
    ingest_roots: tuple[Path, ...] = ()
    """Folders, besides the sources, from which agents may ingest files."""
    lake: str | None = None
    """Folder of the lake, or the URL of its bucket; None where there is none."""
    mirror: Path | None = None
    """Folder of the copy of the lake; None where there is none."""


def default_config_file(environ: Mapping[str, str]) -> Path:
    """The default path of the configuration file.

    Raises:
        ConfigInvalidError: Neither `XDG_CONFIG_HOME` nor `HOME` is set.
    """
    return _xdg_folder("XDG_CONFIG_HOME", environ) / "kebab" / "config.toml"


def resolve_paths(
    *,
    workspace: WorkspaceSettings,
    storage: StorageSettings,
    mcp: McpSettings,
    config_file: Path,
    environ: Mapping[str, str],
    bases: Mapping[str, Path],
    here: Path,
) -> Paths:
    """Expand every path of the configuration.

    Args:
        workspace: Folders of documents.
        storage: Storage of kebab's own data.
        mcp: Permissions of agents.
        config_file: Absolute path of the file, existing or not.
        environ: Variables.
        bases: By dotted key the absolute folder that a relative value of it starts from.
        here: That folder for all other keys.

    Returns:
        Absolute paths.

    Raises:
        ConfigInvalidError: A path cannot be expanded, or a source lies inside the data folder.
    """

    def expand(key: str, text: str) -> Path:
        try:
            return expand_path(text, environ=environ, base=bases.get(key, here))
        except ConfigInvalidError as error:
            raise ConfigInvalidError(
                "{key}: {reason}", remedy=error.remedy, key=key, _reason=error.message
            ) from error

    data_dir = expand("storage.data_dir", storage.data_dir)
    sources = tuple(
        ResolvedSource(
            source, Path(source.root) if source.kind == BUCKET_SOURCE else expand(key, source.root)
        )
        for key, source in _with_defaults(workspace)
    )
    for source in sources:
        _refuse_inside(source, data_dir)
    lake = storage.lake or None
    if lake is not None and "://" not in lake:
        lake = str(expand("storage.lake", lake))
    own = data_dir != _default_data_dir(environ)
    state_dir = data_dir if own else _xdg_folder("XDG_STATE_HOME", environ) / "kebab"
    return Paths(
        config_file=config_file,
        data_dir=data_dir,
        state_dir=state_dir,
        cache_dir=data_dir / "cache" if own else _xdg_folder("XDG_CACHE_HOME", environ) / "kebab",
        log_dir=state_dir / "logs",
        sources=sources,
        ingest_roots=tuple(expand("mcp.ingest_roots", root) for root in mcp.ingest_roots),
        models_dir=data_dir / "models",
        lake=lake,
        mirror=expand("storage.mirror", storage.mirror) if storage.mirror else None,
    )


def _with_defaults(workspace: WorkspaceSettings) -> Iterator[tuple[str, SourceSettings]]:
    """Yield the sources with the globs of the workspace, each with the key that its root is set by."""
    if not workspace.sources:
        yield (
            "workspace.root",
            SourceSettings(
                id=SourceId(DEFAULT_SOURCE_ID),
                root=workspace.root,
                include=workspace.include,
                exclude=workspace.exclude,
            ),
        )
    for source in workspace.sources:
        globs = {
            "include": source.include if "include" in source.model_fields_set else workspace.include,
            "exclude": (*workspace.exclude, *source.exclude),
        }
        yield "workspace.sources", source.model_copy(update=globs)


def _refuse_inside(source: ResolvedSource, data_dir: Path) -> None:
    root, data = Path(os.path.realpath(source.root)), Path(os.path.realpath(data_dir))
    if root.is_relative_to(data):
        raise ConfigInvalidError(
            "the folder of source `{source_id}`, {root!r}, lies inside the data folder {data_dir!r}: "
            "kebab would ingest its own files",
            remedy=Remedy(
                kind="change_setting",
                setting="workspace.root",
                otherwise=Remedy(kind="change_setting", setting="storage.data_dir"),
            ),
            root=str(source.root),
            data_dir=str(data_dir),
            _source_id=source.settings.id,
        )


def _xdg_folder(name: str, environ: Mapping[str, str]) -> Path:
    value = drop_relative_xdg(environ).get(name)
    return Path(os.path.normpath(value)) if value else home_folder(environ) / _FALLBACKS[name]


def _default_data_dir(environ: Mapping[str, str]) -> Path | None:
    try:
        return expand_path(StorageSettings().data_dir, environ=environ, base=Path("/"))
    except ConfigInvalidError:
        return None  # without HOME there is no default folder that the data could be in


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def expand_path(text: str, *, environ: Mapping[str, str], base: Path) -> Path:
    """Turn a configured path into an absolute one.

    `$NAME`, `${NAME}` and `${NAME:-fallback}` (used when the variable is unset or empty, may itself hold any of
    these) are replaced, `$$` is a dollar sign, then a leading `~` is the home folder. Values of variables are
    taken as they are. `..` and doubled slashes are resolved by name only; symbolic links stay.

    Args:
        text: The path as configured.
        environ: Variables, `HOME` among them.
        base: Absolute folder that a relative path starts from.

    Returns:
        An absolute path, which may not exist.

    Raises:
        ConfigInvalidError: The text is empty, names a variable that is not set and gives no fallback, leaves a
            brace open, or needs `HOME` where that is not set.
    """
    if not text.strip():
        raise ConfigInvalidError("a path must not be empty")
    expanded = _expand_variables(text, drop_relative_xdg(environ))
    if expanded == "~" or expanded.startswith("~/"):
        expanded = f"{home_folder(environ)}{expanded[1:]}"
    return Path(os.path.normpath(base / expanded))


def absolute_path(path: Path) -> Path:
    """Return the absolute path of one that somebody typed, as `expand_path` returns it when it is configured.

    Raises:
        RuntimeError: It begins with the home folder of a user who does not exist.
    """
    return Path(os.path.normpath(path.expanduser().absolute()))


def home_folder(environ: Mapping[str, str]) -> Path:
    """The user's home folder.

    Raises:
        ConfigInvalidError: `HOME` is not set to an absolute path.
    """
    home = environ.get("HOME", "")
    if not home.startswith("/"):
        raise ConfigInvalidError(
            "the home folder is not known: HOME is not an absolute path",
            remedy=Remedy(
                kind="set", setting="HOME", otherwise=Remedy(advice=Message("write absolute paths"))
            ),
        )
    return Path(home)


def drop_relative_xdg(environ: Mapping[str, str]) -> Mapping[str, str]:
    """The variables without relative `XDG_*` folders, which the base directory specification declares invalid."""
    return {
        name: value
        for name, value in environ.items()
        if not (name.startswith("XDG_") and name.endswith("_HOME")) or value.startswith("/")
    }


def _expand_variables(text: str, environ: Mapping[str, str]) -> str:
    head, dollar, rest = text.partition("$")
    if not dollar:
        return text
    if rest.startswith("$"):
        return head + "$" + _expand_variables(rest[1:], environ)
    if rest.startswith("{"):
        inside, rest = _split_braces(rest, whole=text)
        return head + _expand_braced(inside, environ) + _expand_variables(rest, environ)
    name = _NAME.match(rest)
    if name is None:
        return head + "$" + _expand_variables(rest, environ)
    return head + _lookup(name[0], environ) + _expand_variables(rest[name.end() :], environ)


def _split_braces(text: str, *, whole: str) -> tuple[str, str]:
    depth = 0
    for position, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return text[1:position], text[position + 1 :]
    raise ConfigInvalidError("{whole!r} opens `${{` and never closes it", _whole=whole)


def _expand_braced(inside: str, environ: Mapping[str, str]) -> str:
    name, has_fallback, fallback = inside.partition(":-")
    if not _NAME.fullmatch(name):
        raise ConfigInvalidError("`${{{inside}}}` does not name a variable", _inside=inside)
    if has_fallback:
        return environ.get(name) or _expand_variables(fallback, environ)
    return _lookup(name, environ)


def _lookup(name: str, environ: Mapping[str, str]) -> str:
    if name not in environ:
        raise ConfigInvalidError(
            "the variable {name} is not set",
            remedy=Remedy(
                kind="set",
                setting=name,
                otherwise=Remedy(
                    advice=Message("write it as {value}", value=f"${{{name}:-fallback}}"),
                    otherwise=Remedy(advice=Message("write $$ for a dollar sign")),
                ),
            ),
            _name=name,
        )
    return environ[name]
