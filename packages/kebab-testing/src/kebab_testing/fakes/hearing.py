"""Hearing that needs no model: what a recording says stands in its file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kebab_core import (
    AsrIngestSettings,
    OcrIdentity,
    OcrText,
    RawAsset,
    ReferenceStorage,
    Transcript,
    TranscriptSegment,
)

FAKE_HEARING = OcrIdentity(engine="fake-hearing", engine_version="1")
"""The identity of it."""


def find_fake_hearing(_settings: AsrIngestSettings) -> OcrIdentity:
    """Return the identity, whatever the settings."""
    return FAKE_HEARING


@dataclass(frozen=True, kw_only=True)
class FakeHearingRecipe:
    """Makes the function that hears: each line of a file is a segment of ten seconds, unsure where it begins with `?`."""

    data_dir: Path
    settings: AsrIngestSettings

    def __call__(self) -> Callable[[tuple[RawAsset, int]], tuple[OcrText | Transcript, int]]:
        """Make the function."""

        def hear(task: tuple[RawAsset, int]) -> tuple[OcrText | Transcript, int]:
            stored = task[0].stored
            path = Path(stored.path if isinstance(stored, ReferenceStorage) else self.data_dir / stored.path)
            lines = path.read_bytes().decode().splitlines()
            segments = tuple(
                TranscriptSegment(
                    start_ms=at * 10_000,
                    end_ms=at * 10_000 + 9000,
                    text=line.removeprefix("?"),
                    confidence=0.2 if line.startswith("?") else 0.9,
                )
                for at, line in enumerate(lines)
            )
            text = Transcript(segments=segments, engine="fake-hearing", engine_version="1", language="en")
            return text, 7

        return hear
