"""The words of a question and how much each of them tells."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kebab_core import LexicalIndex, Term, TermKind

from kebab_extractive.answer_patterns import (
    AUXILIARY_VERB,
    ENDS_IN_ARTICLE,
    HYPHENATED_WORD,
    KOREAN_VERB_ENDING,
    LIGHT_VERB,
    PARTICIPLE,
    VERB_AFTER_WHO,
    VERB_FORMS,
)

MAX_WORDS = 64
"""Words of a very long question that are looked for: the rarest."""


_TRUSTED_SIZE = 50
"""Chunks at which frequencies count as much as what is taken for granted of any word."""
_PRIOR_WEIGHT = 2.0
_HALF = 0.6
_COMPOUND = 4
"""Syllables from which on a Korean word is most likely made of two."""


class QueryTerm(NamedTuple):
    """One word of a question.

    Attributes:
        wholes: Terms that stand for all of it; any of them will do.
        parts: Terms of its parts, with their weights.
        weight: Inverse frequency of the word, above 0; greatest where no chunk holds it.
        is_known: Whether some chunk holds all of it.
        is_name: Whether it is written like a name or number: a digit, or a capital before more, and not
            at the beginning of the question.
        is_predicate: Whether it says what happens rather than what to, which has more ways to be said.
        prefix: How a Korean word begins where it stands, in NFD: all that its inflected forms share; empty for other
            words.
        compound_head: How a long compound begins that no chunk holds, in NFD.
    """

    wholes: frozenset[str]
    parts: Mapping[str, float]
    weight: float
    is_known: bool = True
    is_name: bool = False
    is_predicate: bool = False
    prefix: str = ""
    compound_head: str = ""

    def strength(self, terms: Collection[str], written: str = "") -> float:
        """Return how much of the word is among the terms, in [0, 1]: all of it, or the share of its parts.

        Args:
            terms: Those of a text.
            written: The text in NFD with a blank before it, where an inflected form may begin a word.
        """
        if not self.wholes.isdisjoint(terms) or (self.prefix and f" {self.prefix}" in written):
            return 1.0
        if self.compound_head and f" {self.compound_head}" in written:
            return _HALF
        total = sum(self.parts.values())
        return sum(weight for text, weight in self.parts.items() if text in terms) / total if total else 0.0


def weigh_terms(text: str, terms: Sequence[Term], index: LexicalIndex) -> list[QueryTerm]:
    """Return the words that the terms of a question make up, each once; of very many the rarest.

    Words weigh as in lexical evidence, `ln(1 + (N - n + 0.5) / (n + 0.5))` for one in n of N chunks, drawn towards one
    weight for all the more, the fewer chunks there are: among ten of them the subject of half is no common word.
    """
    size = index.corpus_size()
    trust = size / (size + _TRUSTED_SIZE)
    frequencies = index.document_frequencies({term.text for term in terms})
    weights = {
        term: trust * _inverse_frequency(count, size) + (1 - trust) * _PRIOR_WEIGHT
        for term, count in frequencies.items()
    }
    loose = find_predicates(text, [(group[0].start, group[0].end) for group in _groups(terms)])
    words = [
        _build_word(group, weights)._replace(
            is_known=any(frequencies[term.text] for term in _wholes(group)),
            is_name=_is_name(text, group[0].start),
            is_predicate=group[0].start in loose,
            prefix=loose.get(group[0].start, "") or _as_written(text, group[0]),
        )
        for group in _groups(terms)
    ]
    words = [word._replace(compound_head=_first_half(word)) for word in words]
    words = [
        word._replace(wholes=word.wholes | _forms(word)) if word.is_predicate else word for word in words
    ]
    different = list({word.wholes: word for word in words}.values())
    return sorted(different, key=lambda word: -word.weight)[:MAX_WORDS]


def _inverse_frequency(frequency: int, corpus_size: int) -> float:
    return math.log1p((max(corpus_size, frequency) - frequency + 0.5) / (frequency + 0.5))


def _groups(terms: Iterable[Term]) -> Iterator[list[Term]]:
    """Yield the terms of each word: those that start before the first of them ends."""
    group: list[Term] = []
    for term in terms:
        if group and term.start >= group[0].end:
            yield group
            group = []
        group.append(term)
    if group:
        yield group


def _build_word(group: list[Term], weights: Mapping[str, float]) -> QueryTerm:
    wholes = frozenset(term.text for term in _wholes(group))
    parts = {term.text: weights[term.text] for term in group if term.text not in wholes}
    return QueryTerm(wholes, parts, min(weights[text] for text in wholes))


def _as_written(text: str, term: Term) -> str:
    """Return how a Korean word of a question begins a word, however it is read there; one syllable must be all of it."""
    written = text[term.start : term.end]
    if not all("가" <= char <= "힣" for char in written):
        return ""
    end = "" if len(written) > 1 else " "
    is_alone = bool(not end or text[term.end : term.end + 1].isspace())
    return unicodedata.normalize("NFD", written) + end if is_alone else ""


def _first_half(word: QueryTerm) -> str:
    """Return the first two syllables of a compound that no chunk holds, nothing for other words."""
    whole = min(word.wholes)
    is_compound = len(whole) >= _COMPOUND and all("가" <= char <= "힣" for char in whole)
    return unicodedata.normalize("NFD", whole[:2]) if is_compound and not word.is_known else ""


def _forms(word: QueryTerm) -> frozenset[str]:
    return frozenset[str]().union(*(VERB_FORMS.get(whole.lower(), frozenset()) for whole in word.wholes))


def _wholes(group: list[Term]) -> list[Term]:
    place = (group[0].start, group[0].end)
    whole = [term for term in group if (term.start, term.end) == place and term.kind is not TermKind.PART]
    return whole or group[:1]


def _is_name(text: str, start: int) -> bool:
    is_capitalised = text[start].isupper() and text[start + 1 : start + 2].isalnum()
    return bool(text[:start].strip()) and (is_capitalised or text[start].isdigit())


_FINAL_CONSONANTS = ("\u11a8", "\u11ff")
_LEAST = 2


def find_predicates(question: str, places: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Return the words that are most likely predicates: where each begins, and how its inflected forms begin (NFD).

    In Korean that is the last word if it has the ending of one; in English the word after "who", the last one after
    "does" or the like, and participles. The beginning is empty in English, whose stems the analyser knows.

    Args:
        question: As asked.
        places: Where its telling words stand, in order.
    """
    if not places:
        return {}
    last = places[-1][0]
    if "가" <= question[last] <= "힣":
        word = HYPHENATED_WORD.match(question, last)
        written = word[0] if word else ""
        is_verb = len(written) >= _LEAST and KOREAN_VERB_ENDING.search(written) is not None
        return {last: _beginning(written)} if is_verb else {}
    found = {
        start
        for start, end in places
        if PARTICIPLE.fullmatch(question[start:end]) and not ENDS_IN_ARTICLE.search(question[:start])
    }
    found |= {match.start(1) for match in VERB_AFTER_WHO.finditer(question)}
    found |= {start for start, _ in places if not question[:start].strip()}
    if AUXILIARY_VERB.search(question) and not LIGHT_VERB.search(question[last:]):
        found.add(last)
    return dict.fromkeys((start for start, _ in places if start in found), "")


def _beginning(word: str) -> str:
    """Return the first two syllables without what closes the second, which changes with the ending.

    Of a word of two syllables the second is the ending; then there is nothing to go by.
    """
    if len(word) == _LEAST:
        return ""
    return unicodedata.normalize("NFD", word[:_LEAST]).rstrip(
        "".join(map(chr, range(ord(_FINAL_CONSONANTS[0]), ord(_FINAL_CONSONANTS[1]) + 1)))
    )
