"""Files that other files hold, such as attachments of mails: which file holds one, and its content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import AttachedFile, WorkspacePath

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_core import DocumentId, SourceId

    from kebab_app.knowledge_base import KnowledgeBase


def find_holder(base: KnowledgeBase, source_id: SourceId, path: WorkspacePath) -> Path | None:
    """Return the path on disk of the file that holds the file of a document; None for one that is a file itself."""
    from kebab_ingest import find_holder as find

    holder = find(base.index.source_files, source_id, path)
    return None if holder is None else base.open_disk_files().find_path(source_id, holder.workspace_path)


def read_attached(base: KnowledgeBase, doc_id: DocumentId) -> AttachedFile | None:
    """Return a document that another file holds, as it was attached; None for one that is a file itself.

    Raises:
        StorageError: The content is gone.
    """
    document = base.index.documents.get_indexed_document(doc_id)
    asset = base.index.documents.get_asset(doc_id)
    if document is None or asset is None or find_holder(base, document.source_id, document.doc_path) is None:
        return None
    return AttachedFile(document.doc_path.name, base.index.documents.read_asset(asset.asset_id))
