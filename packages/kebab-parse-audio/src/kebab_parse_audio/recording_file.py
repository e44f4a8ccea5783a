"""What the head of a recording says: its length, tags and chapters. Sound is not decoded for it."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import MAX_MS, UnsupportedMediaError

from kebab_parse_audio.timed_text import Chapter

if TYPE_CHECKING:
    from collections.abc import Mapping

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
