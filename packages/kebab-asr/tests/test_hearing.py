"""Parts of recordings, cut at pauses; and silence, which the real model hears nothing in. Both need the extra."""

import wave
from importlib.util import find_spec
from io import BytesIO

import numpy as np
import pytest
from kebab_asr import SAMPLE_RATE, RecordingDecoder, WhisperTranscriber, decode_part, find_pause
from kebab_core import UnsupportedMediaError

needs_extra = pytest.mark.skipif(
    find_spec("faster_whisper") is None or find_spec("kebab_model_whisper_base") is None,
    reason="the extra kebab-cli[audio] is not installed",
)


def record(samples: np.ndarray) -> BytesIO:
    file = BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(SAMPLE_RATE)
        made.writeframes(samples.astype("<i2").tobytes())
    return file


def test_a_cut_is_in_the_middle_of_the_quietest_moment() -> None:
    samples = np.full(10 * SAMPLE_RATE, 900, dtype=np.int16)
    samples[3 * SAMPLE_RATE : 4 * SAMPLE_RATE] = 5
    assert 3.2 <= find_pause(samples) / SAMPLE_RATE <= 3.8
    assert find_pause(samples[:100]) == 50


@needs_extra
def test_parts_meet_at_pauses_and_together_are_the_recording() -> None:
    seconds = 400
    samples = np.tile(np.array([900, -900], dtype=np.int16), seconds * SAMPLE_RATE // 2)
    for pause in (141, 308):
        samples[pause * SAMPLE_RATE : (pause + 1) * SAMPLE_RATE] = 0
    content = record(samples)
    decoder = RecordingDecoder(content)
    parts = [decoder.decode(part) for part in (1, 2, 3)]
    for part in (3, 2, 1):  # as from its start
        alone = decode_part(content, part)
        for other in (parts[part - 1], decoder.decode(part)):
            assert alone.start_ms == other.start_ms
            assert np.array_equal(alone.samples, other.samples)
    ends = [part.start_ms / 1000 + len(part.samples) / SAMPLE_RATE for part in parts]
    assert [part.start_ms / 1000 for part in parts] == pytest.approx([0, *ends[:2]], abs=0.002)
    assert 141 < ends[0] < 142
    assert 308 < ends[1] < 309
    assert ends[2] == pytest.approx(seconds, abs=0.1)


@needs_extra
def test_the_spectrum_by_stretches_is_that_of_the_library() -> None:
    from faster_whisper.feature_extractor import FeatureExtractor
    from kebab_asr.whisper import build_spectrum

    samples = np.random.default_rng(7).normal(0, 0.1, 25 * SAMPLE_RATE + 77).astype(np.float32)
    at_once = FeatureExtractor()(samples, chunk_length=30)
    assert np.allclose(build_spectrum()(samples, chunk_length=30), at_once, atol=1e-6)
    assert build_spectrum()(samples[:100]).shape == FeatureExtractor()(samples[:100]).shape


@needs_extra
def test_nothing_is_heard_in_silence_and_what_is_no_recording_is_refused() -> None:
    import kebab_model_whisper_base as model

    transcriber = WhisperTranscriber(model.files(), model.manifest()["files"], language="ko")
    assert transcriber.identity.languages == ("ko",)
    heard = transcriber.transcribe(record(np.zeros(3 * SAMPLE_RATE)), 1)
    assert (heard.segments, heard.language) == ((), "ko")
    with pytest.raises(UnsupportedMediaError):
        transcriber.transcribe(BytesIO(b"no sound at all" * 100), 1)
