"""Symbolic links of a walk: which are followed, and why others are skipped.

A link is followed when its target lies inside the source and would not be found at its own place: every place is
visited once, under the name that it really has, whatever order names have. So a link to a note is a place already
visited, while a link to an object in a store that is left out (as git-annex makes them) is a document.
"""

from __future__ import annotations

import errno
import os
import unicodedata
from dataclasses import dataclass

from kebab_core import OtherMedia, SkipReason

from kebab_source_fs.folder import Folder, is_marked_never_content
from kebab_source_fs.media import media_type_of
from kebab_source_fs.rules import ScanRules


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link with a target that exists."""

    disk_path: str
    name: str
    """NFC."""
    is_folder: bool
    """Whether the target is a folder."""


class LinkTargets:
    """Judges the links of one walk and remembers which folders it followed.

    Args:
        rules: What is left out.
        root: The source's root.
    """

    def __init__(self, rules: ScanRules, root: Folder) -> None:
        self._rules = rules
        self._root = root
        self._followed: set[str] = set()

    def follow(self, folder: Folder, link: Link) -> str | SkipReason:
        """Return the real path of a target to follow, or why the link is skipped.

        A folder that is left out at its own place is followed by the first link to it only. Files have no such
        limit: two links to one object are two documents with equal content.

        Args:
            folder: The folder that holds the link.
            link: The link.

        Raises:
            OSError: The target, or an ignore file on the way to it, cannot be read.
        """
        real_path = os.path.realpath(link.disk_path, strict=True)
        if not _is_inside(real_path, self._root.real_path):
            return SkipReason.SYMLINK_OUTSIDE
        if _is_inside(folder.real_path, real_path):
            return SkipReason.SYMLINK_LOOP
        if real_path in self._followed or self._is_found(real_path, link):
            return SkipReason.LINKED_TWICE
        if link.is_folder:
            self._followed.add(real_path)
        return real_path

    def _is_found(self, real_path: str, link: Link) -> bool:
        """True if the walk finds the target at its own place."""
        *above, last = real_path.removeprefix(f"{self._root.real_path}/").split("/")
        folder = self._root
        for on_disk in above:
            entered = self._enter(folder, on_disk)
            if entered is None:
                return False
            folder = entered
        if link.is_folder:
            return self._enter(folder, last) is not None
        return self._is_found_file(folder, unicodedata.normalize("NFC", last), link)

    def _enter(self, folder: Folder, on_disk: str) -> Folder | None:
        name = unicodedata.normalize("NFC", on_disk)
        if self._rules.exclusion(folder, name, is_folder=True):
            return None
        if is_marked_never_content(f"{folder.disk_path}/{on_disk}", name):
            return None
        real_path = f"{folder.real_path}/{on_disk}"
        return self._rules.enter(folder, name=name, on_disk=on_disk, real_path=real_path)

    def _is_found_file(self, folder: Folder, name: str, link: Link) -> bool:
        if self._rules.exclusion(folder, name, is_folder=False):
            return False
        if not self._rules.is_included(folder, name, is_folder=False):
            return False
        is_known_by_link_only = isinstance(media_type_of(name), OtherMedia) and not isinstance(
            media_type_of(link.name), OtherMedia
        )
        return not is_known_by_link_only


def reason_for_broken(error: OSError) -> SkipReason:
    """The reason why a link whose target cannot be looked at is skipped."""
    if error.errno == errno.ELOOP:
        return SkipReason.SYMLINK_LOOP
    return SkipReason.BROKEN_LINK if isinstance(error, FileNotFoundError) else SkipReason.UNREADABLE


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
