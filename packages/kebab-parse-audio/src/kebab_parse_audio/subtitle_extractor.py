"""The extractor `subtitles-v1`: from the bytes of subtitles to a document."""

from __future__ import annotations

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    ExtractorServices,
    Message,
    Model,
    ParserVersion,
    SubtitlesMedia,
    UnsupportedMediaError,
)
from kebab_parse import IsolatedExtractor, decode_text
from pydantic import JsonValue

from kebab_parse_audio.cues import list_lrc_tags, read_lrc, read_srt, read_vtt
from kebab_parse_audio.timed_text import write_timed_text

SUBTITLES_VERSION = ParserVersion("subtitles-v1")
_READERS = {"srt": read_srt, "vtt": read_vtt, "lrc": read_lrc}


class SubtitleExtractor(IsolatedExtractor):
    """Extractor of SubRip, WebVTT and LRC. Its parser is given text by strangers, so that it runs in workers."""

    kind = "subtitles"
    version = SUBTITLES_VERSION
    agent = "kebab-parse-audio"

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file. Spans are stretches of time; each cue is a part of the text.

        Returns:
            The document. An empty file has a warning.

        Raises:
            UnsupportedMediaError: It is no text, or no line of it has a time.
        """
        media = context.asset.media_type
        kind = media.format if isinstance(media, SubtitlesMedia) else "srt"
        decoded = decode_text(content)
        lines = _READERS[kind](decoded.text)
        if not lines and decoded.text.strip():
            raise UnsupportedMediaError("no line of it has a time, as subtitles do", media=kind)
        values: dict[str, JsonValue] = {}
        if kind == "lrc":
            tags = dict(list_lrc_tags(decoded.text))
            values = {
                name: tags[tag]
                for tag, name in (("ti", "title"), ("ar", "artist"), ("al", "album"))
                if tags.get(tag)
            }
        blocks, text = write_timed_text(self._identify(context), lines)
        warnings: list[Message | None] = [decoded.warning]
        return self._build(context, blocks, text, values=values, warnings=warnings)


def build_subtitle_extractor(_settings: Model | None, services: ExtractorServices) -> SubtitleExtractor:
    """Build the extractor of subtitles. Implements `ExtractorFactory`; there are no settings."""
    return SubtitleExtractor(services.detector)
