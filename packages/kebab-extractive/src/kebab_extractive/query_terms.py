"""Query terms: the content words of a question, with weights by rarity and the forms in which sentences hold them."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kebab_core import LexicalIndex, Term, TermKind
from kebab_text import inverse_document_frequency

from kebab_extractive.answer_patterns import (
    AUXILIARY_VERBS,
    HYPHENATED_WORD,
    KOREAN_VERB_ENDING,
    VERB_AFTER_WHO,
    VERB_FORMS,
    WORD,
)

MAX_QUERY_TERMS = 64
"""Most query terms of a question; of a very long one the rarest are kept."""
_TRUSTED_SIZE = 50
"""Number of chunks at which measured frequency and prior weight count the same."""
_PRIOR_WEIGHT = 2.0
_COMPOUND_HEAD_STRENGTH = 0.6
_COMPOUND_SYLLABLES = 4
"""Syllables from which a Korean word is most likely a compound of two."""
_FINAL_CONSONANTS = ("\u11a8", "\u11ff")
_PREFIX_SYLLABLES = 2


MIN_STRENGTH = 0.6
"""Least strength of a query term in a text that counts as holding it."""


class QueryTerm(NamedTuple):
    """One content word of a question.

    Attributes:
        wholes: Analyser terms that each stand for the whole word.
        parts: Analyser terms of its parts, with their weights.
        weight: Inverse document frequency, above 0; greatest if no chunk holds the word.
        is_known: Whether a chunk holds the whole word.
        is_name: Whether it looks like a name or number: it begins with a digit, or with a capital and more, and is not
            the first word of the question.
        is_predicate: Whether it is a verb or the like. Predicates have more wordings than names of things.
        prefix: Beginning that the inflected forms of a Korean predicate share, in NFD; empty for other words.
        compound_head: First two syllables of a long Korean compound that no chunk holds, in NFD; else empty.
    """

    wholes: frozenset[str]
    parts: Mapping[str, float]
    weight: float
    is_known: bool = True
    is_name: bool = False
    is_predicate: bool = False
    prefix: str = ""
    compound_head: str = ""

    @property
    def is_number(self) -> bool:
        """Whether it begins with a digit."""
        return all(whole[:1].isdigit() for whole in self.wholes)

    def strength(self, terms: Collection[str], surface: str = "") -> float:
        """Return the share of the word that a text holds, in [0, 1]: all of it, or some of its parts by weight.

        Args:
            terms: The analyser terms of the text.
            surface: The text in NFD with a blank before it, searched for inflected forms.
        """
        if not self.wholes.isdisjoint(terms) or (self.prefix and f" {self.prefix}" in surface):
            return 1.0
        if self.compound_head and f" {self.compound_head}" in surface:
            return _COMPOUND_HEAD_STRENGTH
        total = sum(self.parts.values())
        return sum(weight for text, weight in self.parts.items() if text in terms) / total if total else 0.0


def weigh_terms(text: str, terms: Sequence[Term], index: LexicalIndex) -> list[QueryTerm]:
    """Return the query terms of a question, heaviest first, each once, at most `MAX_QUERY_TERMS`.

    The weight is that of lexical evidence, `ln(1 + (N - n + 0.5) / (n + 0.5))` for a word in n of N chunks, mixed with a
    prior weight. The fewer chunks there are, the more the prior counts: a word in five of ten chunks is not common.
    """
    size = index.corpus_size()
    trust = size / (size + _TRUSTED_SIZE)
    frequencies = index.document_frequencies({term.text for term in terms})
    weights = {
        term: trust * inverse_document_frequency(count, size) + (1 - trust) * _PRIOR_WEIGHT
        for term, count in frequencies.items()
    }
    groups = list(_groups(terms))
    predicates = find_predicates(text, [(group[0].start, group[0].end) for group in groups])
    words = []
    for group in groups:
        first, wholes = group[0], frozenset(term.text for term in _wholes(group))
        is_predicate = first.start in predicates
        is_known = any(frequencies[whole] for whole in wholes)
        forms = (VERB_FORMS.get(whole.lower(), ()) for whole in wholes) if is_predicate else ()
        words.append(
            QueryTerm(
                wholes=wholes.union(*forms),
                parts={term.text: weights[term.text] for term in group if term.text not in wholes},
                weight=min(weights[whole] for whole in wholes),
                is_known=is_known,
                is_name=_is_name(text, first.start),
                is_predicate=is_predicate,
                prefix=predicates.get(first.start, ""),
                compound_head="" if is_known else _compound_head(min(wholes)),
            )
        )
    different = list({word.wholes: word for word in words}.values())
    return sorted(different, key=lambda word: -word.weight)[:MAX_QUERY_TERMS]


def _groups(terms: Iterable[Term]) -> Iterator[list[Term]]:
    """Yield the analyser terms of each word: those that begin before the first of them ends."""
    group: list[Term] = []
    for term in terms:
        if group and term.start >= group[0].end:
            yield group
            group = []
        group.append(term)
    if group:
        yield group


def _compound_head(word: str) -> str:
    """Return the first two syllables of a Korean compound, in NFD; empty for other words."""
    is_compound = len(word) >= _COMPOUND_SYLLABLES and all("가" <= char <= "힣" for char in word)
    return unicodedata.normalize("NFD", word[:2]) if is_compound else ""


def _wholes(group: list[Term]) -> list[Term]:
    place = (group[0].start, group[0].end)
    whole = [term for term in group if (term.start, term.end) == place and term.kind is not TermKind.PART]
    return whole or group[:1]


def _is_name(text: str, start: int) -> bool:
    is_capitalised = text[start].isupper() and text[start + 1 : start + 2].isalnum()
    return bool(text[:start].strip()) and (is_capitalised or text[start].isdigit())


def find_predicates(question: str, ranges: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Return the likely predicates of a question: offset of each, and the prefix of its inflected forms in NFD.

    In Korean the predicate is the last word if it has such an ending. In English predicates are the word after "who", the
    last word of a question with "does" or the like, and the first word. English prefixes are empty, since the analyser stems
    English words.

    Args:
        question: The question.
        ranges: Ranges of its content words, in order.
    """
    if not ranges:
        return {}
    last = ranges[-1][0]
    if "가" <= question[last] <= "힣":
        word = HYPHENATED_WORD.match(question, last)
        written = word[0] if word else ""
        is_verb = len(written) >= _PREFIX_SYLLABLES and KOREAN_VERB_ENDING.search(written) is not None
        return {last: _verb_prefix(written)} if is_verb else {}
    found = {match.start(1) for match in VERB_AFTER_WHO.finditer(question)}
    found |= {start for start, _ in ranges if not question[:start].strip()}
    is_at_end = not WORD.search(question, ranges[-1][1])
    if is_at_end and not AUXILIARY_VERBS.isdisjoint(WORD.findall(question.lower())):
        found.add(last)
    return dict.fromkeys((start for start, _ in ranges if start in found), "")


def _verb_prefix(word: str) -> str:
    """Return the first two syllables, in NFD, without the final consonant, which changes with the ending.

    Empty for a word of two syllables, whose second one is the ending.
    """
    if len(word) == _PREFIX_SYLLABLES:
        return ""
    return unicodedata.normalize("NFD", word[:_PREFIX_SYLLABLES]).rstrip(
        "".join(map(chr, range(ord(_FINAL_CONSONANTS[0]), ord(_FINAL_CONSONANTS[1]) + 1)))
    )
