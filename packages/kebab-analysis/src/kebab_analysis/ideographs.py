"""Terms of what no dictionary here cuts into words: pairs of Han and Kana, single pictographs."""

from __future__ import annotations

from collections.abc import Iterator

from kebab_core import Term, TermKind

from kebab_analysis.normalization import fold
from kebab_analysis.scripts import HAN_OR_KANA_RUN, PICTOGRAPH

_MAX_WORD = 4
"""Longest run that is likely one word, so that it is also kept whole."""


def ideograph_terms(line: str) -> Iterator[Term]:
    """Yield each run of Han and Kana whole where it is short, then its overlapping pairs."""
    for match in HAN_OR_KANA_RUN.finditer(line):
        run, start = fold(match[0]), match.start()
        length = match.end() - start
        if length <= _MAX_WORD:
            yield Term(run, start, match.end())
        if length > len("漢字"):
            for at in range(start, match.end() - 1):
                yield Term(fold(line[at : at + 2]), at, at + 2, TermKind.PART)


def pictograph_terms(text: str) -> Iterator[Term]:
    """Yield each emoji or dingbat, without what only colours it."""
    for match in PICTOGRAPH.finditer(text):
        yield Term(match[0], *match.span())
