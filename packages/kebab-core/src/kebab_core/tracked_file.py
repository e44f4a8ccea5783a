"""What is known of a file since it was ingested."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kebab_core.asset import FileStamp, SourceId, WorkspacePath
    from kebab_core.ids import DocumentId


class TrackedFile(NamedTuple):
    """What the store knows of one ingested file: enough to tell whether it has changed."""

    doc_id: DocumentId
    source_id: SourceId
    workspace_path: WorkspacePath
    disk_path: str
    """Where it was when it was last looked at, as spelled on disk."""
    checksum: str
    stamp: FileStamp
    fingerprint: str
    failed: bool = False
    """The last attempt to read a newer version failed; try again."""
