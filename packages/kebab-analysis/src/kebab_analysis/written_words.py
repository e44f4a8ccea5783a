"""Words between blanks, each analysed once however often texts repeat it.

A tagger sees whole lines, since a word's neighbours tell how to read it; what it found in a word is all that the
word's terms depend on. So words are remembered by what was found in them: a text of a million words has tens of
thousands of different ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple, TypeVar

from kebab_core import Term

from kebab_analysis.hanja import reading_terms
from kebab_analysis.ideographs import ideograph_terms, pictograph_terms
from kebab_analysis.lines import cut_lines
from kebab_analysis.morphemes import MorphemeReader, Word
from kebab_analysis.nouns import korean_terms, korean_texts
from kebab_analysis.scripts import HANGUL_CHAR, HANGUL_WORD
from kebab_analysis.tagger import MorphemeTagger
from kebab_analysis.words import WordReader

_WRITTEN = re.compile(r"\S+")
_LINES_KEPT = 1 << 12
_LONGEST_LINE = 60
"""Code points of a line, such as a heading, that may come again."""
_TEXTS_KEPT = 1 << 15
_WORDS_KEPT = 1 << 13
_LONGEST_KEY = 500
"""Code points of a key; a longer one is data that will not come again."""


_Found = TypeVar("_Found")


class WrittenWord(NamedTuple):
    """A word and what it is found by; places are relative to its start."""

    length: int
    terms: tuple[Term, ...]


class WrittenWordReader:
    """Reads words by their keys: a word's letters, or the tagger's rows for it where a line holds Hangul."""

    def __init__(self) -> None:
        self._tagger = MorphemeTagger()
        self._morphemes = MorphemeReader()
        self._words = WordReader()
        self._read = _remembered(self._analyzed, _WORDS_KEPT)
        self._read_line = _remembered(self._line_keys, _LINES_KEPT, longest=_LONGEST_LINE)
        self._read_texts = _remembered(self._joined, _TEXTS_KEPT)

    def texts(self, text: str) -> str:
        """Return the texts of the terms that `placed_words` gives, joined by single spaces."""
        read = self._read_texts
        return " ".join([terms for key in self._keys(text) if (terms := read(key))])

    def placed_words(self, text: str) -> Iterator[tuple[int, WrittenWord]]:
        """Yield the words of a text in order, each with where it starts.

        Raises:
            DependencyMissingError: The morphological dictionary or the stemmer is not installed.
        """
        if not _has_hangul(text):
            yield from self._unspaced(text, 0)
            return
        for offset, line in cut_lines(text):
            yield from self._tagged(line, offset) if _has_hangul(line) else self._unspaced(line, offset)

    def _keys(self, text: str) -> list[str]:
        if not _has_hangul(text):
            return text.split()
        keys: list[str] = []
        for _, line in cut_lines(text):
            if _has_hangul(line):
                keys += self._read_line(line)
            else:
                keys += line.split()
        return keys

    def _line_keys(self, line: str) -> tuple[str, ...]:
        return tuple([rows.lstrip(" ") for rows in self._tagger.words(line)])

    def _unspaced(self, line: str, offset: int) -> Iterator[tuple[int, WrittenWord]]:
        for match in _WRITTEN.finditer(line):
            yield offset + match.start(), self._read(match[0])

    def _tagged(self, line: str, offset: int) -> Iterator[tuple[int, WrittenWord]]:
        at = offset
        for rows in self._tagger.words(line):
            key = rows.lstrip(" ")
            word = self._read(key)
            at += len(rows) - len(key)
            yield at, word
            at += word.length + len(" ")

    def _joined(self, key: str) -> str:
        if "\t" in key:
            text, morphemes = self._morphemes.read(key)
            if HANGUL_WORD.fullmatch(text):  # most words; a third of the time that terms with places take
                return " ".join(korean_texts(morphemes))
        return " ".join([term.text for term in self._analyzed(key).terms])

    def _analyzed(self, key: str) -> WrittenWord:
        word = self._morphemes.read(key) if "\t" in key else Word(key, [])
        text, morphemes = word.text, word.placed()
        terms = self._words.terms(text)
        if not text.isascii():
            terms += korean_terms(morphemes)
            terms += ideograph_terms(text)
            terms += pictograph_terms(text)
            if morphemes:
                terms += reading_terms(text, self._tagger)
            terms.sort(key=_by_place)
        return WrittenWord(len(text), tuple(terms))


def _remembered(
    read: Callable[[str], _Found], count: int, *, longest: int = _LONGEST_KEY
) -> Callable[[str], _Found]:
    remembered = lru_cache(count)(read)
    return lambda key: remembered(key) if len(key) <= longest else read(key)


def _has_hangul(text: str) -> bool:
    return not text.isascii() and HANGUL_CHAR.search(text) is not None


def _by_place(term: Term) -> tuple[int, int]:
    return term.start, -term.end
