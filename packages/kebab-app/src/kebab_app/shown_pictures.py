"""Pictures that documents show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kebab_core import DocumentEntry, DocumentId, PictureDocument
    from kebab_documents import LinkResolver

    from kebab_app.knowledge_base import KnowledgeBase


def find_shown(base: KnowledgeBase, pictures: Collection[PictureDocument]) -> frozenset[DocumentId]:
    """Select those of some pictures that a note or another document shows or links to."""
    return frozenset(picture.doc_id for picture in pictures if picture.doc_id in base.showing)


def group_by_picture(
    shown: Sequence[tuple[DocumentId, str]], entries: Sequence[DocumentEntry], resolver: LinkResolver
) -> Mapping[DocumentId, Sequence[DocumentEntry]]:
    """Return the documents that show each picture, by source and path.

    Args:
        shown: Documents with the addresses of pictures in them, as they are written.
        entries: All documents.
        resolver: Finds those that addresses name.
    """
    by_id = {entry.doc_id: entry for entry in entries}
    found: dict[DocumentId, dict[DocumentId, DocumentEntry]] = {}
    for doc_id, address in shown:
        showing = by_id.get(doc_id)
        picture = showing and resolver.resolve(showing, address)
        if showing is not None and picture is not None and picture.doc_id != doc_id:
            found.setdefault(picture.doc_id, {})[doc_id] = showing
    return {
        picture: sorted(each.values(), key=lambda entry: (entry.source_id, entry.doc_path))
        for picture, each in found.items()
    }
