"""Files that hold other files, such as mails with attachments and archives: the path of the one begins that of the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kebab_core import WorkspacePath

if TYPE_CHECKING:
    from kebab_core import SourceFileStore, SourceId, TrackedFile

_SEPARATOR = re.compile("/")


def folders_of(path: str) -> list[str]:
    """Return the paths above a path, outermost first: folders, or a file that holds it."""
    return [path[: found.start()] for found in _SEPARATOR.finditer(path)]


def find_holder(
    source_files: SourceFileStore, source_id: SourceId, path: WorkspacePath
) -> TrackedFile | None:
    """Return the file that holds the file of a document; None for one that is a file itself."""
    found = (source_files.tracked_file(source_id, WorkspacePath(each)) for each in reversed(folders_of(path)))
    return next((holder for holder in found if holder is not None), None)


def held_files(files: Mapping[str, object], paths: list[str]) -> dict[str, list[WorkspacePath]]:
    """Return the files that others hold, by the path of the other.

    Args:
        files: Paths of all files with a document.
        paths: The paths that are looked at.
    """
    holders: dict[str, str | None] = {"": None}

    def holder_of(folder: str) -> str | None:
        if folder not in holders:
            holders[folder] = folder if folder in files else holder_of(folder.rpartition("/")[0])
        return holders[folder]

    found: dict[str, list[WorkspacePath]] = {}
    for path in paths:
        holder = holder_of(path.rpartition("/")[0])
        if holder is not None:
            found.setdefault(holder, []).append(WorkspacePath(path))
    return found
