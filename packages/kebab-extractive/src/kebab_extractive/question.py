"""`Question`: its query terms, with weights by rarity and the forms in which sentences hold them, its numbers, and the types of thing that it asks for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import TermKind
from kebab_text import find_dates, fold, inverse_document_frequency, split_words, whole_texts

from kebab_extractive.answer_types import NUMERALS, asked_types
from kebab_extractive.spoofed_markers import blank_spoofed_markers

if TYPE_CHECKING:
    from kebab_core import Analyzer, LexicalIndex, Term

    from kebab_extractive.answer_types import AnswerType

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?:[가-힣](?<![은는이가을를의에로와과도만]))?")
"""A number, with its unit where no blank stands between."""
_COUNTED = re.compile(r"몇\s*(개월|시간|가지|마리|[가-힣])|\bhow many ([a-z]+)", re.IGNORECASE)
"""A question for a number of a unit."""
_STOPWORDS = frozenset(
    """
    a an the of in on at to for from by with and or but not is are was were be been am do does did has have had it its this
    that these those there here what which who whom whose when where why how i you he she we they me my your can could will
    would shall should may might must about as if so than then up out off much many only just one any some 되 하 있 없 어떤 모든 그것
    이것 저것 그 이 저 것 무엇 뭐 누구 어디 언제 왜
    """.split()  # noqa: SIM905  # a text is read more easily
)
"""Articles, pronouns, prepositions, auxiliary and question words, also those that the analyser keeps."""
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
    groups = list(split_words(terms))
    predicate = _find_predicate(text, groups[-1][0].start) if groups else None
    words = []
    for group in groups:
        first, wholes = group[0], whole_texts(group)
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


def _compound_head(word: str) -> str:
    """Return the first two syllables of a Korean compound, in NFD; empty for other words."""
    is_compound = len(word) >= _COMPOUND_SYLLABLES and all("가" <= char <= "힣" for char in word)
    return unicodedata.normalize("NFD", word[:2]) if is_compound else ""


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


@dataclass(frozen=True)
class Question:
    """A question, analysed.

    Attributes:
        text: The question without spoofed markers.
        query_terms: Its content words with their weights, heaviest first.
        terms: All terms of the analyser.
        asked: Types of thing that it may ask for.
        numbers: Its numbers, folded, without dates.
        chunks: Number of passages in the index.
    """

    text: str
    query_terms: Sequence[QueryTerm]
    terms: frozenset[str]
    asked: frozenset[AnswerType]
    numbers: tuple[str, ...]
    chunks: int

    @cached_property
    def names(self) -> tuple[QueryTerm, ...]:
        """Query terms that look like names."""
        return tuple(word for word in self.query_terms if word.is_name and not word.is_number)

    @cached_property
    def unit(self) -> re.Pattern[str] | None:
        """Pattern of a number with the unit of which a number is asked for ("how many days", "몇 명"); None without one."""
        asked = _COUNTED.search(self.text)
        if asked is None:
            return None
        unit = re.escape((asked[1] or asked[2]).lower().removesuffix("s"))
        return re.compile(rf"(?:\d[\d.,]{{0,20}}|{NUMERALS})[\s-]?{unit}", re.IGNORECASE)

    def coverage(self, *sources: frozenset[str], surface: str = "") -> float:
        """Return the share of the query terms, by weight, that one of some sets of terms or a surface text holds."""
        total = sum(word.weight for word in self.query_terms)
        held = sum(
            word.weight * max(word.strength(terms, surface) for terms in sources) for word in self.query_terms
        )
        return held / total if total else 0.0

    def missing(self, *sources: frozenset[str], surface: str = "") -> float:
        """Return the weight of the heaviest query term that no set of terms and no surface text holds, as share of all; 0 if all are held."""
        total = sum(word.weight for word in self.query_terms)
        lacking = (
            word.weight
            for word in self.query_terms
            if all(word.strength(terms, surface) < MIN_STRENGTH for terms in sources)
        )
        return max(lacking, default=0.0) / total if total else 0.0


def read_question(text: str, *, analyzer: Analyzer, index: LexicalIndex) -> Question:
    """Return a question, analysed. Spoofed markers in it are ignored.

    Args:
        text: The question.
        analyzer: The analyser of the index.
        index: Gives the document frequencies of terms.
    """
    text = blank_spoofed_markers(text)
    folded = fold(text)
    for date in reversed(list(find_dates(folded))):
        folded = f"{folded[: date.start]} {folded[date.end :]}"
    return Question(
        text=text,
        query_terms=weigh_terms(text, _content_terms(text, analyzer), index),
        terms=frozenset(term.text for term in analyzer.analyze(text)),
        asked=asked_types(text),
        numbers=tuple(_NUMBER.findall(folded)),
        chunks=index.corpus_size(),
    )


def _content_terms(text: str, analyzer: Analyzer) -> list[Term]:
    """Return the terms of a question without stopwords."""
    terms = analyzer.analyze_query(text)
    starts = {term.start for term in terms if term.text in _STOPWORDS and term.kind is not TermKind.PART}
    return [term for term in terms if term.start not in starts]
