"""Files of documents on disk: their paths, and changes since they were indexed; files that hold other files.

Only the few documents of a result are compared with their files.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from kebab_core import FileStamp, WorkspacePath, hash_bytes

if TYPE_CHECKING:
    from kebab_core import DocSummary, IndexedDocument, SourceFileStore, SourceId, TrackedFile

    Shown = TypeVar("Shown", DocSummary, IndexedDocument)

NOTES_FOLDER = WorkspacePath("notes")
"""Folder of notes: below the data folder, or of external documents in a source that may be written."""
MAX_COMPARED_BYTES = 16 * 1024 * 1024
"""Maximum size of a file with another stamp whose content is compared."""

FileChange = Literal["edited", "gone"]
"""Change of a file since it was indexed."""

_SEPARATOR = re.compile("/")


class DiskFiles:
    """Files of documents; compares each with its document at most once, and writes nothing.

    A file counts as changed when its content differs, or when it is gone from a source folder that exists. Where the
    folder of the source is missing, as on an unmounted drive, or may not be read, no change is known.

    Args:
        source_files: The files as they were indexed.
        roots: Folder of each source.
    """

    def __init__(self, source_files: SourceFileStore, roots: Mapping[SourceId, Path]) -> None:
        self._source_files = source_files
        self._roots = roots
        self._known: dict[tuple[SourceId, WorkspacePath], FileChange | None] = {}

    def find_path(self, source_id: SourceId, path: WorkspacePath) -> Path | None:
        """Return the path of a document's file, whether or not it still exists; None for an unknown document.

        Document paths are NFC; the returned path is spelled as on disk.
        """
        tracked = self._source_files.tracked_file(source_id, path)
        return None if tracked is None else self._place(tracked)

    def find_change(self, source_id: SourceId, path: WorkspacePath) -> FileChange | None:
        """Find the known change of the file of a document; None for none."""
        key = (source_id, path)
        if key not in self._known:
            tracked = self._source_files.tracked_file(source_id, path)
            self._known[key] = None if tracked is None else self._change_of(tracked)
        return self._known[key]

    def mark_changed(self, document: Shown) -> Shown:
        """Set `changed_on_disk` of a document whose file has changed."""
        if document.changed_on_disk or not self.find_change(document.source_id, document.doc_path):
            return document
        return document.model_copy(update={"changed_on_disk": True})

    def _place(self, tracked: TrackedFile) -> Path:
        root = self._roots.get(tracked.source_id)
        return Path(tracked.disk_path) if root is None else place_below(root, tracked)

    def _change_of(self, tracked: TrackedFile) -> FileChange | None:
        try:
            return "edited" if _has_other_content(self._place(tracked), tracked) else None
        except (FileNotFoundError, NotADirectoryError):
            holder = find_holder(self._source_files, tracked.source_id, tracked.workspace_path)
            if holder is not None:
                return self.find_change(holder.source_id, holder.workspace_path)
            root = self._roots.get(tracked.source_id)
            is_gone = root is not None and os.path.isdir(root)  # noqa: PTH112 - says no where looking is forbidden
            return "gone" if is_gone else None
        except OSError:
            return None


def place_below(root: Path, tracked: TrackedFile) -> Path:
    """Return the path of a file below the folder of its source, which may have moved since it was read.

    Only the spelling is that on disk: a path there that names another file, as somebody else's database may, is not taken.
    """
    depth = len(tracked.workspace_path.split("/"))
    spelled = "/".join(Path(tracked.disk_path).parts[-depth:])
    is_same = unicodedata.normalize("NFC", spelled) == tracked.workspace_path
    return root / (spelled if is_same else tracked.workspace_path)


def _has_other_content(place: Path, tracked: TrackedFile) -> bool:
    """Whether the content of a file differs from what was indexed.

    Raises:
        OSError: It cannot be read.
    """
    status = place.stat()
    stamp = FileStamp(status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns)
    if stamp == tracked.stamp:
        return False
    if stamp.byte_len != tracked.stamp.byte_len:
        return True
    if stamp.byte_len > MAX_COMPARED_BYTES:
        # Its rights or links may have changed and nothing else; the next run reads it.
        return stamp._replace(ctime_ns=tracked.stamp.ctime_ns) != tracked.stamp
    return hash_bytes(place.read_bytes()) != tracked.checksum


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
