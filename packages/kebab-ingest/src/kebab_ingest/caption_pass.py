"""The pass that has a chat model write a caption about each picture, once, and builds the pictures again with it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kebab_core import (
    CancelToken,
    DocumentStore,
    ImageRefBlock,
    IngestFailure,
    KebabError,
)

from kebab_ingest.picture_selection import PICTURE_MEDIA

if TYPE_CHECKING:
    from kebab_core import DocumentId, Locks, PictureDocument

    from kebab_ingest.picture_documents import PictureBuilder
    from kebab_ingest.picture_selection import PictureSelection
    from kebab_ingest.readings import CaptionCache

_LOG = logging.getLogger("kebab.ocr")


@dataclass(frozen=True, kw_only=True)
class CaptionPass:
    """One pass. The caller holds the writer lock, which is released while the model works."""

    write_caption: Callable[[DocumentId], str]
    """Asks the model about a picture; raises what a chat model and a decoder of pictures raise."""
    captions: CaptionCache
    select: Callable[[Sequence[PictureDocument]], PictureSelection]
    """Tells pictures that the settings have read from those that they leave."""
    documents: DocumentStore
    builder: PictureBuilder
    cancel: CancelToken
    covers: Callable[[PictureDocument], bool]
    """Whether the run is about a document."""
    locks: Locks | None = None

    def run(self) -> tuple[int, IngestFailure | None]:
        """Have captions written that are missing; return their number, and why no more were.

        Raises:
            StorageError: Nothing can be stored.
        """
        pictures = [
            each
            for each in self.builder.resources.pictures.list_documents()
            if each.media == PICTURE_MEDIA and self.covers(each)
        ]
        written = 0
        for document in self.select(pictures).wanted:
            if self.cancel.is_cancelled:
                break
            caption = self.captions.load(document.checksum)
            if caption is None:
                try:
                    text = self._write(document)
                except KebabError as error:
                    if error.code.startswith("document"):  # its own fault, and OCR says so
                        continue
                    _LOG.warning("no caption of %s: %s", document.doc_path, error.message)
                    return written, IngestFailure(code=error.code, message=error.message, remedy=error.remedy)
                if not text:
                    continue
                self.captions.keep(document.checksum, text)
                written += 1
            elif _find_captioner(self.documents, document.doc_id) == self.captions.model:
                continue
            known = self.builder.resources.find_facts(document.doc_id, document.checksum)
            self.builder.build(document, replace(known, caption=self.captions.load(document.checksum)))
        return written, None

    def _write(self, document: PictureDocument) -> str:
        with self.locks.unlocked() if self.locks else nullcontext():
            return " ".join(self.write_caption(document.doc_id).split())


def drop_captions(builder: PictureBuilder, documents: DocumentStore, cancel: CancelToken) -> None:
    """Build the pictures again that have a caption of another model than that of the settings, which may be none; nothing is read again.

    Raises:
        StorageError: Nothing can be stored.
    """
    resources = builder.resources
    model = resources.captions.model if resources.captions else ""
    if resources.pictures.get_caption_model() == model:
        return
    for document in resources.pictures.list_documents():
        if cancel.is_cancelled:
            return
        if document.media == PICTURE_MEDIA and _find_captioner(documents, document.doc_id) not in {"", model}:
            builder.build(document, resources.find_facts(document.doc_id, document.checksum))
    resources.pictures.note_caption_model(model)


def _find_captioner(documents: DocumentStore, doc_id: DocumentId) -> str:
    """Return the model that wrote the caption of a picture; empty without one."""
    document = documents.get_document(doc_id)
    captions = (
        block.caption for block in (document.blocks if document else ()) if isinstance(block, ImageRefBlock)
    )
    return next((caption.model for caption in captions if caption is not None), "")
