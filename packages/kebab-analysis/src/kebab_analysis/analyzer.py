"""The analyser of Korean, English and code that index and query share.

Either reads a text folded (`kebab_text.folding`). Terms are ranked, and a date adds its canonical spelling and its day of the
year to them; surface words are for exact phrases. A surface word ends at a blank, at a sign and where the script
changes: `API를` is `api` and `를`, `v1.2` is `v1` and `2`. Han and Kana are single characters. Nothing is reduced or left
out, so that a phrase matches exactly its own letters, wherever they stand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, lru_cache
from typing import NamedTuple

from kebab_core import AnalyzerVersion, ChunkTerms, FoundTerms, Term, TermKind
from kebab_text import (
    HAN,
    HANGUL,
    KANA,
    DateMention,
    FoldedText,
    find_dates,
    fold,
    fold_case,
    fold_text,
    has_hangul,
    log_probability,
    lower_case,
)

from kebab_analysis.memo import Memo
from kebab_analysis.tokenizer import Tokenizer, WordPlaces

KO_EN_VERSION = AnalyzerVersion("ko-en@4")
_LABELS_KEPT = 2_000
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


class _Columns(NamedTuple):
    """Terms and surface words of a text, joined by single spaces."""

    terms: str
    surface: str


class _Reading(NamedTuple):
    """A text as passages are searched for terms: folded, with its words and the terms of its dates."""

    normal: FoldedText
    words: WordPlaces
    dates: Sequence[Term]


class KoreanEnglishAnalyzer:
    """Analyses Korean by morphemes over whole lines, Latin text by words and stems, names by part.

    Loads its dictionary at the first Korean text. Offsets are those of the text as given, not folded.
    """

    def __init__(self) -> None:
        self._tokenizer = Tokenizer()
        # Titles and headings come again with every chunk of a document.
        self._columns_of_label = lru_cache(_LABELS_KEPT)(self._columns)
        self._readings = Memo(self._read, _READINGS_KEPT, longest=_LONGEST_READING)

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
        normal = fold_text(text)
        dates = [term for date in find_dates(normal.text) for term in _date_terms(normal.text, date)]
        terms = self._terms(normal.text)
        return _in_source(normal, _sorted([*terms, *dates]) if dates else terms)

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

        A last word in Hangul is read as it stands and as it would before a noun; see `kebab_analysis.query_terms`. A date is one
        term, of that day in any year where it names none.
        """
        from kebab_analysis.query_terms import content_terms, read_open_end

        normal = fold_text(text)
        terms = read_open_end(normal.text, self._terms)
        content = content_terms(normal.text, terms)
        return _in_source(normal, _ask_dates(content, list(find_dates(normal.text))))

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

    def _read(self, text: str) -> _Reading:
        normal = fold_text(text)
        dates = [term for date in find_dates(normal.text) for term in _date_terms(normal.text, date)]
        return _Reading(normal, self._tokenizer.place_words(normal.text), dates)

    def _columns(self, text: str) -> _Columns:
        normal = fold_case(text)
        dates = (term.text for date in find_dates(normal) for term in _date_terms(normal, date))
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


def _date_terms(text: str, date: DateMention) -> Iterator[Term]:
    """Yield the terms of a date that its words do not give."""
    is_written = text[date.start : date.end] == date.canonical
    if not is_written or _JOINED.fullmatch(
        text[max(0, date.start - 1) : date.start] + text[date.end : date.end + 1]
    ):
        yield Term(date.canonical, date.start, date.end)
    yield Term(date.day_of_year, date.start, date.end, TermKind.PART)


def _ask_dates(terms: list[Term], dates: Sequence[DateMention]) -> list[Term]:
    """Replace the terms of dates in a query: a day of a year is found there, or where no year stands beside it."""
    for date in dates:
        terms = [term for term in terms if term.end <= date.start or date.end <= term.start]
        if date.year is None:
            terms.append(Term(date.day_of_year, date.start, date.end))
        else:
            terms.append(Term(date.canonical, date.start, date.end))
            terms.append(Term(date.yearless, date.start, date.end, TermKind.PART))
    return _sorted(terms) if dates else terms


def _sorted(terms: Iterable[Term]) -> list[Term]:
    return sorted(terms, key=lambda term: (term.start, -term.end))


def _in_source(normal: FoldedText, terms: list[Term]) -> list[Term]:
    if normal.starts is None:
        return terms
    return [Term(term.text, *normal.source_range(term.start, term.end), term.kind) for term in terms]
