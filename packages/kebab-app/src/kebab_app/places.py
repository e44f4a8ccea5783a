"""Where the files of documents lie now, spelled as they are on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import SourceId, TrackedFile, WorkspacePath

    from kebab_app.knowledge_base import KnowledgeBase


def find_file(base: KnowledgeBase, source_id: SourceId, path: WorkspacePath) -> Path | None:
    """Return where the file of a document should lie, whether or not it still does; None for an unknown one.

    Identities are NFC; a name that is spelled in another way on disk opens only as it is there.
    """
    tracked = base.documents.tracked_file(source_id, path)
    if tracked is None:
        return None
    roots = {source.settings.id: source.root for source in base.loaded.paths.sources}
    root = roots.get(source_id)
    return Path(tracked.disk_path) if root is None else place_below(root, tracked)


def place_below(root: Path, tracked: TrackedFile) -> Path:
    """Return where a file lies below the folder of its source, which may have moved since it was read."""
    depth = len(tracked.workspace_path.split("/"))
    return root.joinpath(*Path(tracked.disk_path).parts[-depth:])
