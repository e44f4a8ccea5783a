"""Decoding of a part of a recording: one channel of 16,000 samples a second, cut at pauses.

A recording is decoded from its start, since places in many formats are only guesses; of what lies before the part nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

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


def decode_part(content: bytes, part: int) -> DecodedPart:
    """Decode a part of a recording, from the pause before it to the pause after it.

    Args:
        content: The file.
        part: 1-based, of `count_parts`.

    Raises:
        UnsupportedMediaError: It is no recording, or nothing of it can be decoded.
    """
    import av

    try:
        with av.open(BytesIO(content), metadata_errors="ignore") as container:
            stream = next(iter(container.streams.audio), None)
            if stream is None:
                raise UnsupportedMediaError("it has no sound")
            total = count_parts(round((container.duration or 0) / 1000))
            low, high = _cut_range(part - 1), _cut_range(part)
            end = None if part >= total else high[1]
            first = low[0] if part > 1 else 0
            samples = _join(_decode(container, stream), first, end)
    except av.FFmpegError as error:
        raise UnsupportedMediaError("its sound cannot be decoded") from error
    start = find_pause(samples[: low[1] - low[0]]) if part > 1 else 0
    stop = len(samples)
    if end is not None and len(samples) > high[0] - first:
        stop = high[0] - first + find_pause(samples[high[0] - first :])
    kept = samples[start:stop].astype(np.float32) / _BYTES_PER_SAMPLE_SCALE
    return DecodedPart(round((first + start) * 1000 / SAMPLE_RATE), kept)


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


def _join(pieces: Iterator[NDArray[np.int16]], first: int, end: int | None) -> NDArray[np.int16]:
    """Return the samples from `first` to `end`, excluded; None is all that follow."""
    kept: list[NDArray[np.int16]] = []
    position = 0
    for piece in pieces:
        begin, stop = max(first - position, 0), len(piece) if end is None else min(end - position, len(piece))
        if begin < stop:
            kept.append(piece[begin:stop])
        position += len(piece)
        if end is not None and position >= end:
            break
    return np.concatenate(kept) if kept else np.zeros(0, dtype=np.int16)
