"""Classification of one name in a folder: an entry, a skipped path, or a folder to enter. Called by the walk."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import NamedTuple

from kebab_core import FileStamp, ScanItem, SkippedPath, SkipReason, SourceEntry, SourceScope, WorkspacePath

from kebab_source_fs.folder import Folder
from kebab_source_fs.links import Link, LinkTargets, reason_for_broken
from kebab_source_fs.listing import ListedName
from kebab_source_fs.media import media_type_of
from kebab_source_fs.rules import ScanRules


class Child(NamedTuple):
    """One name of a folder being walked."""

    folder: Folder
    name: ListedName
    entry: os.DirEntry[str]

    @property
    def path(self) -> WorkspacePath:
        """Path inside the source. Its parts are normalised, so that is not checked again."""
        return str.__new__(WorkspacePath, self.folder.prefix + self.name.shown)

    @property
    def disk_path(self) -> str:
        """Absolute path as spelled on disk."""
        return f"{self.folder.disk_path}/{self.name.on_disk}"

    def skipped(self, reason: SkipReason, *, is_folder: bool = False) -> SkippedPath:
        """The item that says why this is not ingested."""
        return SkippedPath(workspace_path=self.path, reason=reason, is_folder=is_folder)


@dataclass(frozen=True, slots=True)
class Descent:
    """The walk goes on inside this folder."""

    child: Child
    real_path: str
    """Absolute path without links."""


class EntryFilter:
    """Applies the rules of one walk.

    The reasons `ScanRules` knows come first, then what links and special files say, then code globs, include
    patterns and sizes.

    Args:
        scope: What is walked.
        rules: What is left out.
        root: The source's root.
    """

    def __init__(self, scope: SourceScope, *, rules: ScanRules, root: Folder) -> None:
        self._source_id = scope.source_id
        self._follow_symlinks = scope.follow_symlinks
        self._rules = rules
        self._links = LinkTargets(rules, root)

    def classify(self, child: Child) -> ScanItem | Descent:
        """The item of a child, or the descent into it; a file that vanishes meanwhile is unreadable."""
        is_folder = child.entry.is_dir(follow_symlinks=False)
        if child.name.refusal is not None:
            return child.skipped(child.name.refusal, is_folder=is_folder)
        if child.entry.is_symlink():
            return self._classify_link(child)
        excluded = self._rules.exclusion(child.folder, child.name.shown, is_folder=is_folder)
        if excluded:
            return child.skipped(excluded, is_folder=is_folder)
        if is_folder:
            return Descent(child, f"{child.folder.real_path}/{child.name.on_disk}")
        try:
            status = child.entry.stat(follow_symlinks=False)
        except OSError:
            return child.skipped(SkipReason.UNREADABLE)
        return self._classify_file(child, status)

    def _classify_link(self, child: Child) -> ScanItem | Descent:
        try:
            status = child.entry.stat()
        except OSError as error:
            return child.skipped(self._leave_out_link(child) or reason_for_broken(error))
        is_folder = stat.S_ISDIR(status.st_mode)
        left_out = self._leave_out_link(child, is_folder=is_folder)
        if left_out:
            return child.skipped(left_out, is_folder=is_folder)
        link = Link(child.disk_path, child.name.shown, is_folder=is_folder)
        try:
            target = self._links.follow(child.folder, link)
        except OSError as error:
            return child.skipped(reason_for_broken(error), is_folder=is_folder)
        if isinstance(target, SkipReason):
            return child.skipped(target, is_folder=is_folder)
        return Descent(child, target) if is_folder else self._classify_file(child, status)

    def _leave_out_link(self, child: Child, *, is_folder: bool = False) -> SkipReason | None:
        excluded = self._rules.exclusion(child.folder, child.name.shown, is_folder=is_folder)
        if excluded or self._follow_symlinks:
            return excluded
        return SkipReason.CONFIG_EXCLUDE

    def _classify_file(self, child: Child, status: os.stat_result) -> ScanItem:
        if not stat.S_ISREG(status.st_mode):
            return child.skipped(SkipReason.NOT_REGULAR)
        folder, name, _ = child
        media, byte_len = media_type_of(name.shown), status.st_size
        excluded = self._rules.file_exclusion(folder, name.shown, media=media, byte_len=byte_len)
        if excluded:
            return child.skipped(excluded)
        return SourceEntry(  # by position: names cost a tenth of the whole look at a file
            self._source_id,
            child.path,
            child.disk_path,
            FileStamp(byte_len, status.st_mtime_ns, status.st_ino, status.st_ctime_ns),
            media,
        )
