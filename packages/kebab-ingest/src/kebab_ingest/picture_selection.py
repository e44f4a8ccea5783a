"""The documents whose pictures the settings have read, or whose speech they have heard, and those that they leave."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import AsrIngestSettings, DocumentId, OcrIngestSettings, PictureDocument

from kebab_ingest.scan import is_beneath

if TYPE_CHECKING:
    from kebab_ingest.request import SourceTarget

PICTURE_MEDIA = "image"
"""Medium whose pages are pictures by themselves; those of all others are scans."""

FindShown = Callable[[Collection[PictureDocument]], Collection[DocumentId]]
"""Selects those of some pictures that a note shows."""


class PictureSelection(NamedTuple):
    """Documents with unread pages, in their order."""

    wanted: list[PictureDocument]
    left: list[PictureDocument]
    """Left unread by the settings."""


def covers_document(targets: Sequence[SourceTarget], document: PictureDocument) -> bool:
    """Return True if a document lies in one of some targets."""
    return any(
        target.source.id == document.source_id
        and any(place is None or is_beneath(document.doc_path, place) for place in target.places)
        for target in targets
    )


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


def select_recordings(
    documents: Sequence[PictureDocument], settings: AsrIngestSettings, find_shown: FindShown
) -> PictureSelection:
    """Tell recordings that the settings have heard from those that they leave, and those that subtitles stand for.

    Args:
        documents: The recordings.
        settings: Which are heard.
        find_shown: Selects those with subtitles beside them.
    """
    if settings.recordings == "off":
        return PictureSelection([], list(documents))
    left = find_shown(documents)
    return PictureSelection(
        [document for document in documents if document.doc_id not in left],
        [document for document in documents if document.doc_id in left],
    )
