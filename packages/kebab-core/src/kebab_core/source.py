"""What a scan is told and what it finds."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from kebab_core.asset import SourceEntry, SourceId, WorkspacePath
from kebab_core.ids import DEFAULT_SOURCE_ID
from kebab_core.model import Model


class SkipReason(StrEnum):
    """Why a file is not ingested. Every such file is counted under exactly one."""

    BUILTIN_BLACKLIST = "builtin_blacklist"
    """A name that is never content: version control, caches, installed packages."""
    GITIGNORE = "gitignore"
    KEBABIGNORE = "kebabignore"
    CONFIG_EXCLUDE = "config_exclude"
    NOT_INCLUDED = "not_included"
    """No include pattern matches."""
    UNSUPPORTED_MEDIA = "unsupported_media"
    SIZE_EXCEEDED = "size_exceeded"
    GENERATED = "generated"
    BINARY_CONTENT = "binary_content"
    """A text extension over content that is not text."""
    EMPTY = "empty"
    """Nothing in it to index."""
    SYMLINK_OUTSIDE = "symlink_outside"
    """A link to somewhere outside the source."""
    SYMLINK_LOOP = "symlink_loop"
    """A link into its own way."""
    LINKED_TWICE = "linked_twice"
    """A link to what is read anyway: under its own name, or through an earlier link to the same folder."""
    NOT_REGULAR = "not_regular"
    """A socket, pipe or device."""
    BROKEN_LINK = "broken_link"
    """A link to nothing."""
    UNUSABLE_NAME = "unusable_name"
    """A name that is not UTF-8."""
    SPELLED_TWICE = "spelled_twice"
    """A name that another file or folder beside it has too once both are NFC."""
    UNREADABLE = "unreadable"
    """The file could not be looked at; whether it is still there is not known, so nothing of it is removed."""


class SourceScope(Model):
    """What to scan."""

    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    root: str
    """Absolute path of the source's folder."""
    under: WorkspacePath | None = None
    """Only this file or folder of the source."""
    include: tuple[str, ...] = ("**/*",)
    exclude: tuple[str, ...] = ()
    kept: WorkspacePath | None = None
    """A folder in which neither include and exclude patterns nor ignore files leave anything out."""
    follow_symlinks: bool = True
    max_file_bytes: int = Field(default=200 * 1024 * 1024, ge=1)


class SkippedPath(NamedTuple):
    """A file, or a folder that was not entered, that is not ingested; a folder counts once."""

    workspace_path: WorkspacePath
    reason: SkipReason
    is_folder: bool = False


class UnreadableFolder(Model):
    """A folder that could not be listed: nothing beneath it may be taken for gone."""

    workspace_path: WorkspacePath | None
    """None is the root itself."""
    message: str


ScanItem = SourceEntry | SkippedPath | UnreadableFolder
"""One find of a scan."""


class RuleOrigin(StrEnum):
    """Where a rule stands that leaves a path out."""

    BUILT_IN = "built_in"
    """In kebab itself."""
    IGNORE_FILE = "ignore_file"
    """On a line of an ignore file."""
    SETTING = "setting"
    """In the configuration."""


class SkipRule(NamedTuple):
    """The rule that leaves a path out."""

    origin: RuleOrigin
    name: str
    """Of an ignore file its path inside the source, of a setting its dotted key, else what is built in."""
    pattern: str | None = None
    """As it is written, where it is a pattern."""
    line: int | None = None
    """Of an ignore file, from 1."""
    limit: int | None = None
    """In bytes, where it is one of size."""


class IgnoreEdit(NamedTuple):
    """A change of an ignore file that is only thought of."""

    dropped: frozenset[int] = frozenset()
    """Lines that would go, from 1."""
    added: tuple[str, ...] = ()
    """Lines that would come at its end."""


class PathVerdict(NamedTuple):
    """What a scan makes of one path."""

    item: ScanItem
    rule: SkipRule | None = None
    """Which rule a skipped path is left out by; None where what is skipped says it all."""
