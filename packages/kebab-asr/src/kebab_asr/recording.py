"""Decoding of a recording by parts: one channel of 16,000 samples a second, cut at pauses.

A recording is decoded from its start, since places in many formats are only guesses, and once for all parts that are asked for in
their order; of what lies before a part nothing is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np
from kebab_core import CUT_MS, PART_MS, UnsupportedMediaError, count_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLE_RATE = 16_000
_WINDOW = SAMPLE_RATE * 4 // 10
"""Samples of a pause."""
_BYTES_PER_SAMPLE_SCALE = 32_768.0


class DecodedPart(NamedTuple):
    """The samples of a part."""

    start_ms: int
    """From the start of the recording."""
    samples: NDArray[np.float32]
    """Between -1 and 1."""


def decode_part(file: BinaryIO, part: int) -> DecodedPart:
    """Decode one part of a recording. See `RecordingDecoder.decode`."""
    return RecordingDecoder(file).decode(part)


class RecordingDecoder:
    """Decodes the parts of one recording; a part that lies before the last one begins anew.

    Args:
        file: The recording, which stays open.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self._duration_ms = 0
        self._pieces: Iterator[NDArray[np.int16]] | None = None
        self._held: deque[tuple[int, NDArray[np.int16]]] = deque()
        """Pieces with the place of their first sample."""
        self._kept_from = self._decoded = 0
        """Samples before the pieces that are held, and up to their end."""

    def decode(self, part: int) -> DecodedPart:
        """Decode a part, from the pause before it to the pause after it.

        Args:
            part: 1-based, of `count_parts`.

        Raises:
            UnsupportedMediaError: It is no recording, or nothing of it can be decoded.
        """
        import av

        low, high = _cut_range(part - 1), _cut_range(part)
        first = low[0] if part > 1 else 0
        try:
            if self._pieces is None or first < self._kept_from:
                self._open()
            end = None if part >= count_parts(self._duration_ms) else high[1]
            samples = self._read(first, end)
        except av.FFmpegError as error:
            self._pieces = None
            raise UnsupportedMediaError("its sound cannot be decoded") from error
        start = find_pause(samples[: low[1] - low[0]]) if part > 1 else 0
        stop = len(samples)
        if end is not None and len(samples) > high[0] - first:
            stop = high[0] - first + find_pause(samples[high[0] - first :])
        kept = samples[start:stop].astype(np.float32) / _BYTES_PER_SAMPLE_SCALE
        return DecodedPart(round((first + start) * 1000 / SAMPLE_RATE), kept)

    def _open(self) -> None:
        import av

        self.file.seek(0)
        container = av.open(self.file, metadata_errors="ignore")
        stream = next(iter(container.streams.audio), None)
        if stream is None:
            container.close()
            raise UnsupportedMediaError("it has no sound")
        self._duration_ms = round((container.duration or 0) / 1000)
        self._pieces = _decode(container, stream)
        self._held.clear()
        self._kept_from = self._decoded = 0

    def _read(self, first: int, end: int | None) -> NDArray[np.int16]:
        """Return the samples from `first` to `end`, excluded; None is all that follow."""
        while end is None or self._decoded < end:
            self._drop(first)
            piece = next(self._pieces or iter(()), None)
            if piece is None:
                break
            self._held.append((self._decoded, piece))
            self._decoded += len(piece)
        cut = [
            piece[max(first - at, 0) : len(piece) if end is None else end - at]
            for at, piece in self._held
            if at + len(piece) > first and (end is None or at < end)
        ]
        return np.concatenate(cut) if cut else np.zeros(0, dtype=np.int16)

    def _drop(self, first: int) -> None:
        while self._held and self._held[0][0] + len(self._held[0][1]) <= first:
            at, piece = self._held.popleft()
            self._kept_from = at + len(piece)


def find_pause(samples: NDArray[np.int16]) -> int:
    """Return the middle of the quietest .4 seconds, the first of equals; the middle of what is shorter."""
    if len(samples) <= _WINDOW:
        return len(samples) // 2
    sums = np.concatenate([[0], np.cumsum(samples.astype(np.int64) ** 2)])
    return int(np.argmin(sums[_WINDOW:] - sums[:-_WINDOW])) + _WINDOW // 2


def _cut_range(part: int) -> tuple[int, int]:
    """The samples among which the cut after a part is."""
    at = part * PART_MS
    return (at - CUT_MS) * SAMPLE_RATE // 1000, (at + CUT_MS) * SAMPLE_RATE // 1000


def _decode(container: object, stream: object) -> Iterator[NDArray[np.int16]]:
    """Yield the samples of a recording in order; damaged frames are left out."""
    with container:  # type: ignore[attr-defined]
        yield from _resample(container, stream)


def _resample(container: object, stream: object) -> Iterator[NDArray[np.int16]]:
    import av

    resampler = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE)
    for packet in container.demux(stream):  # type: ignore[attr-defined]
        try:
            frames = packet.decode()
        except av.InvalidDataError:
            continue
        for frame in frames:
            frame.pts = None
            for resampled in resampler.resample(frame):
                yield resampled.to_ndarray().reshape(-1)
    for resampled in resampler.resample(None):
        yield resampled.to_ndarray().reshape(-1)
