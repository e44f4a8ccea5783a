"""Words of a query that the index does not know, as the words of the index that they may stand for.

A misspelt word stands for those nearest to it by letters: `쿠버네티즈` for 쿠버네티스, `itertor` for iterator. A foreign name in
Hangul stands for those in Latin letters that sound like it: 옵시디언 for obsidian. A word that the index knows is never
replaced by its spelling, nor is one that is likely in its language: `ejection` is no misspelling of election. Called by `LexicalSearch`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kebab_core import Analyzer, DocumentSet, LexicalIndex, LexicalQuery, Term, TermKind, UnknownWord
from kebab_text import latin_initials, near_beginnings, near_spellings, sound_likenesses

from kebab_search.query import ParsedQuery
from kebab_search.surface_lookup import SurfaceWord, find_surface_words
from kebab_search.term_weights import split_words

_LEAST_LIKENESS = 0.85
_MAX_NEAREST = 3
"""Terms that a word may stand for by its spelling, and as many by its sound."""
_RARER = 4
"""Times that a term may be rarer than another one that is as near: misspelt words are in documents, too."""
_MAX_WORDS = 8
"""Words of one query that are looked for by their spelling."""
_LIKELY = -19.5
"""Logarithm of the probability, for each edit, from which on a word is right as it is. 94 % of English words with a wrong letter are
below it, and of right ones that an index lacks and that are one edit from a word of it 38 %; docs/quality.md has the figures (2026-11)."""
_LATIN = re.compile("[a-z]+")


class ReplacedTerms(NamedTuple):
    """The terms of a query after its unknown words were replaced.

    Attributes:
        terms: In order of their place.
        frequencies: Number of chunks with each.
        words: The words that no document has, with what they stand for.
        text: The query with the first of these in their places.
        guessed: The terms that stand for another spelling.
    """

    terms: Sequence[Term]
    frequencies: Mapping[str, int]
    words: tuple[UnknownWord, ...]
    text: str
    guessed: frozenset[str]


class _Unknown(NamedTuple):
    """A word with its place in the query."""

    start: int
    end: int
    name: str
    """The word in small letters, without what the analyser takes for a particle."""
    written: str
    """The word with it."""
    is_absent: bool
    """Whether no document has it; else only the documents that are searched have not."""


def replace_unknown_words(
    parsed: ParsedQuery,
    terms: Sequence[Term],
    frequencies: Mapping[str, int],
    *,
    known: Sequence[tuple[int, int]] = (),
    index: LexicalIndex,
    analyzer: Analyzer,
    documents: DocumentSet | None,
) -> ReplacedTerms:
    """Replace the terms of each unknown word by those of the index that are nearest to it.

    Args:
        parsed: The query; words of exact phrases keep their spelling.
        terms: Its terms, in order of their place.
        frequencies: Number of chunks with each.
        known: Ranges of the query that the index has in another spelling.
        index: Where terms are looked for.
        analyzer: The one that the index was made with.
        documents: Those whose passages count for foreign names; None is all.
    """
    query, kept, counts = parsed.words, list(terms), dict(frequencies)
    text, words, guessed = query, list[UnknownWord](), set[str]()
    for word in sorted(_UnknownWords(counts, index, documents).find(query, terms), reverse=True):
        found = {}
        if any(start <= word.start < end for start, end in known):
            continue
        if word.is_absent and not _is_quoted(query[word.start : word.end], parsed.phrases):
            found = _find_nearest(word, index, analyzer)
            guessed.update(found.values())
        found |= _terms_like(query[word.start : word.end], index)
        if found:
            kept = [term for term in kept if not word.start <= term.start < word.end]
            kept += [Term(stem, word.start, word.end, TermKind.WORD) for stem in found.values()]
            counts |= index.document_frequencies(found.values())
            first = next(iter(found))
            text = f"{text[: word.start]}{first}{text[word.end :]}"
            if word.is_absent:
                words.append(UnknownWord(text=query[word.start : word.end], nearest=tuple(found)))
    kept.sort(key=lambda term: term.start)
    return ReplacedTerms(kept, counts, tuple(reversed(words)), text, frozenset(guessed))


@dataclass(frozen=True)
class _UnknownWords:
    """The words of one query that the index, or the documents that are searched, do not have."""

    counts: Mapping[str, int]
    index: LexicalIndex
    documents: DocumentSet | None

    def find(self, query: str, terms: Sequence[Term]) -> Iterator[_Unknown]:
        for start, word in find_surface_words(query, terms)[:_MAX_WORDS]:
            is_absent = not self._is_known(word)
            if is_absent or not self._is_held(word):
                # The analyser takes particles off, even of a word that it reads wrongly.
                name = word.text[: max(term.end for term in word.terms)]
                yield _Unknown(start, start + len(name), name, word.text, is_absent)
        unknown = [
            each for each in split_words(terms) if not any(self.counts.get(term.text) for term in each)
        ]
        for first, *_ in unknown[:_MAX_WORDS]:
            if first.kind is not TermKind.PART and _LATIN.fullmatch(first.text):
                yield _Unknown(first.start, first.end, first.text, first.text, is_absent=True)

    def _is_known(self, word: SurfaceWord) -> bool:
        """True if a document has the word, or the words that it is made of."""
        parts = [term for term in word.terms if term.kind is not TermKind.PART]
        # What the analyser takes a misspelt word for is no word of it: `프로`, `그렇` and `밈` for `프로그래밈`.
        is_read = all(
            len(term.text) > 1 and word.text[term.start : term.end] == term.text for term in parts[:-1]
        )
        if parts and is_read and all(self.counts.get(term.text) for term in parts):
            return True
        return any(self.index.find_surface_words(form, limit=1).total for form in word.forms())

    def _is_held(self, word: SurfaceWord) -> bool:
        """True if a document that is searched has the word, however the analyser reads it."""
        # A part says less than the word: 소켓 of 웹소켓 is another thing, and websocket is the same.
        terms = tuple(
            term.text for term in word.terms if term.kind is not TermKind.PART and self.counts.get(term.text)
        )
        if terms and (
            self.documents is None
            or self.index.search(LexicalQuery(terms=terms), limit=1, documents=self.documents)
        ):
            return True
        return any(
            self.index.find_surface_words(form, limit=1, documents=self.documents).chunk_ids
            for form in word.forms()
        )


def _is_quoted(word: str, phrases: Sequence[str]) -> bool:
    return any(word in phrase for phrase in phrases)


def _find_nearest(word: _Unknown, index: LexicalIndex, analyzer: Analyzer) -> dict[str, str]:
    """Find the terms of which a word may be a misspelling, the nearest, most frequent first, with the stem of each."""
    right, wrong = near_beginnings(word.name)
    counts = dict(index.list_terms(right))
    near = near_spellings(word.name, counts)
    if min(near.values(), default=2) > 1:  # nothing is nearer than one edit
        others = index.list_terms(wrong)
        counts |= others
        near |= near_spellings(word.name, others)
    least = min(near.values(), default=0)
    if not near or analyzer.log_likelihood(word.written) >= _LIKELY * least:
        return {}
    nearest = [text for text, edits in near.items() if edits == least and _is_typed(text, index)]
    return _most_frequent(nearest, counts, analyzer)


def _is_typed(text: str, index: LexicalIndex) -> bool:
    """True if a passage has a term as a word, not only as the stem of one; Korean words have endings in passages."""
    return not text.isascii() or bool(index.search(LexicalQuery(phrases=((text,),)), limit=1))


def _most_frequent(nearest: Sequence[str], counts: Mapping[str, int], analyzer: Analyzer) -> dict[str, str]:
    """Choose the most frequent of equally near terms, with the stem of each, without those that are stems of others."""
    if not nearest:
        return {}
    most = max(counts[text] for text in nearest)
    often = sorted(
        (text for text in nearest if counts[text] * _RARER >= most), key=lambda text: (-counts[text], text)
    )
    stems = {text: _stem_of(text, analyzer) for text in often[: 2 * _MAX_NEAREST]}
    whole = {
        text: stem
        for text, stem in stems.items()
        if not any(text == other for word, other in stems.items() if word != text)
    }
    return dict(list(whole.items())[:_MAX_NEAREST])


def _stem_of(text: str, analyzer: Analyzer) -> str:
    terms = analyzer.analyze(text)
    stems = (
        term.text for term in terms if term.kind is TermKind.STEM and (term.start, term.end) == (0, len(text))
    )
    return next(stems, text)


def _terms_like(name: str, index: LexicalIndex) -> dict[str, str]:
    """Find the Latin terms that sound most like a word, at most three; none if no term is like it."""
    initials = latin_initials(name)
    counts = index.list_terms(initials) if initials else {}
    likenesses = sound_likenesses(name, counts)
    best = max(likenesses.values(), default=0.0)
    if best < _LEAST_LIKENESS:
        return {}
    closest = sorted(
        (text for text, likeness in likenesses.items() if likeness == best),
        key=lambda text: (-counts[text], text),
    )
    return {text: text for text in closest[:_MAX_NEAREST]}
