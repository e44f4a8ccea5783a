"""Terms of Han, Kana and pictographs: runs and pairs of ideographs, Korean readings of Hanja, single emoji.

Readings let `한국` find `韓國` in a Korean text and the other way about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_core import Term, TermKind
from kebab_text import HAN, KANA, lower_case

if TYPE_CHECKING:
    from kebab_analysis.tagger import MorphemeTagger

HAN_OR_KANA_RUN = re.compile(f"[{HAN}{KANA}]+")
_PICTOGRAPH = re.compile("[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001f3fa\U0001f400-\U0001faff]")
_MAX_WORD = 4
"""Longest run that is likely one word, so that it is also kept whole."""
_MAX_READ = 12
"""Longest run that is likely words, not a quotation in Chinese."""


def ideograph_terms(line: str) -> Iterator[Term]:
    """Yield each run of Han and Kana whole where it is short, then its overlapping pairs."""
    for match in HAN_OR_KANA_RUN.finditer(line):
        run, start = lower_case(match[0]), match.start()
        length = match.end() - start
        if length <= _MAX_WORD:
            yield Term(run, start, match.end())
        if length > len("漢字"):
            for at in range(start, match.end() - 1):
                yield Term(lower_case(line[at : at + 2]), at, at + 2, TermKind.PART)


def pictograph_terms(text: str) -> Iterator[Term]:
    """Yield each emoji or dingbat, without what only colours it."""
    for match in _PICTOGRAPH.finditer(text):
        yield Term(match[0], *match.span())


def reading_terms(word: str, tagger: MorphemeTagger) -> Iterator[Term]:
    """Yield the readings of runs of Chinese characters, whole and by word, those of one syllable left out.

    Args:
        word: A word of a Korean text.
        tagger: Source of the readings.
    """
    if HAN_OR_KANA_RUN.search(word) is None:
        return
    for match in re.finditer(f"[{HAN}]{{2,}}", word):  # compiled when needed, which is in few texts
        if match.end() - match.start() <= _MAX_READ:
            yield from _run_readings(tagger.readings(match[0]), match.start())


def _run_readings(words: list[tuple[str, str]], start: int) -> Iterator[Term]:
    known = all(len(word) == len(reading) != 0 and reading != "*" for word, reading in words)
    if known and len(words) > 1:
        whole = "".join(reading for _, reading in words)
        yield Term(whole, start, start + len(whole), TermKind.PART)
    for word, reading in words:
        if len(word) == len(reading) > 1:
            yield Term(reading, start, start + len(word), TermKind.PART)
        start += len(word)
