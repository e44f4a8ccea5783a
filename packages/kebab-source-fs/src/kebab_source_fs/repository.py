"""The repository that a folder is checked out from, by the files of its `.git`; git itself is not needed.

The files are those of gitrepository-layout(5): `.git` is a folder, or in worktrees and submodules a file that names one.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from kebab_core import Repository, SourceId, WorkspacePath

_MARK = ".git"
_BRANCHES = "refs/heads/"
_NO_BRANCH = "refs/heads/.invalid"
"""What `HEAD` names where branches are stored as reftables, which are not read."""
_MAX_BYTES = 16 * 1024 * 1024
"""Of one file; `packed-refs` of the largest repositories has some megabytes."""
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REMOTE = re.compile(r'remote "(.{1,1000})"')
_SEPARATOR = re.compile(r"[/:\\]")
_SSH = frozenset({"ssh", "git+ssh", "ssh+git"})


class _GitFolder(NamedTuple):
    """Where the facts of a checkout are."""

    own: Path
    """Its own folder, with `HEAD`."""
    common: Path
    """The folder that all its worktrees share, with `config` and the branches."""


def read_repository(folder: Path, place: WorkspacePath | None, source_id: SourceId) -> Repository | None:
    """Read the facts of the repository that is checked out in a folder.

    Args:
        folder: A folder with a `.git`.
        place: `Repository.folder`.
        source_id: The source that it is in.

    Returns:
        The facts; None where it is no repository, or `HEAD` cannot be read.
    """
    git = _find_git(folder)
    head = "" if git is None else _read(git.own / "HEAD").strip()
    if git is None or not head:
        return None
    ref = head.removeprefix("ref:").strip() if head.startswith("ref:") else ""
    remote = _find_remote(git)
    return Repository(
        source_id=source_id,
        folder=place,
        name=(_last_name(remote) if remote else "") or _name_of_checkout(folder, git),
        remote=remote,
        branch=ref.removeprefix(_BRANCHES) if ref.startswith(_BRANCHES) and ref != _NO_BRANCH else None,
        commit=_find_commit(git, ref) if ref else _hash_in(head),
    )


def find_repository_around(root: Path) -> Path | None:
    """Return the nearest folder with a `.git`, the root itself or one above it; None where there is none."""
    real = root.resolve()
    return next((folder for folder in (real, *real.parents) if (folder / _MARK).exists()), None)


def _find_git(folder: Path) -> _GitFolder | None:
    own = folder / _MARK
    if not own.is_dir():
        named = _read(own).strip()
        if not named.startswith("gitdir:"):
            return None
        own = folder / named.removeprefix("gitdir:").strip()
    common = _read(own / "commondir").strip()
    return _GitFolder(own, (own / common).resolve() if common else own)


def _find_commit(git: _GitFolder, ref: str) -> str | None:
    if ref.startswith("/") or ".." in ref.split("/"):
        return None
    for folder in (git.own, git.common):
        if found := _hash_in(_read(folder / ref).strip()):
            return found
    lines = _read(git.common / "packed-refs").splitlines()
    return next((_hash_in(line.partition(" ")[0]) for line in lines if line.endswith(f" {ref}")), None)


def _hash_in(text: str) -> str | None:
    return text if _HASH.fullmatch(text) else None


def _find_remote(git: _GitFolder) -> str | None:
    """Return the address of `origin`, else of the only remote."""
    remotes = dict(_list_remotes(_read(git.common / "config")))
    if "origin" in remotes:
        return remotes["origin"]
    return next(iter(remotes.values())) if len(remotes) == 1 else None


def _list_remotes(config: str) -> Iterator[tuple[str, str]]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, delimiters=("=",))
    try:
        parser.read_string("\n".join(line.strip() for line in config.splitlines()))
    except configparser.Error:
        return
    for section in parser.sections():
        named = _REMOTE.fullmatch(section)
        address = parser.get(section, "url", fallback=None) if named else None
        if named and address:
            yield named[1], _without_secrets(address.strip().strip('"'))


def _without_secrets(address: str) -> str:
    """Return the address of a remote without user name, password and query; the user of SSH, which is no secret, stays."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address.rpartition("@")[2]
    if not parts.netloc:
        return address
    user, _, host = parts.netloc.rpartition("@")
    kept = f"{user.partition(':')[0]}@" if user and parts.scheme in _SSH else ""
    return urlunsplit(parts._replace(netloc=f"{kept}{host}", query="", fragment=""))


def _last_name(address: str) -> str:
    return _SEPARATOR.split(address.rstrip("/\\"))[-1].removesuffix(_MARK)


def _name_of_checkout(folder: Path, git: _GitFolder) -> str:
    """Return the name of the folder of the main checkout, of which a worktree has the common folder."""
    is_worktree = git.common != git.own and git.common.name == _MARK
    return (git.common.parent if is_worktree else folder.resolve()).name or _MARK


def _read(file: Path) -> str:
    """Return the text of a small file; empty where there is none that can be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(_MAX_BYTES).decode("utf-8", errors="replace")
    except (OSError, ValueError):
        return ""
