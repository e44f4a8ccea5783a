"""Words as written, for exact phrases.

A Korean word is cut before its particles, its copula and a light verb, so that the phrase "벡터 인덱스" is found
where the text says `벡터 인덱스는`; Han and Kana are single characters. Nothing is reduced or left out, so a
phrase stands for exactly its own letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from kebab_core import Term

from kebab_analysis.morphemes import PlacedMorpheme
from kebab_analysis.normalization import fold
from kebab_analysis.scripts import HAN_OR_KANA_RUN

_WRITTEN = re.compile(r"[^\s()\[\]{}<>\"“”‘’«»「」『』《》*`|,;…·]+")
_CORE = re.compile(r"\w(?:.*\w)?(?:(?<=[cC])\+\+|(?<=[cCfF])\#)?")


def surface_words(line: str, morphemes: Iterable[PlacedMorpheme]) -> Iterator[Term]:
    """Yield the written words of a line in order, without the punctuation around them."""
    cuts = _cuts(line, morphemes)
    for match in _WRITTEN.finditer(line):
        inner = [cut for cut in cuts if match.start() < cut < match.end()] if cuts else []
        edges = [match.start(), *inner, match.end()]
        for start, end in pairwise(edges):
            core = _CORE.search(line, start, end)
            if core:
                yield Term(fold(core[0]), core.start(), core.end())


def _cuts(line: str, morphemes: Iterable[PlacedMorpheme]) -> list[int]:
    cuts = {placed.start for placed in morphemes if placed.morpheme.attached}
    if not line.isascii():
        for match in HAN_OR_KANA_RUN.finditer(line):
            cuts.update(range(match.start(), match.end() + 1))
    return sorted(cuts)
