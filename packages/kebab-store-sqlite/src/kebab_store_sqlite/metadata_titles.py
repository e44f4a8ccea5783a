"""Titles in the metadata of files: shown unless other documents have the same."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import CanonicalDocument

TITLE_IN_PLACE = """
    (SELECT m.next_title FROM metadata_titles m WHERE m.doc_id = d.doc_id AND EXISTS (
      SELECT 1 FROM metadata_titles o WHERE o.title = m.title AND o.asset_id <> m.asset_id AND o.path <> m.path))
"""
"""Title to show in place of that of a row `d` of `documents`; NULL where no other document has it.

Two looks into indexes, whatever the number of documents; only equal copies of a file are passed over one by one."""
NEXT_TITLE = "(SELECT m.next_title FROM metadata_titles m WHERE m.doc_id = d.doc_id)"
INSERT_METADATA_TITLE = (
    "INSERT INTO metadata_titles (doc_id, title, asset_id, path, next_title) VALUES (?, ?, ?, ?, ?)"
)

MetadataTitleRow = tuple[str, str, str, str, str]


def metadata_title_row(document: CanonicalDocument) -> MetadataTitleRow | None:
    """Return a document's row of `metadata_titles`; None where its title is no metadata."""
    if document.next_title is None:
        return None
    path = PurePosixPath(document.workspace_path).with_suffix("")
    return (
        str(document.doc_id),
        document.title,
        str(document.source_asset_id),
        f"{document.source_id}:{path}",
        document.next_title,
    )
