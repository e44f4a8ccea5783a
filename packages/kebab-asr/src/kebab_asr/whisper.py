"""`WhisperTranscriber`: speech heard by Whisper, with CTranslate2, in this process."""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from kebab_core import (
    DependencyMissingError,
    ModelCorruptError,
    ModelMissingError,
    OcrIdentity,
    Remedy,
    Transcript,
    TranscriptSegment,
)

from kebab_asr.recording import RecordingDecoder

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from faster_whisper.feature_extractor import FeatureExtractor
    from numpy.typing import NDArray

ENGINE, ENGINE_VERSION = "whisper", "3"
_SPECTRUM_FRAMES = 1000
"""Frames of 10 milliseconds that are computed at once."""
_SPECTRUM_FLOOR = 1e-10
_SPECTRUM_RANGE = 8.0
"""Powers of ten below the loudest that are told apart."""
_LIBRARIES = ("av", "ctranslate2", "faster-whisper")
_FILES = ("config.json", "model.bin", "tokenizer.json")
_BEAM = 5
_SAMPLES = 1
"""Hypotheses of a second attempt, where the first repeats itself or is unsure; five took 465 instead of 382 MB (2026-11-30)."""


def identify_whisper(digests: Mapping[str, str], language: str) -> OcrIdentity:
    """Return the identity of the transcriber; nothing heavy is loaded.

    Args:
        digests: SHA-256 of the files of the model, by name.
        language: ISO 639-1 code of what is spoken; empty to detect it.

    Raises:
        DependencyMissingError: A library is not installed.
    """
    return OcrIdentity(
        engine=ENGINE,
        engine_version=ENGINE_VERSION,
        libraries={name: _find_version(name) for name in _LIBRARIES},
        models={name: digests[name] for name in sorted(digests)},
        languages=(language,) if language else (),
    )


class WhisperTranscriber:
    """Hears speech with a Whisper model in the form of CTranslate2. The model is loaded with the first part.

    Args:
        folder: Holds the model: `model.bin`, `config.json`, `tokenizer.json` and its vocabulary.
        digests: SHA-256 of its files, by name.
        language: ISO 639-1 code of what is spoken; empty to detect it for each part.
        threads: Threads of the model.
    """

    def __init__(
        self, folder: Path, digests: Mapping[str, str], *, language: str = "", threads: int = 1
    ) -> None:
        self._folder = folder
        self._language = language
        self._threads = threads
        self._decoder: RecordingDecoder | None = None
        """Of the last recording: its next part goes on where the last one ended."""
        self.identity = identify_whisper(digests, language)
        """Identity of the engine: equal ones hear the same in the same recording."""

    def transcribe(self, file: BinaryIO, part: int) -> Transcript:
        """Return what is said in a part of a recording, with times from the start of the recording; no segments where nobody speaks.

        Silence and noise are left out by a detector of voices before the model hears anything, and no segment is heard with
        what was heard before, so that nothing repeats itself.

        Args:
            file: The recording. It stays open while its parts are asked for one after the other.
            part: 1-based, of `count_parts`; cut at pauses.

        Raises:
            UnsupportedMediaError: The file is no recording.
            ModelMissingError: A file of the model is not on this machine.
            ModelCorruptError: The model cannot be loaded or run.
        """
        if self._decoder is None or self._decoder.file is not file:
            self._decoder = RecordingDecoder(file)
        decoded = self._decoder.decode(part)
        model = self._model
        if not _has_voice(decoded.samples):  # the model would look for its language
            return self._pack([], self._language)
        try:
            segments, info = model.transcribe(
                decoded.samples,
                language=self._language or None,
                beam_size=_BEAM,
                best_of=_SAMPLES,
                vad_filter=True,
                condition_on_previous_text=False,
            )
            found = list(segments)
        except (RuntimeError, ValueError) as error:
            raise ModelCorruptError(
                "the model in {folder!r} cannot be run", folder=str(self._folder)
            ) from error
        heard = [
            TranscriptSegment(
                start_ms=decoded.start_ms + round(each.start * 1000),
                end_ms=decoded.start_ms + round(max(each.start, each.end) * 1000),
                text=each.text.strip(),
                confidence=min(exp(each.avg_logprob), 1.0),
            )
            for each in found
            if each.text.strip()
        ]
        return self._pack(heard, info.language or self._language)

    def _pack(self, segments: list[TranscriptSegment], language: str) -> Transcript:
        return Transcript(
            segments=tuple(segments),
            engine=ENGINE,
            engine_version=ENGINE_VERSION,
            language=language or "und",
        )

    @cached_property
    def _model(self) -> Any:
        from kebab_runtime import disable_telemetry

        missing = [name for name in _FILES if not (self._folder / name).is_file()]
        if missing:
            raise ModelMissingError("files of the {model} are not on this machine", model="speech model")
        disable_telemetry()  # the detector of voices runs with onnxruntime
        from faster_whisper import WhisperModel

        try:
            model = WhisperModel(
                str(self._folder),
                device="cpu",
                compute_type="int8",
                cpu_threads=self._threads,
                local_files_only=True,
            )
        except (RuntimeError, ValueError) as error:
            raise ModelCorruptError(
                "the model in {folder!r} cannot be loaded", folder=str(self._folder)
            ) from error
        model.feature_extractor = build_spectrum(**model.feat_kwargs)
        return model


def build_spectrum(**settings: Any) -> FeatureExtractor:
    """Build what takes the place of the extractor of faster-whisper, with its settings and the same numbers.

    It works by stretches: at once, the spectrum of three minutes takes 120 MB.
    """
    import numpy as np
    from faster_whisper.feature_extractor import FeatureExtractor
    from numpy.lib.stride_tricks import sliding_window_view

    class BlockSpectrum(FeatureExtractor):  # type: ignore[misc]
        def __call__(
            self, waveform: NDArray[np.float32], padding: int = 160, chunk_length: int | None = None
        ) -> NDArray[np.float32]:
            """Return the logarithm of the spectrum in mel bands, shape (bands, frames).

            Args:
                waveform: Samples.
                padding: Samples of silence that are put behind them.
                chunk_length: Seconds that the model hears at once; None is what it is.
            """
            if chunk_length is not None:
                self.n_samples = chunk_length * self.sampling_rate
                self.nb_max_frames = self.n_samples // self.hop_length
            edge = self.n_fft // 2
            padded = np.pad(np.pad(waveform.astype(np.float32), (0, padding)), edge, mode="reflect")
            frames = sliding_window_view(padded, self.n_fft)[:: self.hop_length][:-1]
            window = np.hanning(self.n_fft + 1)[:-1].astype(np.float32)
            bands = []
            for start in range(0, len(frames), _SPECTRUM_FRAMES):
                waves = np.fft.rfft(frames[start : start + _SPECTRUM_FRAMES] * window).astype(np.complex64)
                bands.append(self.mel_filters @ (np.abs(waves) ** 2).T)
            loudness = np.log10(np.maximum(np.concatenate(bands, axis=1), _SPECTRUM_FLOOR))
            scaled: NDArray[np.float32] = (np.maximum(loudness, loudness.max() - _SPECTRUM_RANGE) + 4.0) / 4.0
            return scaled

    return BlockSpectrum(**settings)


def _has_voice(samples: NDArray[np.float32]) -> bool:
    from faster_whisper.vad import get_speech_timestamps

    return bool(len(samples)) and bool(get_speech_timestamps(samples))


def _find_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError as error:
        raise DependencyMissingError(
            "speech in recordings is heard with the package `{package}`",
            remedy=Remedy(kind="install_packages", name="kebab-cli[audio]"),
            package=name,
        ) from error
