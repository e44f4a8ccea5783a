"""Extractors of recordings, and of subtitles: SubRip, WebVTT, LRC and SAMI; both are cited by time.

from kebab_parse_audio import SubtitleExtractor

SubtitleExtractor().extract(context, Path("talk.srt").read_bytes())
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_audio.recording_extractor import (
        RecordingExtractor as RecordingExtractor,
        RecordingFacts as RecordingFacts,
        open_recording as open_recording,
    )
    from kebab_parse_audio.subtitle_extractor import (
        SubtitleExtractor as SubtitleExtractor,
        read_lrc as read_lrc,
        read_srt as read_srt,
        read_vtt as read_vtt,
    )
    from kebab_parse_audio.timed_text import (
        Chapter as Chapter,
        TimedLine as TimedLine,
        write_timed_text as write_timed_text,
    )

__getattr__, __dir__ = lazy_exports(__name__)
