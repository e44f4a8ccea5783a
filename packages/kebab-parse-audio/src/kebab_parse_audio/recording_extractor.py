"""The extractor `audio-v1`: from the bytes of a recording to a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import (
    AudioRefBlock,
    CanonicalDocument,
    ExtractContext,
    ExtractedText,
    ExtractorServices,
    Model,
    ParserVersion,
    TimeSpan,
    count_parts,
)
from kebab_parse import BlockBuilder, IsolatedExtractor

from kebab_parse_audio.recording_file import RecordingFacts, can_open, open_recording
from kebab_parse_audio.timed_text import TimedLine, write_timed_text

if TYPE_CHECKING:
    from pydantic import JsonValue

AUDIO_VERSION = ParserVersion("audio-v1")
NAME_VERSION = ParserVersion("audio-name-v1")
"""Of documents made without the library that opens recordings; they are made again where it is installed."""
_UNSURE = "(?) "
"""Before what was heard and is likely something else."""


class RecordingExtractor(IsolatedExtractor):
    """Extractor of recordings: a document with their name, tags, chapters and what was heard in them, if anything."""

    kind = "audio"
    agent = "kebab-parse-audio"
    version = AUDIO_VERSION if can_open() else NAME_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file; only its head, since what is said comes with the context. Spans are stretches of time.

        Returns:
            The document: chapters as headings, paragraphs of 20 to 60 seconds of what was heard, `(?)` before each segment that is
            unsure; the recording itself where there is neither. Without the library that opens recordings it has the name alone.

        Raises:
            UnsupportedMediaError: It is no recording.
        """
        facts = open_recording(content) if can_open() else RecordingFacts(0, {}, ())
        lines = [
            TimedLine(
                each.start_ms,
                max(each.start_ms, each.end_ms),
                _UNSURE * each.is_unsure + " ".join(each.text.split()),
            )
            for _, transcript in sorted(context.speech.items())
            for each in transcript.segments
        ]
        doc_id = self._identify(context)
        blocks, text = write_timed_text(doc_id, lines, facts.chapters)
        if not blocks:
            span = TimeSpan(start_ms=0, end_ms=0)  # nothing is heard in it
            place = BlockBuilder(doc_id).place("audio_ref", span)
            asset_id = context.asset.asset_id
            blocks = [AudioRefBlock(**place, asset_id=asset_id, duration_ms=facts.duration_ms)]
        parts = tuple(range(1, count_parts(facts.duration_ms) + 1))
        shown = ExtractedText(text=text.text, parts=text.parts, pictures=parts)
        values: dict[str, JsonValue] = dict(facts.tags)
        if facts.duration_ms:
            values["duration_ms"] = facts.duration_ms
        return self._build(context, blocks, shown, values=values)


def build_recording_extractor(_settings: Model | None, services: ExtractorServices) -> RecordingExtractor:
    """Build the extractor of recordings. Implements `ExtractorFactory`; there are no settings."""
    return RecordingExtractor(services.detector)
