"""Text that models read out of pictures and recordings, always labelled with the model."""

from __future__ import annotations

from pydantic import Field

from kebab_core.model import Model


class OcrRegion(Model):
    """One recognised stretch of text."""

    bbox: tuple[int, int, int, int]
    """x, y, width, height in pixels from the top left."""
    text: str
    confidence: float = Field(ge=0, le=1)


class OcrText(Model):
    """All text recognised in one picture, regions in reading order."""

    joined: str
    regions: tuple[OcrRegion, ...] = ()
    engine: str
    engine_version: str


class ModelCaption(Model):
    """One sentence a vision model wrote about a picture."""

    text: str
    model: str
    model_version: str


class TranscriptSegment(Model):
    """One stretch of speech in milliseconds from the start, half open."""

    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=0)
    text: str
    speaker: str | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)


class Transcript(Model):
    """A recording's speech, segments in order of time."""

    segments: tuple[TranscriptSegment, ...]
    engine: str
    engine_version: str
    language: str
