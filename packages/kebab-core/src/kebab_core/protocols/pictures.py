"""Protocols of what is kept of text in pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from kebab_core.ids import DocumentId

if TYPE_CHECKING:
    from kebab_core.ocr import PictureDocument, PicturePage


class PictureStore(Protocol):
    """Pages of documents that are pictures, with the readings of their text. A view of the documents."""

    def list_documents(self, *, without: str | None = None) -> list[PictureDocument]:
        """Return the documents with such pages, newest file first.

        Args:
            without: Only those with a page that no engine of this `OcrIdentity.key` has read; None is all.
        """
        ...

    def get_pages(self, doc_id: DocumentId) -> tuple[PicturePage, ...]:
        """Return the pages of a document that are pictures, by number; none of an unknown one."""
        ...

    def list_shown(self) -> list[tuple[DocumentId, str]]:
        """Return the addresses of pictures that documents show, as they are written, with these documents."""
        ...

    def mean_ms(self) -> int | None:
        """Return the mean of the milliseconds that readings took; None before the first."""
        ...


class DerivationCache(Protocol):
    """Results of models, by kind and key."""

    def get_many(self, kind: str, keys: Sequence[str], *, at: datetime) -> Mapping[str, bytes]:
        """Return the payloads of keys that are there, and record their use."""
        ...

    def put_many(self, kind: str, payloads: Mapping[str, bytes], *, at: datetime) -> None:
        """Store or replace payloads."""
        ...
