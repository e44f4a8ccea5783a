"""Text read in pictures, and what reads it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from kebab_core.ids import hash_parts
from kebab_core.model import Model

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
    """Everything that decides what is read in a picture."""

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
