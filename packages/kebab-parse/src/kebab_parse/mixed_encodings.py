"""Text of which some lines or words are UTF-8 and others are not.

Programs leave it that append to a file in their own encoding, or write messages of the system in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from kebab_core import Message

from kebab_parse.character_statistics import log_likelihood
from kebab_parse.encoding_detection import DecodedText, decode_strictly, score_encodings

_CHANGE = 6.0
"""How much likelier the lines in UTF-8 must be as such, as a logarithm: a letter or two may be UTF-8 by chance."""
_SHOWN_RANGES = 10
_SAMPLE_LINES = 1_000
"""Lines that are not UTF-8 by which their encoding is chosen."""
_BETWEEN_WORDS = re.compile(rb"([\x00-\x3f]+)")
"""Bytes that are no part of a letter in any encoding: spaces, digits and most punctuation."""
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_UTF8_LETTER = re.compile(rb"[\xe0-\xef][\x80-\xbf]{2}")
_UTF8_LETTERS = re.compile(rb"(?:[\xe0-\xef][\x80-\xbf]{2}){2}")
"""Two letters as UTF-8 has them; in other encodings they stand side by side by chance only."""


def decode_lines(content: bytes) -> DecodedText | None:
    r"""Decode each line as UTF-8, or in the one other encoding in which the lines that are not UTF-8 are most likely.

    Lines end with `\n`. A line of both is decoded word by word. A line stays damaged UTF-8 where that is likelier.

    Returns:
        The text, with a warning that names the lines in another encoding. None if there are none, or none beyond ASCII in
        UTF-8.
    """
    lines = content.split(b"\n")
    texts = [decode_strictly(line, "utf-8") for line in lines]
    others = [index for index, text in enumerate(texts) if text is None]
    own = [line for line, text in zip(lines, texts, strict=True) if text is not None and not line.isascii()]
    own += [word for index in others for word in _utf8_words(lines[index])]
    if not others or not own:
        return None
    found = _choose_encoding([_without_utf8(lines[index]) for index in others[:_SAMPLE_LINES]])
    if found is None or _is_likelier(b"\n".join(own), found, least=-_CHANGE):
        return None
    read = {index: text for index in others if (text := _read_line(lines[index], found)) is not None}
    legacy = [*read]
    for index, line_text in read.items():
        texts[index] = line_text
    text = "\n".join(
        lines[index].decode(errors="replace") if each is None else each for index, each in enumerate(texts)
    )
    if not legacy:
        damaged = text.count(_REPLACEMENT)
        return DecodedText(
            text, "utf-8", Message("{damaged} damaged UTF-8 sequences were replaced", damaged=damaged)
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


def _utf8_words(line: bytes) -> list[bytes]:
    """List the words of a line that are UTF-8 beyond ASCII, if two letters of one of them stand side by side."""
    if not _UTF8_LETTERS.search(line):
        return []
    words = _BETWEEN_WORDS.split(line)[::2]
    return [
        word for word in words if _UTF8_LETTER.search(word) and decode_strictly(word, "utf-8") is not None
    ]


def _without_utf8(line: bytes) -> bytes:
    """Leave out the words of a line that are UTF-8."""
    own = set(_utf8_words(line))
    return b"".join(word for word in _BETWEEN_WORDS.split(line) if word not in own) if own else line


def _read_line(line: bytes, encoding: str) -> str | None:
    """Decode a line that is not UTF-8 in an encoding, and its words that are UTF-8 as such; None where damaged UTF-8 is likelier."""
    own = set(_utf8_words(line))
    if own and _is_likelier(_without_utf8(line), encoding):
        words = _BETWEEN_WORDS.split(line)
        return "".join(word.decode("utf-8" if word in own else encoding, errors="replace") for word in words)
    return line.decode(encoding, errors="replace") if _is_likelier(line, encoding) else None


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
