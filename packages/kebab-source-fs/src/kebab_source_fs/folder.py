"""A folder of a source as it is being walked, and the rules that hold inside it."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass

from kebab_core import IgnoreEdit

from kebab_source_fs.blacklist import CACHE_MARK, CACHE_SIGNATURE, ENVIRONMENT_MARK, build_files
from kebab_source_fs.ignore import NO_RULES, RuleSet, RuleStack, split_lines
from kebab_source_fs.reading import open_at_once

_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENXIO}
"""Not there, or something there that is no file."""


@dataclass(frozen=True, slots=True)
class Folder:
    """An entered folder."""

    disk_path: str
    """Absolute, as spelled on disk."""
    real_path: str
    """Absolute, without links."""
    prefix: str
    """Path inside the source with `/` at the end; empty for the root."""
    gitignore: RuleStack = NO_RULES
    kebabignore: RuleStack = NO_RULES
    is_included: bool = False
    """What the include patterns say of the folder; inherited by what they do not name."""
    is_kept: bool = False
    """Whether it lies inside `SourceScope.kept`."""
    has_file_rules: bool = True
    """Whether any ignore file or exclude pattern may leave out a file directly in it."""


def read_rules(disk_path: str, name: str, *, edit: IgnoreEdit | None = None) -> RuleSet | None:
    """Read one ignore file of a folder.

    Links to a file are followed. Bytes that are not UTF-8 match no name; a byte order mark is dropped.

    Args:
        disk_path: The folder.
        name: Name of the ignore file.
        edit: A change that counts as made.

    Returns:
        The rules; None if there is no such regular file.

    Raises:
        OSError: The file is there but cannot be read. Ignoring that would take in what it leaves out.
    """
    content = _read_regular(f"{disk_path}/{name}")
    if content is None:
        return None
    lines = split_lines(content.decode("utf-8-sig", errors="replace"))
    if edit is not None:
        kept = ("" if number in edit.dropped else line for number, line in enumerate(lines, start=1))
        lines = [*kept, *edit.added]
    return RuleSet(lines)


def is_marked_never_content(disk_path: str, name: str) -> bool:
    """Return whether something in or beside a folder proves that it holds no content.

    Args:
        disk_path: The folder.
        name: Its name.

    Raises:
        OSError: A mark is there but cannot be read.
    """
    return find_mark(disk_path, name) is not None


def find_mark(disk_path: str, name: str) -> str | None:
    """Return the name of what proves that a folder holds no content, None where nothing does.

    Args:
        disk_path: The folder.
        name: Its name.

    Raises:
        OSError: A mark is there but cannot be read.
    """
    if os.path.lexists(f"{disk_path}/{ENVIRONMENT_MARK}"):
        return ENVIRONMENT_MARK
    parent = os.path.dirname(disk_path)  # noqa: PTH120 - one call per folder; a Path costs more than the walk
    for build_file in build_files(name):
        if os.path.lexists(f"{parent}/{build_file}"):
            return build_file
    mark = _read_regular(f"{disk_path}/{CACHE_MARK}", limit=len(CACHE_SIGNATURE))
    return CACHE_MARK if mark == CACHE_SIGNATURE else None


def _read_regular(path: str, *, limit: int = -1) -> bytes | None:
    try:
        with open_at_once(path) as handle:
            return handle.read(limit) if stat.S_ISREG(os.fstat(handle.fileno()).st_mode) else None
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        raise
