"""Pictures that notes and other documents show."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Collection

    from kebab_core import DocumentId, PictureDocument

    from kebab_app.knowledge_base import KnowledgeBase


def find_shown(base: KnowledgeBase, pictures: Collection[PictureDocument]) -> frozenset[DocumentId]:
    """Select those of some pictures that a note or another document shows or links to."""
    from kebab_documents import LinkResolver

    names = {_fold_name(picture.doc_path) for picture in pictures}
    shown = [
        (doc_id, address)
        for doc_id, address in base.index.pictures.list_shown()
        if not names.isdisjoint({_fold_name(address), _fold_name(unquote(address))})
    ]
    if not shown:
        return frozenset()
    entries = base.index.documents.list_entries()
    by_id, resolver = {entry.doc_id: entry for entry in entries}, LinkResolver(entries)
    targets = (resolver.resolve(by_id[doc_id], address) for doc_id, address in shown if doc_id in by_id)
    wanted = {picture.doc_id for picture in pictures}
    return frozenset(target.doc_id for target in targets if target is not None and target.doc_id in wanted)


def _fold_name(address: str) -> str:
    """The last part of a path or an address as names are compared."""
    name = address.partition("#")[0].partition("?")[0].rpartition("/")[2]
    return unicodedata.normalize("NFC", name).casefold()
