"""The pass that has a chat model write a caption about each page that shows a picture, once, and builds the documents again with it."""

from __future__ import annotations

import logging
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kebab_core import AssetPhase, CancelToken, Clock, IngestFailure, KebabError

from kebab_ingest.picture_selection import covers_document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_core import Locks, PictureDocument

    from kebab_ingest.picture_documents import PictureBuilder
    from kebab_ingest.progress import EventStream
    from kebab_ingest.readings import CaptionCache
    from kebab_ingest.request import SourceTarget
    from kebab_ingest.resources import CaptionResources

_LOG = logging.getLogger("kebab.ocr")


@dataclass(kw_only=True)
class CaptionPass:
    """One pass. The caller holds the writer lock, which is released while the model works.

    It can be killed anywhere: each caption is kept as soon as it is there.
    """

    resources: CaptionResources
    captions: CaptionCache
    builder: PictureBuilder
    events: EventStream
    cancel: CancelToken
    clock: Clock
    targets: Sequence[SourceTarget]
    """What the run is about."""
    locks: Locks | None = None
    _written: int = 0
    _failure: IngestFailure | None = None
    _done: int = 0
    _total: int = 0

    def run(self) -> tuple[int, IngestFailure | None]:
        """Have captions written that are missing; return their number, and why no more were.

        Raises:
            StorageError: Nothing can be stored.
        """
        pictures = self.builder.resources.pictures
        waiting = pictures.list_uncaptioned(self.captions.model, most=self.resources.max_pages)
        wanted = self.resources.select([
            each for each in waiting if covers_document(self.targets, each)
        ]).wanted
        self._total = sum(len(document.pages) for document in wanted)
        if wanted:
            self.events.enter("caption")
        for document in wanted:
            if self.cancel.is_cancelled or self._failure is not None:
                break
            self._describe(document)
        return self._written, self._failure

    def _describe(self, document: PictureDocument) -> None:
        """Have the captions of a document written, and build it with those that there are."""
        captions = self.captions.load(document.checksum)
        is_known = False
        for page, _, _ in document.pages:
            if self.cancel.is_cancelled or self._failure is not None:
                break
            self._done += 1
            if page not in captions:
                text = self._write(document, page)
                if text is None:
                    continue
                captions[page] = self.captions.caption_of(text)
                self.captions.keep(document.checksum, captions)
                self._written += bool(text)
            is_known = True
        if is_known:
            known = self.builder.resources.find_facts(document.doc_id, document.checksum)
            self.builder.build(document, replace(known, captions=captions))

    def _write(self, document: PictureDocument, page: int) -> str | None:
        """Return what the model writes about a page; None where it does not."""
        model = self.captions.model
        self.events.emit(
            AssetPhase(ts=self.clock.now(), idx=self._done, total=self._total, phase="caption", model=model)
        )
        try:
            with self.locks.unlocked() if self.locks else nullcontext():
                return " ".join(self.resources.write(document.doc_id, page).split())
        except KebabError as error:
            if not error.code.startswith("document"):  # else its own fault, and OCR says so
                _LOG.warning("no caption of %s: %s", document.doc_path, error.message)
                self._failure = IngestFailure(code=error.code, message=error.message, remedy=error.remedy)
            return None
