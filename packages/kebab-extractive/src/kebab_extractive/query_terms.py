"""Query terms: the content words of a question, with weights by rarity and the forms in which sentences hold them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import TermKind
from kebab_text import inverse_document_frequency

if TYPE_CHECKING:
    from kebab_core import LexicalIndex, Term

_HYPHENATED_WORD = re.compile(r"[\w-]+")
_KOREAN_VERB_ENDING = re.compile(r"[가-힣](?:[요까니죠지다어아해야]|은가|는가|인가|려면)$")
"""A Korean word with the ending of a predicate in a question."""
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
        is_predicate: Whether it is the Korean predicate at the end of the question. It has more wordings than names of things.
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
    predicate = _find_predicate(text, groups[-1][0].start) if groups else None
    words = []
    for group in groups:
        first, wholes = group[0], frozenset(term.text for term in _wholes(group))
        is_last = group is groups[-1]
        is_known = any(frequencies[whole] for whole in wholes)
        words.append(
            QueryTerm(
                wholes=wholes,
                parts={term.text: weights[term.text] for term in group if term.text not in wholes},
                weight=min(weights[whole] for whole in wholes),
                is_known=is_known,
                is_name=_is_name(text, first.start),
                is_predicate=is_last and predicate is not None,
                prefix=(predicate or "") if is_last else "",
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


def _find_predicate(question: str, start: int) -> str | None:
    """Return the prefix of the inflected forms, in NFD, if the last content word is a Korean predicate, else None.

    English words have none, since the analyser stems them.
    """
    word = _HYPHENATED_WORD.match(question, start)
    written = word[0] if word and "가" <= question[start] <= "힣" else ""
    is_verb = len(written) >= _PREFIX_SYLLABLES and _KOREAN_VERB_ENDING.search(written) is not None
    return _verb_prefix(written) if is_verb else None


def _verb_prefix(word: str) -> str:
    """Return the first two syllables, in NFD, without the final consonant, which changes with the ending.

    Empty for a word of two syllables, whose second one is the ending.
    """
    if len(word) == _PREFIX_SYLLABLES:
        return ""
    return unicodedata.normalize("NFD", word[:_PREFIX_SYLLABLES]).rstrip(
        "".join(map(chr, range(ord(_FINAL_CONSONANTS[0]), ord(_FINAL_CONSONANTS[1]) + 1)))
    )
