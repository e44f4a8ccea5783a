"""Words as written, for exact phrases.

A Korean word is cut before its particles, its copula and a light verb, so that the phrase "벡터 인덱스" is found
where the text says `벡터 인덱스는`; Han and Kana are single characters. Nothing is reduced or left out, so a
phrase stands for exactly its own letters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

from kebab_core import Term

from kebab_analysis.morphemes import Morpheme, PlacedMorpheme
from kebab_analysis.normalization import fold
from kebab_analysis.scripts import HAN_OR_KANA_RUN

_APART = '\\s()\\[\\]{}<>"“”‘’«»「」『』《》*`|,;…·'
"""What never stands inside a written word."""
_WRITTEN = re.compile(rf"\w(?:[^{_APART}]*\w)?(?:(?<=[cC])\+\+|(?<=[cCfF])\#)?")


def surface_words(line: str, morphemes: Iterable[PlacedMorpheme]) -> Iterator[Term]:
    """Yield the written words of a line in order, without the punctuation around them."""
    cuts = [] if line.isascii() else _cuts(line, morphemes)
    for match in _WRITTEN.finditer(line):
        start, end = match.span()
        inner = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
        if not inner:
            yield Term(fold(match[0]), start, end)
            continue
        for low, high in pairwise((start, *inner, end)):
            piece = _WRITTEN.search(line, low, high)
            if piece:
                yield Term(fold(piece[0]), piece.start(), piece.end())


def hangul_texts(text: str, span: tuple[int, int], morphemes: Iterable[Morpheme]) -> list[str]:
    """Return the texts of `surface_words` for a word of which only `span`, syllables all, is no mark."""
    start, end = span
    texts = []
    at = 0
    for morpheme in morphemes:
        if morpheme.attached and start < at < end:
            texts.append(text[start:at])
            start = at
        at += morpheme.length
    texts.append(text[start:end])
    return texts


def _cuts(line: str, morphemes: Iterable[PlacedMorpheme]) -> list[int]:
    cuts = {placed.start for placed in morphemes if placed.morpheme.attached}
    for match in HAN_OR_KANA_RUN.finditer(line):
        cuts.update(range(match.start(), match.end() + 1))
    return sorted(cuts)
