"""Words of terms, and their weights: inverse document frequency; and the probability of words in Latin letters.

The weight of a term is given by how few passages hold it, the probability of a word by the pieces that it consists of: a unigram
language model (Kudo 2018).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import Term

PIECE_FILE = "word_pieces.txt.xz"
"""Written by `tools/word_pieces.py`: `-ln` of the probability, and the pieces of it."""
_START = "▁"
_LONGEST = 16
"""Characters of the longest piece that is tried."""
_UNKNOWN = -20.0
"""Logarithm of the probability of a letter that no piece has."""
_MAX_CHARS = 64


def split_words(terms: Iterable[Term]) -> Iterator[list[Term]]:
    """Yield the terms of each word: those that start before the first of them ends.

    Args:
        terms: In order of their place.
    """
    word: list[Term] = []
    for term in terms:
        if word and term.start >= word[0].end:
            yield word
            word = []
        word.append(term)
    if word:
        yield word


def whole_texts(word: Sequence[Term]) -> frozenset[str]:
    """Return the texts of the terms of a word that cover all of it, as its first one does."""
    place = (word[0].start, word[0].end)
    whole = [term for term in word if (term.start, term.end) == place and term.kind != "part"]
    return frozenset(term.text for term in whole or word[:1])


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
    import lzma
    from importlib.resources import files

    found: dict[str, float] = {}
    for line in lzma.decompress(files("kebab_text").joinpath(PIECE_FILE).read_bytes()).decode().split("\n"):
        step, *pieces = line.split(" ")
        found.update(dict.fromkeys(pieces, -float(step)))
    return found


FTS5_LEAST_IDF = 1e-6
"""The weight that SQLite's FTS5 gives a term which half of the passages or more hold."""


def inverse_document_frequency(frequency: int, corpus_size: int) -> float:
    """Compute `ln(1 + (N - n + 0.5) / (n + 0.5))`, positive also for a term that every passage holds.

    Args:
        frequency: Passages that hold the term (n), at least 0; above N counts as N.
        corpus_size: All passages (N), at least 0.
    """
    return math.log1p(_odds(frequency, corpus_size))


def fts5_idf(frequency: int, corpus_size: int) -> float:
    """Compute the weight in the BM25 of FTS5: `ln((N - n + 0.5) / (n + 0.5))`, at least 0.000001.

    Args:
        frequency: Passages that hold the term (n), at least 0; above N counts as N.
        corpus_size: All passages (N), at least 0.
    """
    return max(FTS5_LEAST_IDF, math.log(_odds(frequency, corpus_size)))


def _odds(frequency: int, corpus_size: int) -> float:
    return (max(corpus_size, frequency) - frequency + 0.5) / (frequency + 0.5)
