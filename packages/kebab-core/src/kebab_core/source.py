"""Scans of a source: scope, skip reasons and rules, items found, the verdict on one path, and what stores keep of scans."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from kebab_core.files import FileStamp, SourceEntry, SourceId, WorkspacePath
from kebab_core.ids import DEFAULT_SOURCE_ID
from kebab_core.messages import Message
from kebab_core.model import Model, UtcDatetime
from kebab_core.remedies import Remedy


class SkipReason(StrEnum):
    """Reason that a file is not ingested. Every such file is counted under exactly one."""

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
    SECRET = "secret"  # noqa: S105 - the name of a reason
    """A private key or an access key."""
    EMPTY = "empty"
    """Nothing in it to index."""
    SYMLINK_OUTSIDE = "symlink_outside"
    """A link to somewhere outside the source."""
    SYMLINK_LOOP = "symlink_loop"
    """A link to a folder that contains it."""
    LINKED_TWICE = "linked_twice"
    """A link to a file or folder that is read anyway, under its own name or through an earlier link."""
    NOT_REGULAR = "not_regular"
    """A socket, pipe or device."""
    BROKEN_LINK = "broken_link"
    """A link to nothing."""
    UNUSABLE_NAME = "unusable_name"
    """A name that is not UTF-8."""
    SPELLED_TWICE = "spelled_twice"
    """A name that equals, in NFC, that of another file or folder beside it."""
    UNREADABLE = "unreadable"
    """The file could not be examined; it may still exist, so nothing of it is removed."""


SKIP_REASONS: Mapping[SkipReason, Message] = {
    SkipReason.LINKED_TWICE: Message("link to a file that is indexed anyway"),
    SkipReason.SPELLED_TWICE: Message(
        "another file or folder beside it has the same name in other letters (composed or decomposed), shown with ~; "
        "none of it is read until one is renamed"
    ),
    SkipReason.UNUSABLE_NAME: Message("a name that is not UTF-8"),
    SkipReason.BUILTIN_BLACKLIST: Message("name that is always skipped"),
    SkipReason.GITIGNORE: Message("gitignore"),
    SkipReason.KEBABIGNORE: Message("kebabignore"),
    SkipReason.CONFIG_EXCLUDE: Message("config exclude"),
    SkipReason.NOT_INCLUDED: Message("not included"),
    SkipReason.UNSUPPORTED_MEDIA: Message("unsupported media"),
    SkipReason.SIZE_EXCEEDED: Message("size exceeded"),
    SkipReason.GENERATED: Message("generated"),
    SkipReason.BINARY_CONTENT: Message("binary content"),
    SkipReason.SECRET: Message("private key or access key"),
    SkipReason.EMPTY: Message("empty"),
    SkipReason.SYMLINK_OUTSIDE: Message("symlink outside"),
    SkipReason.SYMLINK_LOOP: Message("symlink loop"),
    SkipReason.NOT_REGULAR: Message("not regular"),
    SkipReason.BROKEN_LINK: Message("broken link"),
    SkipReason.UNREADABLE: Message("unreadable"),
}
"""Words of the reasons; English ones are mostly their names."""


class SourceScope(Model):
    """Scope of a scan."""

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
    """A folder that could not be listed: nothing below it may be treated as removed."""

    workspace_path: WorkspacePath | None
    """None is the root itself."""
    message: Message


ScanItem = SourceEntry | SkippedPath | UnreadableFolder
"""One item of a scan."""


class Repository(Model):
    """A checkout of a version-controlled repository, as its `.git` describes it."""

    source_id: SourceId = SourceId(DEFAULT_SOURCE_ID)
    folder: WorkspacePath | None = None
    """Its folder in the source; None where the whole source lies in it."""
    name: str = Field(min_length=1)
    """Last name of the remote's address without `.git`; without a remote the name of the folder of the main checkout."""
    remote: str | None = None
    """Address of `origin`, or of the only other remote, without user name and password."""
    branch: str | None = None
    """None where no branch is checked out."""
    commit: str | None = None
    """Hash of the commit that is checked out; None before the first one, and where it is stored in a form that is not read."""


class RuleOrigin(StrEnum):
    """Origin of a rule that leaves a path out."""

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
    """Path of an ignore file inside the source, dotted key of a setting, else the name of the built-in rule."""
    pattern: str | None = None
    """The pattern as written, where the rule is one."""
    line: int | None = None
    """Line of the ignore file, from 1."""
    limit: int | None = None
    """Limit in bytes, where the rule is one of size."""


class IgnoreEdit(NamedTuple):
    """A hypothetical change of an ignore file."""

    dropped: frozenset[int] = frozenset()
    """Lines to drop, from 1."""
    added: tuple[str, ...] = ()
    """Lines to append."""


class PathVerdict(NamedTuple):
    """Verdict of a scan on one path."""

    item: ScanItem
    rule: SkipRule | None = None
    """Rule that leaves the path out; None where the skip reason is the whole explanation."""


class IngestFailure(Model):
    """Reason that one file could not be processed."""

    code: str
    """A code of the error tree."""
    message: Message
    remedy: Remedy | None = None
    """The next step; None if there is nothing to suggest. The store of source files does not keep it."""


class FileFailure(Model):
    """A file that could not be processed; its previous version, if any, stays."""

    source_id: SourceId
    workspace_path: WorkspacePath
    failure: IngestFailure
    failed_at: UtcDatetime


class RememberedSkip(NamedTuple):
    """A file left out because of its content; it is not read again while its state is the same."""

    source_id: SourceId
    workspace_path: WorkspacePath
    stamp: FileStamp
    fingerprint: str
    """Hash of every setting and version that the reason depends on."""
    reason: SkipReason


class CompletedScan(Model):
    """A source that was scanned to its end."""

    source_id: SourceId
    root: str
    completed_at: UtcDatetime
    files: int = Field(ge=0)
    documents_held: int = Field(default=0, ge=0)
    """Documents kept although their files seem gone."""
