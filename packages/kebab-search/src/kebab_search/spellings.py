"""Words of a query that the index has in another spelling: 데이터 베이스, knowledgebase, 쿠버네티즈, 옵시디언.

Two neighbours that the index has as one word are found by it, too, and a rare word by two that stand side by side there,
if that spelling is at least as common.

A Korean given name stands for the full names that end with it: 민지 for 서민지. A misspelt word stands for those nearest to it
by letters: `쿠버네티즈` for 쿠버네티스, `itertor` for iterator. A foreign name in Hangul stands for those in Latin letters that
sound like it: 옵시디언 for obsidian. A word that the index knows is never
replaced by its spelling, nor is one that is likely in its language: `ejection` is no misspelling of election. Called by
`LexicalSearch`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import LexicalQuery, Term, TermKind, UnknownWord
from kebab_text import fold, split_words

from kebab_search.surface_lookup import SurfaceWord, find_surface_words
from kebab_search.term_weights import QueryTerms

if TYPE_CHECKING:
    from kebab_core import Analyzer, LexicalIndex, Selection

_MAX_JOINED = 24
"""Words of one query that are looked at."""
_MOST_KNOWN = 50
"""Passages with a word from which on it is the usual spelling."""
_WRITTEN = re.compile(r"\w{2,20}")
_PARTABLE = re.compile("[a-z]{6,40}|[가-힣]{4,12}")
_LEAST_LATIN, _LEAST_HANGUL = 3, 2
"""Letters and syllables of either part."""
_WORDS_KEPT = 64
"""Words, and pairs of them, that are not looked up again: while a word is typed, those before it come with each letter."""

Pair = tuple[str, str]


class Spellings:
    """Looks words of queries up in an index by other spellings, each once in a revision of the corpus. Thread-safe where its parts are.

    Args:
        index: Where terms are looked for.
        analyzer: The one that the index was made with.
    """

    def __init__(self, index: LexicalIndex, analyzer: Analyzer) -> None:
        self.index = index
        self.analyzer = analyzer
        self.count_neighbours = lru_cache(_WORDS_KEPT)(self._count_neighbours)
        self.find_spelt = lru_cache(_WORDS_KEPT)(self._find_spelt)
        self.find_sounding = lru_cache(_WORDS_KEPT)(self._find_sounding)

    def _count_neighbours(self, pair: Pair, limit: int, _revision: int) -> int:
        """Count the chunks in which two words stand side by side, up to a limit."""
        is_open = not pair[1].isascii()  # a particle may follow
        phrase = LexicalQuery(open_phrases=(pair,)) if is_open else LexicalQuery(phrases=(pair,))
        return self.index.count_matches(phrase, limit=limit)

    def _find_spelt(self, name: str, written: str, _revision: int) -> Mapping[str, str]:
        """Find the terms of which a word may be a misspelling, the nearest, most frequent first, with the stem of each."""
        from kebab_text import near_beginnings, near_spellings

        index, analyzer = self.index, self.analyzer
        right, wrong = near_beginnings(name)
        counts = dict(index.list_terms(right))
        near = near_spellings(name, counts)
        if min(near.values(), default=2) > 1:  # nothing is nearer than one edit
            others = index.list_terms(wrong)
            counts |= others
            near |= near_spellings(name, others)
        least = min(near.values(), default=0)
        if not near or analyzer.log_likelihood(written) >= _LIKELY * least:
            return {}
        nearest = [text for text, edits in near.items() if edits == least and _is_typed(text, index)]
        return _most_frequent(nearest, counts, analyzer)

    def _find_sounding(self, name: str, _revision: int) -> Mapping[str, str]:
        """Find the Latin terms that sound most like a word, at most three; none if no term is like it."""
        from kebab_text import latin_initials, sound_likenesses

        initials = latin_initials(name)
        counts = self.index.list_terms(initials) if initials else {}
        likenesses = sound_likenesses(name, counts)
        best = max(likenesses.values(), default=0.0)
        if best < _LEAST_LIKENESS:
            return {}
        closest = sorted(
            (text for text, likeness in likenesses.items() if likeness == best),
            key=lambda text: (-counts[text], text),
        )
        return {text: text for text in closest[:_MAX_NEAREST]}


class _Together(NamedTuple):
    """Two neighbouring words of a query, and the terms of the word that they make."""

    words: Pair
    terms: Sequence[Term]


def add_compounds(query: QueryTerms, *, spellings: Spellings, revision: int) -> QueryTerms:
    """Add to the terms of a query what its words are written together, and apart, where the index has that.

    Args:
        query: Its terms.
        spellings: Looks them up.
        revision: Of the corpus.
    """
    index, analyzer = spellings.index, spellings.analyzer
    together = list(_join_neighbours(query.text, analyzer))
    apart: dict[str, str] = {}
    parts: list[Term] = []
    for word, pair in _find_apart(query, spellings, revision):
        apart["".join(pair)] = " ".join(pair)
        parts += _place(word, pair, analyzer)
    looked_up = {term.text for one in together for term in one.terms}.union(term.text for term in parts)
    if not looked_up:
        return query
    counts = index.document_frequencies(looked_up)
    whole = [term for one in together if _is_usual(one, counts, spellings, revision) for term in one.terms]
    held = {(term.text, term.start) for term in query.terms}
    added = [term for term in (*parts, *whole) if counts[term.text] and (term.text, term.start) not in held]
    return query._replace(
        terms=sorted([*query.terms, *added], key=lambda term: (term.start, -term.end)),
        frequencies={**counts, **query.frequencies},
        known=[*query.known, *((term.start, term.end) for term in added)],
        apart=apart,
    )


def _join_neighbours(query: str, analyzer: Analyzer) -> Iterator[_Together]:
    """Yield the neighbours between which a single blank stands, if they make one word."""
    words = list(_WRITTEN.finditer(query))[:_MAX_JOINED]
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


def _is_usual(one: _Together, counts: Mapping[str, int], spellings: Spellings, revision: int) -> bool:
    """True if two words stand together in as many chunks as apart, or more; a rarer spelling would outweigh the usual one."""
    count = max(counts[term.text] for term in one.terms)
    return count > 0 and spellings.count_neighbours(one.words, count + 1, revision) <= count


def _find_apart(query: QueryTerms, spellings: Spellings, revision: int) -> Iterator[tuple[Term, Pair]]:
    """Yield the rare words with two words that make them and stand side by side in as many chunks."""
    words = (word[0] for word in split_words(query.terms))
    rare = [word for word in words if query.frequencies[word.text] <= _MOST_KNOWN][:_MAX_JOINED]
    pairs = {word: list(_cut(fold(query.text[word.start : word.end]))) for word in rare}
    counts = spellings.index.document_frequencies({
        part for each in pairs.values() for pair in each for part in pair
    })
    for word, each in pairs.items():
        least = max(1, query.frequencies[word.text])
        for pair in each:
            # The analyser reads the second word of a Korean pair by what follows.
            is_known = counts[pair[0]] and (counts[pair[1]] or not pair[1].isascii())
            if is_known and spellings.count_neighbours(pair, least, revision) == least:
                yield word, pair
                break


def _cut(word: str) -> Iterator[Pair]:
    """Yield the ways to cut a word in two."""
    if _PARTABLE.fullmatch(word):
        shortest = _LEAST_LATIN if word.isascii() else _LEAST_HANGUL
        for at in range(shortest, len(word) - shortest + 1):
            yield word[:at], word[at:]


def _place(word: Term, pair: Pair, analyzer: Analyzer) -> Iterator[Term]:
    """Yield the terms of two words as parts of the one that they make."""
    for term in analyzer.analyze(" ".join(pair)):
        is_second = term.start > len(pair[0])
        start, end = (word.start + place - is_second for place in (term.start, term.end))
        yield Term(term.text, start, max(start + 1, min(end, word.end)), TermKind.PART)


_LEAST_LIKENESS = 0.85
_MAX_NEAREST = 3
"""Terms that a word may stand for by its spelling, and as many by its sound."""
_RARER = 4
"""Times that a term may be rarer than another one that is as near: misspelt words are in documents, too."""
_MAX_UNKNOWN = 8
"""Words of one query that are looked for by their spelling."""
_LIKELY = -19.5
"""Logarithm of the probability, for each edit, from which on a word is right as it is. 94 % of English words with a wrong letter are
below it, and of right ones that an index lacks and that are one edit from a word of it 38 %; docs/quality.md has the figures (2026-11)."""
_LATIN = re.compile("[a-z]+")
_GIVEN_NAME = re.compile("([가-힣]{2})씨?")
_SURNAMES = (
    *"김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기",
    *("남궁", "황보", "제갈", "선우", "독고", "사공"),
)
"""The commonest of South Korea (census of 2015), first those of one syllable."""
_MAX_FULL_NAMES = 8
"""Full names that a given name may stand for."""


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
    query: QueryTerms,
    phrases: Sequence[str],
    *,
    spellings: Spellings,
    revision: int,
    documents: Selection | None,
) -> QueryTerms:
    """Replace the terms of each unknown word by those of the index that are nearest to it.

    Args:
        query: The terms of the query.
        phrases: Its exact phrases, whose words keep their spelling.
        spellings: Finds the terms.
        revision: Of the corpus.
        documents: Those whose passages count for foreign names; None is all.
    """
    index = spellings.index
    kept, counts = list(query.terms), dict(query.frequencies)
    text, words, guessed = query.text, list[UnknownWord](), set[str]()
    for word in sorted(_UnknownWords(counts, index, documents).find(text, query.terms), reverse=True):
        found: Mapping[str, str] = {}
        written = query.text[word.start : word.end]
        if any(start <= word.start < end for start, end in query.known):
            continue
        end = word.end
        if word.is_absent and not any(written in phrase for phrase in phrases):
            found = _find_full_names(word.name, index)
            if not found:
                end, found = _find_nearest(word, spellings, revision)
                guessed.update(found.values())
        found = {**found, **spellings.find_sounding(written, revision)}
        if found:
            kept = [term for term in kept if not word.start <= term.start < end]
            kept += [Term(stem, word.start, end, TermKind.WORD) for stem in found.values()]
            counts |= index.document_frequencies(found.values())
            first = next(iter(found))
            text = f"{text[: word.start]}{first}{text[end:]}"
            if word.is_absent:
                words.append(UnknownWord(text=query.text[word.start : end], nearest=tuple(found)))
    kept.sort(key=lambda term: term.start)
    return query._replace(
        terms=kept,
        frequencies=counts,
        text=text,
        unknown=tuple(reversed(words)),
        guessed=frozenset(guessed),
    )


def _find_nearest(word: _Unknown, spellings: Spellings, revision: int) -> tuple[int, Mapping[str, str]]:
    """Find the terms of which a word may be a misspelling, and its end: with what seems a particle where it has none without."""
    for name in dict.fromkeys((word.name, word.written)):
        if found := spellings.find_spelt(name, word.written, revision):
            return word.start + len(name), found
    return word.end, {}


@dataclass(frozen=True)
class _UnknownWords:
    """The words of one query that the index, or the documents that are searched, do not have."""

    counts: Mapping[str, int]
    index: LexicalIndex
    documents: Selection | None

    def find(self, query: str, terms: Sequence[Term]) -> Iterator[_Unknown]:
        for start, word in find_surface_words(query, terms)[:_MAX_UNKNOWN]:
            is_absent = not self._is_known(word)
            if is_absent or not self._is_held(word):
                # The analyser takes particles off, even of a word that it reads wrongly.
                name = word.text[: max(term.end for term in word.terms)]
                yield _Unknown(start, start + len(name), name, word.text, is_absent)
        unknown = [
            each for each in split_words(terms) if not any(self.counts.get(term.text) for term in each)
        ]
        for first, *_ in unknown[:_MAX_UNKNOWN]:
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
        return any(map(self.index.has_surface_word, word.forms()))

    def _is_held(self, word: SurfaceWord) -> bool:
        """True if a document that is searched has the word, however the analyser reads it."""
        # A part says less than the word: 소켓 of 웹소켓 is another thing, and websocket is the same.
        terms = tuple(
            term.text for term in word.terms if term.kind is not TermKind.PART and self.counts.get(term.text)
        )
        if terms and (
            self.documents is None
            or self.index.count_matches(LexicalQuery(terms=terms), documents=self.documents)
        ):
            return True
        return any(
            self.index.find_surface_words(form, limit=1, documents=self.documents).chunk_ids
            for form in word.forms()
        )


def _find_full_names(name: str, index: LexicalIndex) -> dict[str, str]:
    """Find the full names that end with a Korean given name of two syllables, the most frequent first."""
    given = _GIVEN_NAME.fullmatch(name)
    if given is None:
        return {}
    counts = index.document_frequencies(surname + given[1] for surname in _SURNAMES)
    held = sorted((text for text, count in counts.items() if count), key=lambda text: (-counts[text], text))
    return {text: text for text in held[:_MAX_FULL_NAMES]}


def _is_typed(text: str, index: LexicalIndex) -> bool:
    """True if a passage has a term as a word, not only as the stem of one; Korean words have endings in passages."""
    return not text.isascii() or index.count_matches(LexicalQuery(phrases=((text,),))) > 0


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
