"""Files of documents on disk: their paths, and changes since they were indexed.

Only the few documents of a result are compared with their files.
"""

from __future__ import annotations

import os
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kebab_core import FileStamp, hash_bytes

if TYPE_CHECKING:
    from kebab_core import DocSummary, IndexedDocument, SourceId, TrackedFile, WorkspacePath

    from kebab_app.knowledge_base import KnowledgeBase

    Shown = TypeVar("Shown", DocSummary, IndexedDocument)


MAX_COMPARED_BYTES = 16 * 1024 * 1024
"""Maximum size of a file with another stamp whose content is compared."""


class Change(Enum):
    """Change of a file since it was indexed."""

    EDITED = "edited"
    GONE = "gone"


class Freshness:
    """Compares documents with their files, each at most once; writes nothing.

    A file counts as changed when its content differs, or when it is gone from a source folder that exists. Where the
    folder of the source is missing, as on an unmounted drive, or may not be read, no change is known.

    Args:
        base: The knowledge base.
    """

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base
        self._known: dict[tuple[SourceId, WorkspacePath], Change | None] = {}

    def has_changed(self, source_id: SourceId, path: WorkspacePath) -> bool:
        """Whether the file of a document is known to have changed or to be gone."""
        return self.find_change(source_id, path) is not None

    def find_change(self, source_id: SourceId, path: WorkspacePath) -> Change | None:
        """Find the known change of the file of a document; None for none."""
        key = (source_id, path)
        if key not in self._known:
            tracked = self._base.source_files.tracked_file(source_id, path)
            self._known[key] = None if tracked is None else self._change_of(tracked)
        return self._known[key]

    def apply(self, document: Shown) -> Shown:
        """Set `changed_on_disk` of a document whose file has changed."""
        if document.changed_on_disk or not self.has_changed(document.source_id, document.doc_path):
            return document
        return document.model_copy(update={"changed_on_disk": True})

    def _change_of(self, tracked: TrackedFile) -> Change | None:
        root = self._roots.get(tracked.source_id)
        place = Path(tracked.disk_path) if root is None else place_below(root, tracked)
        try:
            return Change.EDITED if _has_other_content(place, tracked) else None
        except (FileNotFoundError, NotADirectoryError):
            is_gone = root is not None and os.path.isdir(root)  # noqa: PTH112 - says no where looking is forbidden
            return Change.GONE if is_gone else None
        except OSError:
            return None

    @cached_property
    def _roots(self) -> dict[str, Path]:
        return {source.settings.id: source.root for source in self._base.loaded.paths.sources}


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


def find_file(base: KnowledgeBase, source_id: SourceId, path: WorkspacePath) -> Path | None:
    """Return the path of a document's file, whether or not it still exists; None for an unknown document.

    Document paths are NFC; the returned path is spelled as on disk.
    """
    tracked = base.source_files.tracked_file(source_id, path)
    if tracked is None:
        return None
    roots = {source.settings.id: source.root for source in base.loaded.paths.sources}
    root = roots.get(source_id)
    return Path(tracked.disk_path) if root is None else place_below(root, tracked)


def place_below(root: Path, tracked: TrackedFile) -> Path:
    """Return the path of a file below the folder of its source, which may have moved since it was read."""
    depth = len(tracked.workspace_path.split("/"))
    return root.joinpath(*Path(tracked.disk_path).parts[-depth:])
