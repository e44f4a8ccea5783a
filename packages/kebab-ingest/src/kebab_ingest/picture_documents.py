"""Documents with pictures, built again from their stored content: with what was read in them, and with what notes say around them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kebab_core import (
    CancelToken,
    Clock,
    DocumentId,
    PackedDocument,
    PictureDocument,
    SourceEntry,
    SourceId,
    SourceSettings,
    StorageError,
    SurroundedPicture,
    Surroundings,
    WorkspacePath,
    media_type_of,
)

from kebab_ingest.disk_files import find_holder
from kebab_ingest.document_processor import FileFacts
from kebab_ingest.external_documents import limit_trust
from kebab_ingest.preparation import FileTask, PrepareAll

if TYPE_CHECKING:
    from kebab_core import (
        DocumentStore,
        PictureStore,
        SourceFileStore,
    )

    from kebab_ingest.document_processor import DocumentProcessor
    from kebab_ingest.previous_state import Fingerprinter
    from kebab_ingest.readings import CaptionCache, ReadingCache
    from kebab_ingest.run_record import IngestCounters

_LOG = logging.getLogger("kebab.ingest")


@dataclass(frozen=True, kw_only=True)
class PictureResources:
    """What is known of pictures besides their files."""

    pictures: PictureStore
    readings: ReadingCache
    sources: Mapping[SourceId, SourceSettings]
    """Every source by its id."""
    captions: CaptionCache | None
    """None where no model is to write any."""
    find_surrounded: Callable[[], Mapping[DocumentId, SurroundedPicture]]
    """Finds the pictures that documents show, with what these say around them."""

    def find_facts(self, doc_id: DocumentId, checksum: str) -> FileFacts:
        """Return what the document of a file was built with."""
        return FileFacts(
            readings=self.readings.load_stored(checksum, self.pictures.get_pages(doc_id)),
            surroundings=self.pictures.get_surroundings(doc_id),
            captions=self.captions.load(checksum) if self.captions else {},
        )


@dataclass(frozen=True, kw_only=True)
class PictureBuilder:
    """Builds documents again. The caller holds the writer lock."""

    resources: PictureResources
    documents: DocumentStore
    source_files: SourceFileStore
    processor: DocumentProcessor
    fingerprinter: Fingerprinter
    prepare_all: PrepareAll
    counters: IngestCounters
    clock: Clock

    def update_surroundings(self, cancel: CancelToken) -> None:
        """Build the pictures again around which documents say something else than when they were built.

        Raises:
            StorageError: Nothing can be stored.
        """
        pictures = self.resources.pictures
        if pictures.are_surroundings_current():
            return
        wanted = dict(self.resources.find_surrounded())
        for built in pictures.list_surroundings():
            now = wanted.pop(built.doc_id, built._replace(surroundings=Surroundings()))
            if now.surroundings != built.surroundings:
                wanted[built.doc_id] = now
        for picture in wanted.values():
            if cancel.is_cancelled:
                return
            tracked = self.source_files.tracked_file(picture.source_id, picture.doc_path)
            if tracked is not None:
                known = self.resources.find_facts(tracked.doc_id, tracked.checksum)
                self.build(picture, replace(known, surroundings=picture.surroundings))
        pictures.note_surroundings()

    def drop_captions(self, cancel: CancelToken) -> None:
        """Build the documents again that have captions of another model than that of the settings, which may be none; nothing is read again.

        Raises:
            StorageError: Nothing can be stored.
        """
        model = self.resources.captions.model if self.resources.captions else ""
        for document in self.resources.pictures.list_captioned(but=model):
            if cancel.is_cancelled:
                return
            self.build(document, self.resources.find_facts(document.doc_id, document.checksum))

    def build(self, document: PictureDocument | SurroundedPicture, known: FileFacts) -> bool:
        """Build a document again, unless it has changed meanwhile; return whether it was stored.

        Raises:
            StorageError: It cannot be stored.
        """
        tracked = self.source_files.tracked_file(document.source_id, document.doc_path)
        asset = self.documents.get_asset(document.doc_id)
        source = self.resources.sources.get(document.source_id)
        if tracked is None or tracked.doc_id != document.doc_id or asset is None or source is None:
            return False
        media = media_type_of(document.doc_path.name)
        task = FileTask(
            entry=SourceEntry(
                source_id=document.source_id,
                workspace_path=document.doc_path,
                disk_path=tracked.disk_path,
                stamp=tracked.stamp,
                media_type=media,
            ),
            source=limit_trust(source, self._holder(document), self.fingerprinter.external),
            known_checksum=None,
            at=self.clock.now(),
            is_risky=self.processor.is_isolated(media),
            asset=asset.model_copy(update={"media_type": media}),
            pictures=known,
        )
        (prepared,) = self.prepare_all([task])
        if isinstance(prepared.outcome, PackedDocument):
            self.documents.replace_document(prepared.outcome)
            self.counters.add_stored_again(prepared.outcome)
            return True
        if isinstance(prepared.outcome, StorageError):
            raise prepared.outcome
        _LOG.warning("could not build %s with its text: %s", document.doc_path, prepared.outcome)
        return False

    def _holder(self, document: PictureDocument | SurroundedPicture) -> WorkspacePath:
        """The path of the file that holds a document, or its own."""
        holder = find_holder(self.source_files, document.source_id, document.doc_path)
        return document.doc_path if holder is None else holder.workspace_path
