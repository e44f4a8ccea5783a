"""Words of a text with their terms, each word analysed once however often texts repeat it.

The tagger reads whole lines, since neighbours decide how a word is read; its rows for a word are all that the word's
terms depend on. So words are cached by their rows: a text of a million words has tens of thousands of different ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Term
from kebab_text import has_hangul

from kebab_analysis.latin_words import WordReader
from kebab_analysis.memo import Memo

if TYPE_CHECKING:
    from kebab_analysis.korean_words import KoreanReader

_WRITTEN = re.compile(r"\S+")
_HANGUL_WORD = re.compile(r"[\"'“‘(]*[\uac00-\ud7a3]+[.,?!:;\"'”’)]*")
"""A word of nothing but syllables and the commonest marks around it."""
_TEXTS_KEPT = 1 << 15
_WORDS_KEPT = 1 << 13


class AnalyzedWord(NamedTuple):
    """A word's length in code points and its terms, offsets relative to its start."""

    length: int
    terms: tuple[Term, ...]


class WordPlaces(NamedTuple):
    """The words of a text.

    Attributes:
        words: Offset and key of each, in order.
        total: Number of terms of all words.
    """

    words: Sequence[tuple[int, str]]
    total: int


class _WordTexts(NamedTuple):
    """A word's length in code points and the texts of its terms."""

    length: int
    texts: tuple[str, ...]


class Tokenizer:
    """Cuts texts into words and analyses them, with a memo by key.

    The key of a word is its letters, or the tagger's rows for it if its line holds Hangul.
    """

    def __init__(self) -> None:
        self._words = WordReader()
        self._analyzed_words = Memo(self._analyzed, _WORDS_KEPT)
        self._joined_terms = Memo(self._joined, _TEXTS_KEPT)
        self._word_texts = Memo(self._texts_of, 2 * _WORDS_KEPT)

    @cached_property
    def _korean(self) -> KoreanReader:
        from kebab_analysis.korean_words import KoreanReader

        return KoreanReader()

    def texts(self, text: str) -> str:
        """Join the texts of all terms of `placed_words` by single spaces."""
        joined = self._joined_terms
        return " ".join([terms for key in self._keys(text) if (terms := joined[key])])

    def placed_words(self, text: str) -> Iterator[tuple[int, AnalyzedWord]]:
        """Yield the words of a text in order, each with its offset.

        Raises:
            DependencyMissingError: The morphological dictionary or the stemmer is not installed.
        """
        for at, key in self._placed_keys(text):
            yield at, self._analyzed_words[key]

    def place_words(self, text: str) -> WordPlaces:
        """Place the words of `placed_words` without analysing them with places, which takes several times as long.

        Raises:
            DependencyMissingError: The morphological dictionary or the stemmer is not installed.
        """
        words, known = list(self._placed_keys(text)), self._word_texts
        return WordPlaces(words, sum(len(known[key].texts) for _, key in words))

    def find_words(
        self, words: WordPlaces, wanted: Set[str], beginnings: tuple[str, ...]
    ) -> list[tuple[int, AnalyzedWord]]:
        """Return the words with a term that is wanted or has one of the beginnings, in order, each with its offset."""
        known = self._word_texts
        found = {
            key
            for key in {key for _, key in words.words}
            if not wanted.isdisjoint(texts := known[key].texts)
            or (beginnings and any(text.startswith(beginnings) for text in texts))
        }
        return [(at, self._analyzed_words[key]) for at, key in words.words if key in found]

    def is_entry(self, word: str) -> bool:
        """True if the dictionary reads a word in Hangul as one of its entries, with particles or endings.

        Raises:
            DependencyMissingError: The morphological dictionary is not installed.
        """
        from kebab_analysis.korean_words import UNKNOWN

        morphemes = self._korean.read(self._korean.tagger.words(word)[0]).morphemes
        return morphemes[0].tag != UNKNOWN and [one for one in morphemes if one.terms] == morphemes[:1]

    def _keys(self, text: str) -> list[str]:
        if not has_hangul(text):
            return text.split()
        from kebab_analysis.tagger import cut_lines

        keys: list[str] = []
        for _, line in cut_lines(text):
            if has_hangul(line):
                keys += [rows.lstrip(" ") for rows in self._korean.lines[line]]
            else:
                keys += line.split()
        return keys

    def _placed_keys(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the keys of all words in order, each with the offset of the word."""
        if not has_hangul(text):
            for match in _WRITTEN.finditer(text):
                yield match.start(), match[0]
            return
        from kebab_analysis.tagger import cut_lines

        for offset, line in cut_lines(text):
            if not has_hangul(line):
                for match in _WRITTEN.finditer(line):
                    yield offset + match.start(), match[0]
                continue
            at = offset
            for rows in self._korean.lines[line]:
                key = rows.lstrip(" ")
                at += len(rows) - len(key)
                yield at, key
                at += self._word_texts[key].length + len(" ")

    def _texts_of(self, key: str) -> _WordTexts:
        length = len(self._korean.read(key).text if "\t" in key else key)
        return _WordTexts(length, tuple(self._joined(key).split()))

    def _joined(self, key: str) -> str:
        text, morphemes = self._korean.read(key) if "\t" in key else (key, [])
        if text.isascii():
            return self._words.texts(text)
        if morphemes and _HANGUL_WORD.fullmatch(
            text
        ):  # most words; a third of the time that terms with places take
            from kebab_analysis.korean_words import korean_texts

            return " ".join(korean_texts(morphemes))
        return " ".join([term.text for term in self._analyzed(key).terms])

    def _analyzed(self, key: str) -> AnalyzedWord:
        word = self._korean.read(key) if "\t" in key else None
        text = key if word is None else word.text
        terms = self._words.terms(text)
        if not text.isascii():
            from kebab_analysis.ideographs import ideograph_terms, pictograph_terms, reading_terms

            terms += [] if word is None else word.terms()
            terms += ideograph_terms(text)
            terms += pictograph_terms(text)
            if word is not None:
                terms += reading_terms(text, self._korean.tagger)
            terms.sort(key=lambda term: (term.start, -term.end))
        return AnalyzedWord(len(text), tuple(terms))
