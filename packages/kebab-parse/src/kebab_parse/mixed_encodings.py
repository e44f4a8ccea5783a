"""Text of which some lines are UTF-8 and others are not, as programs leave it that append to a file in their own encoding."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from kebab_core import Message

from kebab_parse.character_statistics import log_likelihood
from kebab_parse.encoding_detection import DecodedText, score_encodings

_CHANGE = 6.0
"""How much likelier the lines in UTF-8 must be as such, as a logarithm: a letter or two may be UTF-8 by chance."""
_SHOWN_RANGES = 10
_SAMPLE_LINES = 1_000
"""Lines that are not UTF-8 by which their encoding is chosen."""


def decode_lines(content: bytes) -> DecodedText | None:
    r"""Decode each line as UTF-8, or in the one other encoding in which the lines that are not UTF-8 are most likely.

    Lines end with `\n`. A line stays damaged UTF-8 where that is likelier.

    Returns:
        The text, with a warning that names the lines in another encoding. None if there are none, or none beyond ASCII in UTF-8.
    """
    lines = content.split(b"\n")
    texts = [_decode(line) for line in lines]
    others = [index for index, text in enumerate(texts) if text is None]
    if not others or all(text is None or text.isascii() for text in texts):
        return None
    found = _choose_encoding([lines[index] for index in others[:_SAMPLE_LINES]])
    own = [line for line, text in zip(lines, texts, strict=True) if text is not None and not line.isascii()]
    if found is None or _is_likelier(b"\n".join(own), found, least=-_CHANGE):
        return None
    legacy = [index for index in others if _is_likelier(lines[index], found)]
    for index in legacy:
        texts[index] = lines[index].decode(found, errors="replace")
    text = "\n".join(
        lines[index].decode(errors="replace") if each is None else each for index, each in enumerate(texts)
    )
    warning = Message(
        "{count} line is not UTF-8; it was read as {encoding} (line {lines})",
        plural="{count} lines are not UTF-8; they were read as {encoding} (lines {lines})",
        count=len(legacy),
        encoding=found,
        lines=_show_ranges(legacy),
    )
    if damaged := len(others) - len(legacy):
        warning = Message(
            "{warning}; damage in {count} other line was replaced",
            plural="{warning}; damage in {count} other lines was replaced",
            warning=warning,
            count=damaged,
        )
    return DecodedText(text, found, warning)


def _decode(line: bytes) -> str | None:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None


def _choose_encoding(lines: Sequence[bytes]) -> str | None:
    """Return the encoding of the lines that are likelier in it than as damaged UTF-8; None if no line is."""
    scores: dict[str, float] = {}
    for line in lines:
        damaged = log_likelihood(line.decode(errors="replace"), "utf-8")
        for score, encoding in score_encodings(line):
            scores[encoding] = scores.get(encoding, 0.0) + max(score - damaged, 0.0)
    best = max(scores, key=scores.__getitem__, default=None)
    return best if best is not None and scores[best] > 0 else None


def _is_likelier(line: bytes, encoding: str, *, least: float = 0.0) -> bool:
    """Return True if the logarithm of the probability of a line is greater in an encoding than in UTF-8 by `least` or more."""
    text = line.decode(encoding, errors="replace")
    return log_likelihood(text, encoding) >= log_likelihood(line.decode(errors="replace"), "utf-8") + least


def _show_ranges(indexes: Sequence[int]) -> str:
    """Return the numbers of lines, from 1, such as `3, 7–9`."""
    runs = [
        [index for _, index in run] for _, run in groupby(enumerate(indexes), lambda pair: pair[1] - pair[0])
    ]
    shown = [str(run[0] + 1) if len(run) == 1 else f"{run[0] + 1}–{run[-1] + 1}" for run in runs]
    return ", ".join([*shown[:_SHOWN_RANGES], *["…"] * (len(shown) > _SHOWN_RANGES)])
