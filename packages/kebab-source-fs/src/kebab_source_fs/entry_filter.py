"""Classification of one name in a folder: an entry, a skipped path, or a folder to enter. Called by the walk.

A symbolic link is followed when its target lies inside the source and would not be found at its own place: every place
is visited once, under the name that it really has, whatever order names have. So a link to a note is a place already
visited, while a link to an object in a store that is left out (as git-annex makes them) is a document.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from typing import NamedTuple

from kebab_core import (
    ScanItem,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceScope,
    WorkspacePath,
    media_type_of,
)

from kebab_source_fs.folder import Folder, find_mark
from kebab_source_fs.reading import stamp_of
from kebab_source_fs.rules import ScanRules


class Child(NamedTuple):
    """One name of a folder being walked."""

    folder: Folder
    on_disk: str
    """Its name, as `ListedName` has it."""
    shown: str
    refusal: SkipReason | None
    entry: os.DirEntry[str]

    @property
    def path(self) -> WorkspacePath:
        """Path inside the source. Its parts are normalised, so that is not checked again."""
        return str.__new__(WorkspacePath, self.folder.prefix + self.shown)

    @property
    def disk_path(self) -> str:
        """Absolute path as spelled on disk."""
        return f"{self.folder.disk_path}/{self.on_disk}"

    def skipped(self, reason: SkipReason, *, is_folder: bool = False) -> SkippedPath:
        """The item that says why this is not ingested."""
        return SkippedPath(workspace_path=self.path, reason=reason, is_folder=is_folder)


class EntryFilter:
    """Applies the rules of one walk.

    The reasons `ScanRules` knows come first, then what links and special files say, then code globs, include
    patterns and sizes. Remembers which folders it followed links to.

    Args:
        scope: What is walked.
        rules: What is left out.
        root: The source's root.
    """

    def __init__(self, scope: SourceScope, *, rules: ScanRules, root: Folder) -> None:
        self._source_id = scope.source_id
        self._follow_symlinks = scope.follow_symlinks
        self._rules = rules
        self._root = root
        self._followed: set[str] = set()

    def classify(self, child: Child) -> ScanItem | str:
        """The item of a child, or the real path of a folder to enter; a file that vanishes meanwhile is unreadable."""
        folder, on_disk, shown, refusal, entry = child
        is_folder = entry.is_dir(follow_symlinks=False)
        if refusal is not None:
            return child.skipped(refusal, is_folder=is_folder)
        if entry.is_symlink():
            return self._classify_link(child)
        excluded = self._rules.exclusion(folder, shown, is_folder=is_folder)
        if excluded:
            return child.skipped(excluded, is_folder=is_folder)
        if is_folder:
            return f"{folder.real_path}/{on_disk}"
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            return child.skipped(SkipReason.UNREADABLE)
        return self._classify_file(child, status)

    def _classify_link(self, child: Child) -> ScanItem | str:
        try:
            status = child.entry.stat()
        except OSError as error:
            return child.skipped(self._leave_out_link(child) or _reason_for_broken(error))
        is_folder = stat.S_ISDIR(status.st_mode)
        left_out = self._leave_out_link(child, is_folder=is_folder)
        if left_out:
            return child.skipped(left_out, is_folder=is_folder)
        try:
            real_path = os.path.realpath(child.disk_path, strict=True)
            refusal = self._refuse_target(child, real_path, is_folder=is_folder)
        except OSError as error:
            return child.skipped(_reason_for_broken(error), is_folder=is_folder)
        if refusal is not None:
            return child.skipped(refusal, is_folder=is_folder)
        if not is_folder:
            return self._classify_file(child, status)
        self._followed.add(real_path)
        return real_path

    def _leave_out_link(self, child: Child, *, is_folder: bool = False) -> SkipReason | None:
        excluded = self._rules.exclusion(child.folder, child.shown, is_folder=is_folder)
        if excluded or self._follow_symlinks:
            return excluded
        return SkipReason.CONFIG_EXCLUDE

    def _classify_file(self, child: Child, status: os.stat_result) -> ScanItem:
        if not stat.S_ISREG(status.st_mode):
            return child.skipped(SkipReason.NOT_REGULAR)
        folder, on_disk, shown, _, _ = child
        media, stamp = media_type_of(shown), stamp_of(status)
        excluded = self._rules.file_exclusion(folder, shown, media=media, byte_len=stamp.byte_len)
        if excluded:
            return child.skipped(excluded)
        # Without `child.path`, and as a tuple: calls cost a tenth of the whole look at a file.
        path, disk_path = str.__new__(WorkspacePath, folder.prefix + shown), f"{folder.disk_path}/{on_disk}"
        return tuple.__new__(SourceEntry, (self._source_id, path, disk_path, stamp, media))

    def _refuse_target(self, child: Child, real_path: str, *, is_folder: bool) -> SkipReason | None:
        """The reason why a link is not followed, or None.

        A folder that is left out at its own place is followed by the first link to it only. Files have no such
        limit: two links to one object are two documents with equal content.

        Raises:
            OSError: An ignore file on the way to the target cannot be read.
        """
        if not _is_inside(real_path, self._root.real_path):
            return SkipReason.SYMLINK_OUTSIDE
        if _is_inside(child.folder.real_path, real_path):
            return SkipReason.SYMLINK_LOOP
        if real_path in self._followed or self._is_found(child, real_path, is_folder=is_folder):
            return SkipReason.LINKED_TWICE
        return None

    def _is_found(self, child: Child, real_path: str, *, is_folder: bool) -> bool:
        """True if the walk finds the target of a link at its own place."""
        *above, last = real_path.removeprefix(f"{self._root.real_path}/").split("/")
        folder = self._root
        for on_disk in [*above, last] if is_folder else above:
            entered = self._enter(folder, on_disk)
            if entered is None:
                return False
            folder = entered
        return is_folder or self._is_found_file(folder, unicodedata.normalize("NFC", last), child)

    def _enter(self, folder: Folder, on_disk: str) -> Folder | None:
        name = unicodedata.normalize("NFC", on_disk)
        if self._rules.exclusion(folder, name, is_folder=True):
            return None
        if find_mark(f"{folder.disk_path}/{on_disk}", name) is not None:
            return None
        real_path = f"{folder.real_path}/{on_disk}"
        return self._rules.enter(folder, name=name, on_disk=on_disk, real_path=real_path)

    def _is_found_file(self, folder: Folder, name: str, link: Child) -> bool:
        if self._rules.exclusion(folder, name, is_folder=False):
            return False
        if not self._rules.is_included(folder, name, is_folder=False):
            return False
        return not (_is_unknown(name) and not _is_unknown(link.shown))


def _reason_for_broken(error: OSError) -> SkipReason:
    """The reason why a link whose target cannot be looked at is skipped."""
    if error.errno == errno.ELOOP:
        return SkipReason.SYMLINK_LOOP
    return SkipReason.BROKEN_LINK if isinstance(error, FileNotFoundError) else SkipReason.UNREADABLE


def _is_unknown(name: str) -> bool:
    media = media_type_of(name)
    return media.kind == "other" or (media.kind == "text" and media.format == "unnamed")


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
