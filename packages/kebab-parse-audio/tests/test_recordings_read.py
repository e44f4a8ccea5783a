"""Recordings as documents; their heads are read where the extra is installed, and only there."""

import io
import wave
from importlib.util import find_spec

import pytest
from kebab_core import (
    AudioMedia,
    AudioRefBlock,
    CanonicalDocument,
    TimeSpan,
    Transcript,
    TranscriptSegment,
    UnsupportedMediaError,
)
from kebab_parse_audio import RecordingExtractor
from kebab_testing.documents import make_context

needs_extra = pytest.mark.skipif(
    find_spec("av") is None, reason="the extra kebab-cli[audio] is not installed"
)


def record(seconds: int) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(1)
        made.setframerate(1000)
        made.writeframes(b"\x80" * 1000 * seconds)
    return file.getvalue()


def extract(content: bytes, *heard: Transcript) -> CanonicalDocument:
    context = make_context(content, path="talks/meeting.wav", media_type=AudioMedia(format="wav"))
    context = context.model_copy(update={"speech": dict(enumerate(heard, 1))})
    return RecordingExtractor().extract(context, content)


def hear(*segments: tuple[int, str, float]) -> Transcript:
    made = (
        TranscriptSegment(start_ms=at * 1000, end_ms=at * 1000 + 4000, text=text, confidence=confidence)
        for at, text, confidence in segments
    )
    return Transcript(segments=tuple(made), engine="x", engine_version="1", language="en")


def test_what_was_heard_in_all_parts_is_text_with_times_and_the_unsure_is_marked() -> None:
    document = extract(
        record(9), hear((0, "Hello there.", 0.9), (5, "mumble", 0.3)), hear((600, "Later on.", 0.9))
    )
    assert document.text is not None
    assert document.text.text == "Hello there.\n(?) mumble\n\nLater on."
    spans = [block.source_span for block in document.blocks]
    assert spans == [TimeSpan(start_ms=0, end_ms=9000), TimeSpan(start_ms=600_000, end_ms=604_000)]


def test_a_recording_in_which_nothing_was_heard_is_a_document_of_its_name() -> None:
    document = extract(record(3))
    assert document.title == "meeting"
    assert [block.kind for block in document.blocks] == ["audio_ref"]
    assert document.text is not None
    assert document.text.pictures == (1,)


@needs_extra
def test_length_and_parts_come_from_the_head_and_what_is_no_recording_is_refused() -> None:
    document = extract(record(400))
    (block,) = document.blocks
    assert isinstance(block, AudioRefBlock)
    assert (block.duration_ms, document.metadata.user["duration_ms"]) == (400_000, 400_000)
    assert document.text is not None
    assert document.text.pictures == (1, 2, 3)
    with pytest.raises(UnsupportedMediaError, match="no recording"):
        extract(b"no sound at all" * 100)
