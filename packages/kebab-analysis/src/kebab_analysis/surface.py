"""Words as written, for exact phrases: told by their letters alone, so that a word reads the same wherever it stands.

A word ends at a blank, at a sign and where the script changes: `API를` is `api` and `를`, `v1.2` is `v1` and `2`.
Han and Kana are single characters. Nothing is reduced or left out, so a phrase stands for exactly its own letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from kebab_core import Term

from kebab_analysis.normalization import fold
from kebab_analysis.scripts import HAN, HANGUL, KANA

_LETTER = rf"[^\W_{HANGUL}{HAN}{KANA}]"
_WORD = rf"(?<!{_LETTER})(?:[cC]\+\+|[cCfF]\#)|{_LETTER}+|[{HANGUL}]+|[{HAN}{KANA}]"
_BLANK_LINES = re.compile(r"\n\s*\n")
_GAP = "¶"
"""Stands between blocks of text, so that no phrase runs across; a sign, which is never a word as written."""


def surface_words(text: str) -> Iterator[Term]:
    """Yield the written words in order, and a gap where blank lines stand between two of them."""
    last = 0
    for match in _written().finditer(text):
        blank = _BLANK_LINES.search(text, last, match.start()) if last else None
        if blank:
            yield Term(_GAP, *blank.span())
        yield Term(fold(match[0]), *match.span())
        last = match.end()


def surface_text(text: str) -> str:
    """Return the texts of `surface_words`, joined by single spaces."""
    words = _written()
    return join_blocks(" ".join(words.findall(block)) for block in _BLANK_LINES.split(text))


def join_blocks(blocks: Iterable[str]) -> str:
    """Return texts joined so that no phrase runs from one into the next."""
    return fold(f" {_GAP} ".join([block for block in blocks if block]))


@cache
def _written() -> re.Pattern[str]:
    return re.compile(_WORD)  # takes milliseconds, and searches for no exact phrase do without
