"""Protocol of the pictures that documents are, hold or show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from kebab_core.ids import DocumentId
    from kebab_core.ocr import (
        PictureDocument,
        PicturePage,
        PictureReading,
        ShownPicture,
        SurroundedPicture,
        Surroundings,
    )


class PictureStore(Protocol):
    """Pages of documents that are pictures, with the readings of their text, and parts of recordings: a view of the documents, and what models made of pictures."""

    def list_documents(
        self, *, without: str | None = None, recordings: bool = False
    ) -> list[PictureDocument]:
        """Return the documents with such pages, newest file first.

        Args:
            without: Only those with a page that no engine of this `OcrIdentity.key` has read; None is all.
            recordings: Recordings instead of all others.
        """
        ...

    def has_pages(self, *, recordings: bool = False) -> bool:
        """Return True if any document has such a page, of a recording or of anything else."""
        ...

    def get_pages(self, doc_id: DocumentId) -> tuple[PicturePage, ...]:
        """Return the pages of a document that are pictures, by number; none of an unknown one."""
        ...

    def list_shown(self) -> list[ShownPicture]:
        """Return the pictures that documents show, each address once for a document."""
        ...

    def list_surroundings(self) -> list[SurroundedPicture]:
        """Return the pictures that were built with surroundings."""
        ...

    def get_surroundings(self, doc_id: DocumentId) -> Surroundings:
        """Return what a document was built with; empty ones of an unknown document."""
        ...

    def are_surroundings_current(self) -> bool:
        """Return True if no document has changed since `note_surroundings`."""
        ...

    def note_surroundings(self) -> None:
        """Record that all pictures have the surroundings that documents give them now."""
        ...

    def list_captioned(self, *, but: str) -> list[PictureDocument]:
        """Return the documents with captions of any other model than one, newest file first, each with those pages only."""
        ...

    def list_uncaptioned(self, model: str, *, most: int) -> list[PictureDocument]:
        """Return the documents with pages that have no caption of a model, newest file first, each with those pages only.

        Args:
            model: The model.
            most: Only the first pages of each document that show a picture; of a picture its first frame in any case.
        """
        ...

    def list_readings(self, doc_id: DocumentId | None = None) -> list[PictureReading]:
        """Return the readings of one document, or of all, newest first, then by source, path and page."""
        ...

    def mean_ms(self, *, recordings: bool = False) -> int | None:
        """Return the mean of the milliseconds that readings took, of recordings or of all others; None before the first."""
        ...

    def get_results(self, kind: str, keys: Sequence[str], *, at: datetime | None) -> Mapping[str, bytes]:
        """Return the results of keys that are there, and record their use at a time; None records nothing."""
        ...

    def put_results(self, kind: str, payloads: Mapping[str, bytes], *, at: datetime) -> None:
        """Store or replace results of models, by kind and key."""
        ...
