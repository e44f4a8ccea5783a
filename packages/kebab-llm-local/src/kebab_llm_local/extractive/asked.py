"""The words of a question and how much each of them tells."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kebab_core import LexicalIndex, Term, TermKind

MAX_WORDS = 64
"""Words of a very long question that are looked for: the rarest."""


class AskedWord(NamedTuple):
    """One word of a question.

    Attributes:
        wholes: Terms that stand for all of it; any of them will do.
        parts: Terms of its parts, with their weights.
        weight: Inverse frequency of the word, above 0; greatest where no chunk holds it.
        is_known: Whether some chunk holds all of it.
        is_name: Whether it is written like a name or number: a digit, or a capital before more, and not
            at the beginning of the question.
    """

    wholes: frozenset[str]
    parts: Mapping[str, float]
    weight: float
    is_known: bool = True
    is_name: bool = False

    def strength(self, terms: Collection[str]) -> float:
        """Return how much of the word is among the terms, in [0, 1]: all of it, or the share of its parts."""
        if not self.wholes.isdisjoint(terms):
            return 1.0
        total = sum(self.parts.values())
        return sum(weight for text, weight in self.parts.items() if text in terms) / total if total else 0.0


def weigh_words(text: str, terms: Sequence[Term], index: LexicalIndex) -> list[AskedWord]:
    """Return the words that the terms of a question make up, each once; of very many the rarest.

    Words weigh as in lexical evidence: `ln(1 + (N - n + 0.5) / (n + 0.5))` for one in n of N chunks.
    """
    size = index.corpus_size()
    frequencies = index.document_frequencies({term.text for term in terms})
    weights = {text: _inverse_frequency(count, size) for text, count in frequencies.items()}
    words = [
        _build_word(group, weights)._replace(
            is_known=any(frequencies[term.text] for term in _wholes(group)),
            is_name=_is_name(text, group[0].start),
        )
        for group in _groups(terms)
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


def _build_word(group: list[Term], weights: Mapping[str, float]) -> AskedWord:
    wholes = frozenset(term.text for term in _wholes(group))
    parts = {term.text: weights[term.text] for term in group if term.text not in wholes}
    return AskedWord(wholes, parts, min(weights[text] for text in wholes))


def _wholes(group: list[Term]) -> list[Term]:
    place = (group[0].start, group[0].end)
    whole = [term for term in group if (term.start, term.end) == place and term.kind is not TermKind.PART]
    return whole or group[:1]


def _is_name(text: str, start: int) -> bool:
    is_capitalised = text[start].isupper() and text[start + 1 : start + 2].isalnum()
    return bool(text[:start].strip()) and (is_capitalised or text[start].isdigit())
