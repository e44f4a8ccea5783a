"""The extractor `audio-v1`: from the head of a recording, its length, tags and chapters, to a document. Sound is not decoded for it."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    MAX_MS,
    AudioRefBlock,
    CanonicalDocument,
    ExtractContext,
    ExtractedText,
    ParserVersion,
    TimeSpan,
    UnsupportedMediaError,
    count_parts,
)
from kebab_parse import BlockBuilder, IsolatedExtractor

from kebab_parse_audio.timed_text import Chapter, TimedLine, write_timed_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

_TAGS = {
    "title": "title",
    "artist": "artist",
    "album": "album",
    "album_artist": "album_artist",
    "genre": "genre",
    "comment": "comment",
    "description": "description",
    "date": "date",
    "creation_time": "created",
}
"""Tags that are kept, and the keys that front matter would have for them."""


class RecordingFacts(NamedTuple):
    """A recording without its sound."""

    duration_ms: int
    tags: Mapping[str, str]
    """Under the keys of front matter."""
    chapters: tuple[Chapter, ...]
    """In order of time, those with a title."""


def can_open() -> bool:
    """Return True if the library is installed that opens recordings."""
    return find_spec("av") is not None


def open_recording(content: bytes) -> RecordingFacts:
    """Read the head of a recording.

    Raises:
        UnsupportedMediaError: It is none, or has no sound.
    """
    import av

    try:
        with av.open(BytesIO(content), metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise UnsupportedMediaError("it has no sound")
            duration_ms = min(round((container.duration or 0) / 1000), MAX_MS)
            metadata = {**container.streams.audio[0].metadata, **container.metadata}
            chapters = [_read_chapter(each) for each in container.chapters()]
    except av.FFmpegError as error:
        raise UnsupportedMediaError("it is no recording of a format that is read") from error
    values = {key.lower(): value.strip() for key, value in metadata.items()}
    tags = {name: values[tag] for tag, name in _TAGS.items() if values.get(tag)}
    return RecordingFacts(duration_ms, tags, tuple(each for each in chapters if each.title))


def _read_chapter(chapter: Mapping[str, object]) -> Chapter:
    base, start, end = chapter["time_base"], chapter["start"], chapter["end"]
    metadata = chapter["metadata"]
    title = metadata.get("title", "") if isinstance(metadata, dict) else ""
    first, last = (min(max(round(float(at * base) * 1000), 0), MAX_MS) for at in (start, end))  # type: ignore[operator]
    return Chapter(first, max(first, last), " ".join(str(title).split()))


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
