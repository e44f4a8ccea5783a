"""The spectrum that Whisper hears, computed by stretches: at once, that of three minutes takes 120 MB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

if TYPE_CHECKING:
    from faster_whisper.feature_extractor import FeatureExtractor
    from numpy.typing import NDArray

_BLOCK = 1000
"""Frames of 10 milliseconds that are computed at once."""
_FLOOR = 1e-10
_RANGE = 8.0
"""Powers of ten below the loudest that are told apart."""


def build_spectrum(**settings: Any) -> FeatureExtractor:
    """Build what takes the place of the extractor of faster-whisper, with its settings and the same numbers."""
    from faster_whisper.feature_extractor import FeatureExtractor

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
            for start in range(0, len(frames), _BLOCK):
                waves = np.fft.rfft(frames[start : start + _BLOCK] * window).astype(np.complex64)
                bands.append(self.mel_filters @ (np.abs(waves) ** 2).T)
            loudness = np.log10(np.maximum(np.concatenate(bands, axis=1), _FLOOR))
            scaled: NDArray[np.float32] = (np.maximum(loudness, loudness.max() - _RANGE) + 4.0) / 4.0
            return scaled

    return BlockSpectrum(**settings)
