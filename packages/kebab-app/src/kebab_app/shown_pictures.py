"""Pictures that documents show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from kebab_core import DocumentId, PictureDocument

    from kebab_app.knowledge_base import KnowledgeBase


def find_shown(base: KnowledgeBase, pictures: Collection[PictureDocument]) -> frozenset[DocumentId]:
    """Select those of some pictures that a note or another document shows or links to."""
    return frozenset(picture.doc_id for picture in pictures if picture.doc_id in base.showing)
