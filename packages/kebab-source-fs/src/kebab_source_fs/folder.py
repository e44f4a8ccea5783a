"""Folders of a source during a walk: the rules that hold inside, and folders and files that are never content.

The built-in list holds only names that programs make for themselves. Words that people also use for folders of their
own (`build`, `dist`, `env`, `venv`, `target`, `out`, `bin`, `CVS`, `cache`) are not on it by name; such folders are left
out when something in or beside them proves what they are:

- `pyvenv.cfg` in a folder makes it a Python environment, whatever its name;
- a `CACHEDIR.TAG` with the agreed signature (https://bford.info/cachedir/) makes it a cache;
- a folder `target` beside `Cargo.toml` or `pom.xml` is a build's output.

The source's own root is never judged: whoever names a folder as a source wants it. Hidden files and folders as such
are content (`.github`, `.notes`). Rules about names rank above ignore files; the two marks inside a folder are seen
only when it is entered, so a folder that an ignore file names counts as ignored by that file.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass

from kebab_core import IgnoreEdit

from kebab_source_fs.ignore import NO_RULES, RuleSet, RuleStack
from kebab_source_fs.reading import open_at_once

_FOLDERS = frozenset({
    # version control
    ".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", ".pijul",
    # installed packages and tools' caches
    "node_modules", "bower_components", "__pycache__", ".venv", ".tox", ".nox", ".eggs", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints", ".gradle", ".terraform", ".direnv",
    # what operating systems and synchronisation put beside files
    ".Spotlight-V100", ".fseventsd", ".TemporaryItems", ".DocumentRevisions-V100", ".AppleDouble",
    "System Volume Information", "$RECYCLE.BIN", "lost+found", "@eaDir", ".stversions", ".stfolder",
    # thrown away: macOS, and Obsidian inside a vault
    ".Trash", ".Trashes", ".trash",
})  # fmt: skip
_TRASH_OF_USER = re.compile(r"\.Trash-\d+")
_FILES = frozenset({".git", ".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r", "kebab.toml"})
"""In lower case. `.git` is a file in worktrees and submodules; kebab's own settings may hold passwords of documents."""
_FILE_PATTERNS = re.compile(
    r"\._.*"  # resource forks of macOS
    r"|\..*\.sw[a-px]"  # vim
    r"|\.#.*|#.*#"  # emacs
    r"|.*~"  # backups of editors
    r"|\.~lock\..*#|~\$.*",  # open documents of LibreOffice and Microsoft Office
    re.DOTALL,
)
_PATTERN_FIRST, _PATTERN_LAST = ".#~", "~#"
"""First or last characters of every name that a pattern matches: a cheap test that settles nearly all names."""
_BUILD_FILES = {"target": ("Cargo.toml", "pom.xml")}
"""Files of which one beside a folder of a name makes it a build's output."""

ENVIRONMENT_MARK = "pyvenv.cfg"
CACHE_MARK = "CACHEDIR.TAG"
CACHE_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
"""First bytes of a `CACHEDIR.TAG`."""


def is_never_content(name: str, *, is_folder: bool) -> bool:
    """True if a name alone says that it is not content.

    Args:
        name: The last component of a path.
        is_folder: Whether it is a folder.
    """
    if is_folder:
        return name in _FOLDERS or _TRASH_OF_USER.fullmatch(name) is not None
    if name.lower() in _FILES:
        return True
    may_match = name[0] in _PATTERN_FIRST or name[-1] in _PATTERN_LAST
    return may_match and _FILE_PATTERNS.fullmatch(name) is not None


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
    """Verdict of the include patterns on the folder; inherited by what they do not name."""
    is_kept: bool = False
    """Whether it lies inside `SourceScope.kept`."""
    has_file_rules: bool = True
    """Whether any ignore file or exclude pattern may leave out a file directly in it."""


def read_rules(disk_path: str, name: str, *, edit: IgnoreEdit | None = None) -> RuleSet | None:
    """Read one ignore file of a folder. Links to a file are followed.

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
    return None if content is None else parse_rules(content, edit=edit)


def parse_rules(content: bytes, *, edit: IgnoreEdit | None = None) -> RuleSet:
    """Return the rules of an ignore file.

    Lines are cut as git cuts them: at line feeds, dropping one carriage return. Bytes that are not UTF-8 match no name; a
    byte order mark is dropped.
    """
    text = content.decode("utf-8-sig", errors="replace")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if edit is not None:
        kept = ("" if number in edit.dropped else line for number, line in enumerate(lines, start=1))
        lines = [*kept, *edit.added]
    return RuleSet(lines)


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
    for build_file in _BUILD_FILES.get(name, ()):
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
