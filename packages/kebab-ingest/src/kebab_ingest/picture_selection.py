"""The documents whose pictures the settings have read, and those that they leave unread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from kebab_core import DocumentId, OcrIngestSettings, PictureDocument

PICTURE_MEDIA = "image"
"""Medium whose pages are pictures by themselves; those of all others are scans."""

FindShown = Callable[[Collection[PictureDocument]], Collection[DocumentId]]
"""Selects those of some pictures that a note shows."""


class PictureSelection(NamedTuple):
    """Documents with unread pages, in their order."""

    wanted: list[PictureDocument]
    left: list[PictureDocument]
    """Left unread by the settings."""


def select_pictures(
    documents: Sequence[PictureDocument], settings: OcrIngestSettings, find_shown: FindShown
) -> PictureSelection:
    """Tell documents that the settings have read from those that they leave."""
    pictures = [document for document in documents if document.media == PICTURE_MEDIA]
    wanted: set[DocumentId] = set()
    if settings.scans:
        wanted.update(document.doc_id for document in documents if document.media != PICTURE_MEDIA)
    if settings.pictures == "all":
        wanted.update(document.doc_id for document in pictures)
    elif settings.pictures == "linked" and pictures:
        wanted.update(find_shown(pictures))
    return PictureSelection(
        [document for document in documents if document.doc_id in wanted],
        [document for document in documents if document.doc_id not in wanted],
    )
