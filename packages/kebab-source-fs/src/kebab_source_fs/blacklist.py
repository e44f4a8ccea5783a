"""What is never content, whatever the ignore files say.

The list holds only names that programs make for themselves. Words that people also use for folders of their own
(`build`, `dist`, `env`, `venv`, `target`, `out`, `bin`, `CVS`, `cache`) are not on it by name; such folders are left
out when something in or beside them proves what they are:

- `pyvenv.cfg` in a folder makes it a Python environment, whatever its name;
- a `CACHEDIR.TAG` with the agreed signature (https://bford.info/cachedir/) makes it a cache;
- a folder `target` beside `Cargo.toml` or `pom.xml` is a build's output.

The source's own root is never judged: whoever names a folder as a source wants it. Hidden files and folders as such
are content (`.github`, `.notes`). Rules about names rank above ignore files; the two marks inside a folder are seen
only when it is entered, so a folder that an ignore file names counts as ignored by that file.
"""

from __future__ import annotations

import re

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
_FILES = frozenset({".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r"})
_FILE_PATTERNS = re.compile(
    r"\._.*"  # resource forks of macOS
    r"|\..*\.sw[a-px]"  # vim
    r"|\.#.*|#.*#"  # emacs
    r"|.*~"  # backups of editors
    r"|\.~lock\..*#|~\$.*",  # open documents of LibreOffice and Microsoft Office
    re.DOTALL,
)
_TELLING_FIRST, _TELLING_LAST = ".#~", "~#"
"""What a name that one of the patterns matches begins or ends with; nearly all names are done after this look."""
_BUILD_FILES = {"target": ("Cargo.toml", "pom.xml")}

ENVIRONMENT_MARK = "pyvenv.cfg"
CACHE_MARK = "CACHEDIR.TAG"
CACHE_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
"""What a cache's mark begins with."""


def is_never_content(name: str, *, is_folder: bool) -> bool:
    """Return whether a name alone says that it is not content.

    Args:
        name: The last component of a path.
        is_folder: Whether it is a folder.
    """
    if is_folder:
        return name in _FOLDERS or _TRASH_OF_USER.fullmatch(name) is not None
    if name.lower() in _FILES:
        return True
    is_telling = name[0] in _TELLING_FIRST or name[-1] in _TELLING_LAST
    return is_telling and _FILE_PATTERNS.fullmatch(name) is not None


def build_files(name: str) -> tuple[str, ...]:
    """Return the files of which one beside a folder of this name makes it a build's output."""
    return _BUILD_FILES.get(name, ())
