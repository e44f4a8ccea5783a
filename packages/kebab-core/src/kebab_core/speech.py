"""Speech heard in recordings, and the parts in which recordings are heard."""

from __future__ import annotations

from math import exp

from pydantic import Field

from kebab_core.model import Model

PART_MS = 150_000
"""Distance of the cuts between parts, before each is moved to a pause."""
CUT_MS = 15_000
"""How far a cut is moved at most, so that no part is longer than three minutes."""
LEAST_CONFIDENCE = exp(-1)
"""Mean probability of the tokens of a segment below which it is unsure."""


def count_parts(duration_ms: int) -> int:
    """Return the number of parts in which a recording is heard, at least one."""
    return max(1, -(-(duration_ms - 3 * CUT_MS) // PART_MS))


class TranscriptSegment(Model):
    """One stretch of speech in milliseconds from the start, half open."""

    start_ms: int = Field(ge=0)
    end_ms: int = Field(ge=0)
    text: str
    speaker: str | None = None
    confidence: float | None = Field(default=None, ge=0, le=1)
    """Mean probability of its tokens; None where the engine knows none."""

    @property
    def is_unsure(self) -> bool:
        """Whether the engine is likely to have heard something else."""
        return self.confidence is not None and self.confidence < LEAST_CONFIDENCE


class Transcript(Model):
    """A recording's speech, segments in order of time."""

    segments: tuple[TranscriptSegment, ...]
    engine: str
    engine_version: str
    language: str
