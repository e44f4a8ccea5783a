"""The last word of a query that is still being typed, as the words of the index that it may become."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Term, TermKind
from kebab_text import fold, list_keys, shared_beginnings

from kebab_search.query import ParsedQuery
from kebab_search.term_weights import QueryTerms

if TYPE_CHECKING:
    from kebab_core import LexicalIndex

_LAST_WORD = re.compile(r"[^\W_][\w'-]*\Z")
_JAMO = re.compile(r"[ㄱ-ㅣ]+\Z")
_LEAST = 2
"""Latin letters or digits of a word that is looked up; one begins too many."""
_MOST = 24
"""Words of the index that one may become, the most frequent ones."""
_MOST_PLACES = 8_000
"""Passages that hold them, each of which BM25 scores in 1 µs: more is not read for a beginning that may become anything."""


class UnfinishedWord(NamedTuple):
    """The last word of a query.

    Attributes:
        typed: As it is typed; a jamo at its end is not a part of the query's words.
        start: Its place among these.
        end: Likewise; the same as `start` where nothing of it is left.
    """

    typed: str
    start: int
    end: int

    @property
    def says_nothing(self) -> bool:
        """True for one letter, or jamo alone, with which too many words begin."""
        return self.start == self.end or (self.typed.isascii() and len(self.typed) < _LEAST)


def part_unfinished(text: str, parsed: ParsedQuery) -> tuple[ParsedQuery, UnfinishedWord | None]:
    """Part the last word from a query; None if it is whole: before a space or a mark, in phrases alone, or in full-text syntax.

    Args:
        text: The query as typed.
        parsed: The query; jamo of its last word are taken out of its words.
    """
    words = parsed.words
    found = _LAST_WORD.search(words)
    if parsed.raw is not None or found is None or text[-1:].isspace():
        return parsed, None
    kept = _JAMO.sub("", words)
    return replace(parsed, words=kept), UnfinishedWord(found[0], found.start(), max(found.start(), len(kept)))


def find_beginning(word: UnfinishedWord, *, index: LexicalIndex) -> str:
    """Return the longest part of a last word with which words of passages begin, whatever terms these have; empty if it is none.

    Args:
        word: The last word.
        index: Where words are looked up as typed.
    """
    if word.says_nothing and word.start:
        return ""
    typed = fold(word.typed)
    parts = [typed[:-1] + each for each in shared_beginnings(typed[-1:])] or [typed[:-1]]
    return next((part for part in parts if part and index.has_surface_word(part)), "")


def complete_word(word: UnfinishedWord, query: QueryTerms, *, index: LexicalIndex) -> QueryTerms:
    """Add the terms of the index that begin with the keys of the last word, as other forms of it; the word is known then.

    Args:
        word: The last word.
        query: The terms of the query.
        index: Where terms are looked for.
    """
    if word.says_nothing:
        return query
    typed = fold(word.typed)
    keys = list_keys(typed)
    counts = {
        text: count
        for text, count in index.list_terms(shared_beginnings(typed)).items()
        if list_keys(text).startswith(keys)
    }
    if not counts:
        return query
    chosen = _choose(counts)
    is_cut = _JAMO.search(typed) is not None
    own = [
        term.text
        for term in query.terms
        if not is_cut and term.start >= word.start and term.kind is not TermKind.PART
    ]
    before = [term for term in query.terms if term.start < word.start]
    texts = dict.fromkeys([*own, *chosen])
    end = max(word.end, word.start + 1)
    return query._replace(
        terms=[*before, *(Term(text, word.start, end, TermKind.WORD) for text in texts)],
        frequencies={**query.frequencies, **{text: counts[text] for text in chosen}},
        known=((word.start, end),),
    )


def _choose(counts: Mapping[str, int]) -> list[str]:
    """Choose the most frequent words, of those after the first one only what has few passages enough."""
    chosen, places = list[str](), 0
    for text in nsmallest(4 * _MOST, counts, key=lambda text: (-counts[text], len(text), text)):
        if not chosen or (len(chosen) < _MOST and places + counts[text] <= _MOST_PLACES):
            chosen.append(text)
            places += counts[text]
    return chosen
