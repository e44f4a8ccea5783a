"""Exact phrases of a query: words as written, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kebab_core import Analyzer, Term

from kebab_search.query import ParsedQuery

_SYLLABLES = range(0xAC00, 0xD7A4)


class Phrase(NamedTuple):
    """A phrase as the analyser writes its words; at least one."""

    words: tuple[str, ...]

    @property
    def goes_on(self) -> bool:
        """Whether its last word may go on: Korean particles and endings stick to what they follow."""
        return ord(self.words[-1][-1]) in _SYLLABLES

    def places(self, written: Sequence[Term]) -> Iterator[tuple[int, int]]:
        """Yield where it stands among the written words of a text: code points, half open."""
        texts = tuple(word.text for word in written)
        length = len(self.words)
        for at in range(len(texts) - length + 1):
            if texts[at : at + length - 1] == self.words[:-1] and self._ends_with(texts[at + length - 1]):
                yield written[at].start, self._end_in(written[at + length - 1])

    def _ends_with(self, word: str) -> bool:
        return word.startswith(self.words[-1]) if self.goes_on else word == self.words[-1]

    def _end_in(self, word: Term) -> int:
        composed = word.end - word.start == len(word.text)
        return word.start + len(self.words[-1]) if composed else word.end


def read_phrases(parsed: ParsedQuery, analyzer: Analyzer) -> tuple[Phrase, ...]:
    """Return the phrases of a query that hold a word."""
    written = (analyzer.surface(phrase) for phrase in parsed.phrases)
    return tuple(Phrase(tuple(word.text for word in words)) for words in written if words)
