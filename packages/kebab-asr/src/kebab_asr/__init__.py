"""Speech in recordings, heard by Whisper in this process.

transcriber = WhisperTranscriber(kebab_model_whisper_base.files(), kebab_model_whisper_base.manifest()["files"])
transcriber.transcribe(Path("meeting.m4a").open("rb"), 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_asr.recording import (
        SAMPLE_RATE as SAMPLE_RATE,
        RecordingDecoder as RecordingDecoder,
        decode_part as decode_part,
        find_pause as find_pause,
    )
    from kebab_asr.whisper import (
        WhisperTranscriber as WhisperTranscriber,
        identify_whisper as identify_whisper,
    )

__getattr__, __dir__ = lazy_exports(__name__)
