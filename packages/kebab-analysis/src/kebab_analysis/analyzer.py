"""The analyser of Korean, English and code that index and query share.

Either reads a text folded (`kebab_text.folding`). Terms are ranked, a date adds its canonical spelling and its day of the
year to them, and an amount its digits; surface words are for exact phrases. A surface word ends at a blank, at a sign and where the script
changes: `API를` is `api` and `를`, `v1.2` is `v1` and `2`. Han and Kana are single characters. Nothing is reduced or left
out, so that a phrase matches exactly its own letters, wherever they stand.

Of the terms of a query, words that only ask are left out, and the last Korean word is analysed twice: a tagger reads a word by
its neighbours, and the last word of a query lacks one. `함수의` alone falls apart, where before a noun it is `함수` with a
particle. A word that reads differently there is searched as both.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import AnalyzerVersion, ChunkTerms, FoundTerms, Term, TermKind
from kebab_text import (
    HAN,
    HANGUL,
    KANA,
    DateMention,
    FoldedText,
    find_amounts,
    find_dates,
    fold,
    fold_case,
    fold_text,
    has_hangul,
    lower_case,
)

from kebab_analysis.memo import Memo

if TYPE_CHECKING:
    from kebab_analysis.tokenizer import Tokenizer, WordPlaces

KO_EN_VERSION = AnalyzerVersion("ko-en@6")
_LABELS_KEPT = 2_000
_ANALYSES_KEPT = 512
"""Titles and headings whose terms are kept: a stroke of a query finds most of those that the one before found; 1 kB each."""
_READINGS_KEPT = 128
"""Passages and their headings: those of some strokes of a query, most of which one stroke shares with the next; 20 kB each."""
_LONGEST_READING = 8_000
"""Code points of one."""
_LETTER = rf"[^\W_{HANGUL}{HAN}{KANA}]"
_WORD = rf"(?<!{_LETTER})(?:[cC]\+\+|[cCfF]\#)|{_LETTER}+|[{HANGUL}]+|[{HAN}{KANA}]"
_BLANK_LINES = re.compile(r"\n\s*\n")
_GAP = "¶"
"""Stands between blocks of text, so that no phrase runs across; a sign, which is never a word as written."""


_JOINED = re.compile(r"\s*[A-Za-z0-9_./@'\\:-]\s*|[A-Za-z0-9_./@'\\:-]{2}")
"""Around a date that is part of a longer name, with one character on each side."""

_KOREAN_REQUESTS = """
    무엇 무어 뭐 뭣 누구 언제 어디 왜 어떻게 어떤 어느 어떠하 어떻 어찌 어째서 얼마 얼마나 몇 무슨 알리 알려주 가르치 가르쳐주 궁금
    것 거 수 대하 관하 위하 의하 통하 따르 그 이 저 좀 및 또는
"""
_KOREAN_TERMS = frozenset(_KOREAN_REQUESTS.split())
"""Interrogatives, requests, and words that only tie others together, as terms."""
_KOREAN_CLOSINGS = """
    하나 하나요 하는가 하는가요 하는지 할까 할까요 하죠 하지요 합니까 되나 되나요 될까요 됩니까 인가 인가요 입니까 있나 있나요 있을까요
    있습니까 있어요 해줘 해줘요 해주세요 해봐 줘 주세요 주라 알려줘 알려줘요 알려주세요 알려주라 알려달라 뭐야 뭐예요 뭐에요 뭔가 뭔가요
    뭐지 무엇인가 무엇인가요 무엇입니까 무엇이며 무엇인지 어떤가요 누구인가 누구인가요 언제인가 언제인가요 어디인가 어디인가요 얼마인가
    얼마인가요 몇인가
"""
_KOREAN_ENDINGS = frozenset(_KOREAN_CLOSINGS.split())
"""Whole words that end a question or a request; their morphemes alone may mean something else."""
_ENGLISH_FUNCTION_WORDS = """
    a an the what which who whom whose when where why how is are was were be been being am do does did done can could
    should would will shall may might must has have had having of in on at to for from by with into about as and or it
    its this that these those there their they them he she his her i me my we our us you your please tell show explain
    if than then so such
"""
_ENGLISH = frozenset(_ENGLISH_FUNCTION_WORDS.split())
_MANNER = re.compile(r"(?<=는\s)법(?=[은을이]?(?:\s알|\W*$))")
"""`법` after a verb at the end of a question: how something is done, not law."""
_ASKING_END = re.compile(r"(?<=[가-힣])하나(?=\W*$)")
"""The end of a verb at the end of a question, read as the number: `작성하나?`."""
_WRITTEN = re.compile(r"[\w']+")
_NEUTRAL_NOUN = " 것"
"""A noun put after a query to read its last word in the middle of a sentence."""
_LEAST_OTHER = 2
"""Code points of a term of the less likely reading; a single syllable of it finds too much."""


class _Columns(NamedTuple):
    """Terms and surface words of a text, joined by single spaces."""

    terms: str
    surface: str


class _Reading(NamedTuple):
    """A text as passages are searched for terms: folded, with its words and the terms of its dates and amounts."""

    normal: FoldedText
    words: WordPlaces
    dates: Sequence[Term]


class KoreanEnglishAnalyzer:
    """Analyses Korean by morphemes over whole lines, Latin text by words and stems, names by part.

    Loads its dictionary at the first Korean text. Offsets are those of the text as given, not folded.
    """

    def __init__(self) -> None:
        # Titles and headings come again with every chunk of a document.
        self._columns_of_label = lru_cache(_LABELS_KEPT)(self._columns)
        self._labels = Memo(self._analyze, _ANALYSES_KEPT)
        self._readings = Memo(self._read, _READINGS_KEPT, longest=_LONGEST_READING)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from kebab_analysis.tokenizer import Tokenizer

        return Tokenizer()

    @property
    def version(self) -> AnalyzerVersion:
        """The label of this analysis; index and query must have the same."""
        return KO_EN_VERSION

    def reads(self, indexed: AnalyzerVersion) -> bool:
        """Return True for an index of this label."""
        return indexed == self.version

    def analyze(self, text: str) -> list[Term]:
        """Return the terms of a document's text.

        Raises:
            DependencyMissingError: The morphological dictionary or the stemmer is not installed.
        """
        return list(self._labels[text])

    def find_terms(self, text: str, wanted: Set[str], *, beginnings: tuple[str, ...] = ()) -> FoundTerms:
        """Return the terms of `analyze` that are wanted or have one of the beginnings, and the number of all.

        Raises:
            DependencyMissingError: The morphological dictionary or the stemmer is not installed.
        """
        normal, words, dates = self._readings[text]
        found = [
            Term(term, at + start, at + end, kind)
            for at, word in self._tokenizer.find_words(words, wanted, beginnings)
            for term, start, end, kind in word.terms
            if term in wanted or term.startswith(beginnings)
        ]
        if dates:
            found += [term for term in dates if term.text in wanted or term.text.startswith(beginnings)]
            found = _sorted(found)
        return FoundTerms(_in_source(normal, found), words.total + len(dates))

    def analyze_query(self, text: str) -> list[Term]:
        """Return the terms of a query without the words that only ask.

        A last word in Hangul is read as it stands and as it would before a noun. A date is one
        term, of that day in any year where it names none, and so are the digits of an amount.
        """
        normal = fold_text(text)
        terms = self._query_terms(normal.text)
        content = _content_terms(normal.text, terms)
        return _in_source(normal, _ask_canonical(content, normal.text))

    def _query_terms(self, text: str) -> list[Term]:
        """Analyse a query in NFC, its last word by both readings if a particle could follow it.

        The less likely reading gives parts of the words of the other, so that none of them counts twice. Nothing else
        of the query is read in another way.
        """
        alone = self._terms(text)
        bare = text.rstrip()
        if not alone or not "가" <= bare[-1] <= "힣":
            return alone
        start = len(bare) - len(bare.split()[-1])
        last = [term for term in alone if term.start >= start]
        before_noun = self._terms(bare + _NEUTRAL_NOUN)
        followed = [term for term in before_noun if start <= term.start and term.end <= len(bare)]
        return [*alone[: len(alone) - len(last)], *_both(last, followed, length=len(bare) - start)]

    def surface(self, text: str) -> list[Term]:
        """Return the surface words, and `¶` for blank lines between them."""
        normal = fold_text(text)
        return _in_source(normal, list(surface_words(normal.text)))

    def log_likelihood(self, word: str) -> float:
        """Return 0 for Hangul that the dictionary reads as one of its entries with particles or endings, else `-inf`.

        A word in Latin letters has the probability of its pieces; see `kebab_text.log_probability`.
        """
        text = fold(word)
        if has_hangul(text):
            return 0.0 if self._tokenizer.is_entry(text) else -math.inf
        from kebab_text import log_probability

        return log_probability(text)

    def analyze_chunk(self, *, title: str, heading_path: Sequence[str], text: str) -> ChunkTerms:
        """Return the columns of a chunk. The surface holds heading path and text, `¶` between them, not the title."""
        headings = [self._columns_of_label(heading) for heading in heading_path]
        body = self._columns(text)
        return ChunkTerms(
            title=self._columns_of_label(title).terms,
            heading=" ".join(heading.terms for heading in headings if heading.terms),
            body=body.terms,
            surface=join_blocks(part.surface for part in (*headings, body)),
        )

    def _analyze(self, text: str) -> list[Term]:
        normal = fold_text(text)
        dates = list(_canonical_terms(normal.text))
        terms = self._terms(normal.text)
        return _in_source(normal, _sorted([*terms, *dates]) if dates else terms)

    def _read(self, text: str) -> _Reading:
        normal = fold_text(text)
        dates = list(_canonical_terms(normal.text))
        return _Reading(normal, self._tokenizer.place_words(normal.text), dates)

    def _columns(self, text: str) -> _Columns:
        normal = fold_case(text)
        dates = (term.text for term in _canonical_terms(normal))
        return _Columns(" ".join([self._tokenizer.texts(normal), *dates]).lstrip(), surface_text(normal))

    def _terms(self, text: str) -> list[Term]:
        return [
            Term(term, at + start, at + end, kind)
            for at, word in self._tokenizer.placed_words(text)
            for term, start, end, kind in word.terms
        ]


def surface_words(text: str) -> Iterator[Term]:
    """Yield the surface words in order, and a gap for blank lines between two of them."""
    last = 0
    for match in _surface_word().finditer(text):
        blank = _BLANK_LINES.search(text, last, match.start()) if last else None
        if blank:
            yield Term(_GAP, *blank.span())
        yield Term(lower_case(match[0]), *match.span())
        last = match.end()


def surface_text(text: str) -> str:
    """Join the texts of `surface_words` by single spaces."""
    words = _surface_word()
    return join_blocks(" ".join(words.findall(block)) for block in _BLANK_LINES.split(text))


def join_blocks(blocks: Iterable[str]) -> str:
    """Join texts with a gap, so that no phrase runs from one into the next."""
    return lower_case(f" {_GAP} ".join([block for block in blocks if block]))


@cache
def _surface_word() -> re.Pattern[str]:
    return re.compile(_WORD)  # takes milliseconds, and searches for no exact phrase do without


def _canonical_terms(text: str) -> Iterator[Term]:
    """Yield the terms of the dates and amounts of a text that their words do not give."""
    for date in find_dates(text):
        yield from _date_terms(text, date)
    yield from (Term(amount.digits, amount.start, amount.end) for amount in find_amounts(text))


def _date_terms(text: str, date: DateMention) -> Iterator[Term]:
    """Yield the terms of a date that its words do not give."""
    is_written = text[date.start : date.end] == date.canonical
    if not is_written or _JOINED.fullmatch(
        text[max(0, date.start - 1) : date.start] + text[date.end : date.end + 1]
    ):
        yield Term(date.canonical, date.start, date.end)
    yield Term(date.day_of_year, date.start, date.end, TermKind.PART)


def _ask_canonical(terms: list[Term], text: str) -> list[Term]:
    """Replace the terms of dates and amounts in a query: a day of a year is found there, or where no year stands beside it."""
    canonical: list[Term] = []
    for date in find_dates(text):
        if date.year is None:
            canonical.append(Term(date.day_of_year, date.start, date.end))
        else:
            canonical.append(Term(date.canonical, date.start, date.end))
            canonical.append(Term(date.yearless, date.start, date.end, TermKind.PART))
    canonical += [Term(amount.digits, amount.start, amount.end) for amount in find_amounts(text)]
    for named in canonical:
        terms = [term for term in terms if term.end <= named.start or named.end <= term.start]
    return _sorted([*terms, *canonical]) if canonical else terms


def _sorted(terms: Iterable[Term]) -> list[Term]:
    return sorted(terms, key=lambda term: (term.start, -term.end))


def _in_source(normal: FoldedText, terms: list[Term]) -> list[Term]:
    if normal.starts is None:
        return terms
    return [Term(term.text, *normal.source_range(term.start, term.end), term.kind) for term in terms]


def _content_terms(text: str, terms: list[Term]) -> list[Term]:
    """Leave out the words of a question that only ask.

    English words are content where the question is Korean (`for 문`, `is 연산자`), and so are words in capitals
    (`IT`, `WHO`) unless the whole question is in capitals.

    Args:
        text: The question, in NFC.
        terms: All its terms.

    Returns:
        The terms that carry content, in order; all of them if none does.
    """
    functional = _functional_words(text)
    starts = [start for start, _ in functional]
    kept = []
    for term in terms:
        word = bisect_right(starts, term.start) - 1
        asks = word >= 0 and term.end <= functional[word][1]
        if not asks and term.text not in _KOREAN_TERMS:
            kept.append(term)
    return kept or terms


def _functional_words(text: str) -> list[tuple[int, int]]:
    """List the ranges of the words that only ask, in order."""
    korean = has_hangul(text)
    stop = _KOREAN_ENDINGS if korean else _ENGLISH
    shouted = text.isupper()
    ends = [match.span() for end in (_MANNER, _ASKING_END) for match in end.finditer(text)] if korean else []
    written = [
        match.span()
        for match in _WRITTEN.finditer(text)
        if match[0].lower() in stop and (shouted or len(match[0]) == 1 or not match[0].isupper())
    ]
    return sorted([*ends, *written])


def _both(alone: Sequence[Term], followed: Sequence[Term], *, length: int) -> Sequence[Term]:
    if not alone or not followed:
        return alone or followed
    one_word = len(alone) == 1 and alone[0].end - alone[0].start == length
    likely, other = (alone, followed) if one_word else (followed, alone)
    known = {term.text for term in likely}
    parts = (term for term in other if term.text not in known and len(term.text) >= _LEAST_OTHER)
    return sorted([*likely, *_within(likely, parts)], key=lambda term: (term.start, -term.end))


def _within(words: Sequence[Term], parts: Iterator[Term]) -> Iterator[Term]:
    """Yield the terms as parts of the words in which they start."""
    for text, start, end, _ in parts:
        word = next((word for word in words if word.start <= start < word.end), words[0])
        inside = max(start, word.start), min(end, word.end)
        yield Term(text, *(inside if inside[0] < inside[1] else (word.start, word.end)), TermKind.PART)
