"""Words of a query written together or apart otherwise than in the index: 데이터 베이스, knowledgebase.

Two neighbours that the index has as one word are found by it, too, and a rare word by two that stand side by side there,
if that spelling is at least as common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from kebab_core import Analyzer, LexicalIndex, LexicalQuery, Term, TermKind
from kebab_text import fold

from kebab_search.term_weights import split_words

_MAX_WORDS = 24
"""Words of one query that are looked at."""
_MOST_KNOWN = 50
"""Passages with a word from which on it is the usual spelling."""
_WRITTEN = re.compile(r"\w{2,20}")
_PARTABLE = re.compile("[a-z]{6,40}|[가-힣]{4,12}")
_LEAST_LATIN, _LEAST_HANGUL = 3, 2
"""Letters and syllables of either part."""

Pair = tuple[str, str]


class _Together(NamedTuple):
    """Two neighbouring words of a query, and the terms of the word that they make."""

    words: Pair
    terms: Sequence[Term]


class Compounds(NamedTuple):
    """The terms of a query with those of its words written otherwise.

    Attributes:
        terms: In order of their place. Parts of a word belong to it, as those of other compounds.
        frequencies: Number of chunks with each.
        apart: Rare words with a blank where they are written apart, by the word.
        places: Ranges of the query that hold these, and the words that are written together.
    """

    terms: Sequence[Term]
    frequencies: Mapping[str, int]
    apart: dict[str, str]
    places: Sequence[tuple[int, int]]


def add_compounds(
    query: str,
    terms: Sequence[Term],
    frequencies: Mapping[str, int],
    *,
    index: LexicalIndex,
    analyzer: Analyzer,
) -> Compounds:
    """Add to the terms of a query what its words are written together, and apart, where the index has that.

    Args:
        query: The text that was analysed.
        terms: Its terms, in order of their place.
        frequencies: Number of chunks with each.
        index: Where terms are looked for.
        analyzer: The one that the index was made with.
    """
    together = list(_join_neighbours(query, analyzer))
    apart: dict[str, str] = {}
    parts: list[Term] = []
    for word, pair in _find_apart(query, terms, frequencies, index):
        apart["".join(pair)] = " ".join(pair)
        parts += _place(word, pair, analyzer)
    looked_up = {term.text for one in together for term in one.terms}.union(term.text for term in parts)
    if not looked_up:
        return Compounds(terms, frequencies, {}, ())
    counts = index.document_frequencies(looked_up)
    whole = [term for one in together if _is_usual(one, counts, index) for term in one.terms]
    held = {(term.text, term.start) for term in terms}
    added = [term for term in (*parts, *whole) if counts[term.text] and (term.text, term.start) not in held]
    every = sorted([*terms, *added], key=lambda term: (term.start, -term.end))
    places = [(term.start, term.end) for term in added]
    return Compounds(every, {**counts, **frequencies}, apart, places)


def _join_neighbours(query: str, analyzer: Analyzer) -> Iterator[_Together]:
    """Yield the neighbours between which a single blank stands, if they make one word."""
    words = list(_WRITTEN.finditer(query))[:_MAX_WORDS]
    for one, other in pairwise(words):
        if query[one.end() : other.start()] != " ":
            continue
        least, start = len(one[0]) + _LEAST_HANGUL, one.start()
        terms = [
            Term(term.text, start, start + term.end + 1, term.kind)
            for term in analyzer.analyze(one[0] + other[0])
            if term.start == 0 and term.end >= least and term.kind is not TermKind.PART
        ]
        if terms:
            yield _Together((fold(one[0]), fold(query[other.start() : terms[0].end])), terms)


def _is_usual(one: _Together, counts: Mapping[str, int], index: LexicalIndex) -> bool:
    """True if two words stand together in as many chunks as apart, or more; a rarer spelling would outweigh the usual one."""
    count = max(counts[term.text] for term in one.terms)
    return count > 0 and _count_neighbours(one.words, index, limit=count + 1) <= count


def _find_apart(
    query: str, terms: Sequence[Term], frequencies: Mapping[str, int], index: LexicalIndex
) -> Iterator[tuple[Term, Pair]]:
    """Yield the rare words with two words that make them and stand side by side in as many chunks."""
    rare = [word[0] for word in split_words(terms) if frequencies[word[0].text] <= _MOST_KNOWN][:_MAX_WORDS]
    pairs = {word: list(_cut(fold(query[word.start : word.end]))) for word in rare}
    counts = index.document_frequencies({part for each in pairs.values() for pair in each for part in pair})
    for word, each in pairs.items():
        least = max(1, frequencies[word.text])
        for pair in each:
            # The analyser reads the second word of a Korean pair by what follows.
            is_known = counts[pair[0]] and (counts[pair[1]] or not pair[1].isascii())
            if is_known and _count_neighbours(pair, index, limit=least) == least:
                yield word, pair
                break


def _cut(word: str) -> Iterator[Pair]:
    """Yield the ways to cut a word in two."""
    if _PARTABLE.fullmatch(word):
        shortest = _LEAST_LATIN if word.isascii() else _LEAST_HANGUL
        for at in range(shortest, len(word) - shortest + 1):
            yield word[:at], word[at:]


def _count_neighbours(pair: Pair, index: LexicalIndex, *, limit: int) -> int:
    """Count the chunks in which two words stand side by side, up to a limit."""
    is_open = not pair[1].isascii()  # a particle may follow
    phrase = LexicalQuery(open_phrases=(pair,)) if is_open else LexicalQuery(phrases=(pair,))
    return len(index.search(phrase, limit=limit))


def _place(word: Term, pair: Pair, analyzer: Analyzer) -> Iterator[Term]:
    """Yield the terms of two words as parts of the one that they make."""
    for term in analyzer.analyze(" ".join(pair)):
        is_second = term.start > len(pair[0])
        start, end = (word.start + place - is_second for place in (term.start, term.end))
        yield Term(term.text, start, max(start + 1, min(end, word.end)), TermKind.PART)
