"""How Koreans read Chinese characters, so that `한국` finds `韓國` in a Korean text and the other way about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from kebab_core import Term, TermKind

from kebab_analysis.scripts import HAN, HAN_OR_KANA_RUN
from kebab_analysis.tagger import MorphemeTagger

_MAX_READ = 12
"""Longest run that is likely words, not a quotation in Chinese."""


def reading_terms(word: str, tagger: MorphemeTagger) -> Iterator[Term]:
    """Yield the readings of runs of Chinese characters, whole and by word, those of one syllable left out.

    Args:
        word: A word of a Korean text.
        tagger: Knows the readings.
    """
    if HAN_OR_KANA_RUN.search(word) is None:
        return
    for match in _han_run().finditer(word):
        if match.end() - match.start() <= _MAX_READ:
            yield from _run_readings(tagger.readings(match[0]), match.start())


@cache
def _han_run() -> re.Pattern[str]:
    return re.compile(f"[{HAN}]{{2,}}")  # in few texts


def _run_readings(words: list[tuple[str, str]], start: int) -> Iterator[Term]:
    known = all(len(word) == len(reading) != 0 and reading != "*" for word, reading in words)
    if known and len(words) > 1:
        whole = "".join(reading for _, reading in words)
        yield Term(whole, start, start + len(whole), TermKind.PART)
    for word, reading in words:
        if len(word) == len(reading) > 1:
            yield Term(reading, start, start + len(word), TermKind.PART)
        start += len(word)
