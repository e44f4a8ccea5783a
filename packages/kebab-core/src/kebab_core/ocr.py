"""Text read in pictures, and what reads it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from pydantic import Field

from kebab_core.files import SourceId, WorkspacePath
from kebab_core.ids import DocumentId, hash_parts
from kebab_core.model import Model, UtcDatetime
from kebab_core.source import IngestFailure
from kebab_core.speech import Transcript

PAGE_DPI = 150
"""Pixels to an inch in which pages of PDFs are drawn for recognition; regions on them are counted in these pixels."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A decoded picture, upright."""

    width: int
    height: int
    pixels: bytes
    """Red, green and blue of each pixel, 3 bytes, row by row from the top left."""

    def __post_init__(self) -> None:
        if len(self.pixels) != 3 * self.width * self.height:
            raise ValueError("a picture has three bytes for each pixel")


class OcrIdentity(Model):
    """Everything that decides what is read in a picture, or heard in a recording."""

    engine: str
    engine_version: str
    """Changes with every change of what is read."""
    libraries: dict[str, str] = Field(default_factory=dict)
    """Versions by name."""
    models: dict[str, str] = Field(default_factory=dict)
    """SHA-256 by name."""
    languages: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A hash that is part of the keys of cached results."""
        return hash_parts("ocr", identity=self.model_dump_json())


class OcrWord(Model):
    """A word with its place."""

    bbox: tuple[int, int, int, int]
    """x, y, width, height in pixels from the top left."""
    text: str


class OcrRegion(Model):
    """One recognised stretch of text: a line, or the cells of one row."""

    bbox: tuple[int, int, int, int]
    """x, y, width, height in pixels from the top left."""
    text: str
    confidence: float = Field(ge=0, le=1)
    words: tuple[OcrWord, ...] | None = Field(default=None, exclude_if=lambda words: words is None)
    """From left to right; None where the engine knows no places of words."""


class OcrText(Model):
    """All text recognised in one picture, regions in reading order."""

    joined: str
    regions: tuple[OcrRegion, ...] = ()
    engine: str
    engine_version: str


class OcrReading(Model):
    """Result of recognising the text of one page, picture or frame of a file, or the speech of one part."""

    engine: str
    engine_key: str
    """`OcrIdentity.key` of what read it."""
    at: UtcDatetime
    ms: int = Field(ge=0)
    """CPU milliseconds that it took."""
    text: OcrText | None = None
    """None where it failed, and of a recording."""
    speech: Transcript | None = None
    """Of a recording, with times from its start; None where it failed."""
    failure: IngestFailure | None = None

    @staticmethod
    def cache_key(checksum: str, page: int, engine_key: str) -> str:
        """Return the key of a reading in the derivation cache.

        Args:
            checksum: Of the file.
            page: 1-based number of its page, picture or frame.
            engine_key: `OcrIdentity.key`.
        """
        return hash_parts("ocr", checksum=checksum, page=page, dpi=PAGE_DPI, engine=engine_key)


class PicturePage(NamedTuple):
    """A page, picture or frame of a document, and what is stored of its reading."""

    page: int
    """1-based."""
    engine_key: str | None = None
    """None where nothing has read it."""
    failure: IngestFailure | None = None
    """Why it could not be read."""


class PictureDocument(NamedTuple):
    """A document with pages that are pictures."""

    doc_id: DocumentId
    source_id: SourceId
    doc_path: WorkspacePath
    media: str
    checksum: str
    pages: tuple[PicturePage, ...]
    """By number."""


class Surroundings(Model):
    """What documents say around a picture that they show."""

    labels: tuple[str, ...] = ()
    """Titles and headings above it, the sentence before it and its alternative text, in this order; each once."""
    tags: tuple[str, ...] = ()
    """Of these documents."""
    shown_in: tuple[tuple[SourceId, WorkspacePath], ...] = ()
    """Source and path of each of these documents, in this order."""


class ShownPicture(NamedTuple):
    """A picture that a document shows or links to."""

    doc_id: DocumentId
    """The document."""
    address: str
    """Of the picture, as it is written."""
    labels: tuple[str, ...]
    """What stands around it: headings, the sentence before it, its alternative text."""


class SurroundedPicture(NamedTuple):
    """A picture with what documents that show it say around it."""

    doc_id: DocumentId
    source_id: SourceId
    doc_path: WorkspacePath
    surroundings: Surroundings


class PictureReading(NamedTuple):
    """The last reading of a page, picture or frame, without its text."""

    doc_id: DocumentId
    source_id: SourceId
    doc_path: WorkspacePath
    page: int
    engine: str
    read_at: datetime
    ms: int
    """CPU milliseconds."""
    line_count: int
    failure: IngestFailure | None
