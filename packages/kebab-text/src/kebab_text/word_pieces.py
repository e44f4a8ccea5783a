"""How likely words in Latin letters are, by the pieces that they consist of: a unigram language model (Kudo 2018)."""

from __future__ import annotations

import lzma
from functools import cache
from importlib.resources import files

PIECE_FILE = "word_pieces.txt.xz"
"""Written by `tools/word_pieces.py`: `-ln` of the probability, and the pieces of it."""
_START = "▁"
_LONGEST = 16
"""Characters of the longest piece that is tried."""
_UNKNOWN = -20.0
"""Logarithm of the probability of a letter that no piece has."""
_MAX_CHARS = 64


def log_probability(word: str) -> float:
    """Return the natural logarithm of the probability of a word: that of its most likely pieces, multiplied.

    Args:
        word: A word in small letters. Of a longer one than 64 characters only these count.
    """
    pieces = _pieces()
    text = _START + word[:_MAX_CHARS]
    best = [0.0]
    for end in range(1, len(text) + 1):
        start = max(end - _LONGEST, 0)
        known = [best[at] + pieces[text[at:end]] for at in range(start, end) if text[at:end] in pieces]
        best.append(max(known, default=best[end - 1] + _UNKNOWN))
    return best[-1]


@cache
def _pieces() -> dict[str, float]:
    found: dict[str, float] = {}
    for line in lzma.decompress(files("kebab_text").joinpath(PIECE_FILE).read_bytes()).decode().split("\n"):
        step, *pieces = line.split(" ")
        found.update(dict.fromkeys(pieces, -float(step)))
    return found
