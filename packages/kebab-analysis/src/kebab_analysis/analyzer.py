"""The analyser of Korean, English and code that index and query share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from kebab_core import AnalyzerVersion, ChunkTerms, Term

from kebab_analysis.ideographs import ideograph_terms
from kebab_analysis.morphemes import MorphemeReader, PlacedMorpheme, korean_terms
from kebab_analysis.normalization import NormalizedText, normalize_text
from kebab_analysis.questions import content_terms
from kebab_analysis.scripts import HANGUL_CHAR
from kebab_analysis.surface import surface_words
from kebab_analysis.tagger import MorphemeTagger
from kebab_analysis.words import WordReader

KO_EN_VERSION = AnalyzerVersion("ko-en@1")


_MAX_LINE = 4_000
"""Code points of a line for the tagger, whose time grows with the square of a run of unknown letters."""


_LABELS_KEPT = 2_000


class _Line(NamedTuple):
    offset: int
    text: str
    morphemes: list[PlacedMorpheme]


class _Columns(NamedTuple):
    terms: str
    surface: str


class KoreanEnglishAnalyzer:
    """Analyses Korean by morphemes over whole lines, Latin text by words and stems, names by part.

    Loads its dictionary at the first Korean text. Text that is not NFC is analysed as if it were and gets offsets
    into the text as given.
    """

    def __init__(self) -> None:
        self._tagger = MorphemeTagger()
        self._morphemes = MorphemeReader()
        self._words = WordReader()
        # Titles and headings come again with every chunk of a document.
        self._columns_of_label = lru_cache(_LABELS_KEPT)(self._columns)

    @property
    def version(self) -> AnalyzerVersion:
        """The label that index and query are compared by."""
        return KO_EN_VERSION

    def analyze(self, text: str) -> list[Term]:
        """Return the terms of a document's text.

        Raises:
            DependencyMissingError: The morphological dictionary or the stemmer is not installed.
        """
        normal = normalize_text(text)
        return _in_source(normal, self._all_terms(normal.text))

    def analyze_query(self, text: str) -> list[Term]:
        """Return the terms of a question less the words that only ask (`kebab_analysis.questions`)."""
        normal = normalize_text(text)
        return _in_source(normal, content_terms(normal.text, self._all_terms(normal.text)))

    def surface(self, text: str) -> list[Term]:
        """Return the words as written; Korean particles stand apart from the word they follow."""
        normal = normalize_text(text)
        words = [
            word
            for line in self._lines(normal.text)
            for word in _moved(surface_words(line.text, line.morphemes), line.offset)
        ]
        return _in_source(normal, words)

    def analyze_chunk(self, *, title: str, heading_path: Sequence[str], text: str) -> ChunkTerms:
        """Return the columns of a chunk. The surface holds heading path and text, not the title."""
        headings = [self._columns_of_label(heading) for heading in heading_path]
        body = self._columns(text)
        return ChunkTerms(
            title=self._columns_of_label(title).terms,
            heading=" ".join(heading.terms for heading in headings if heading.terms),
            body=body.terms,
            surface=" ".join(part.surface for part in (*headings, body) if part.surface),
        )

    def _columns(self, text: str) -> _Columns:
        lines = self._lines(normalize_text(text).text)
        return _Columns(
            _joined(term for line in lines for term in self._terms(line)),
            _joined(word for line in lines for word in surface_words(line.text, line.morphemes)),
        )

    def _lines(self, text: str) -> list[_Line]:
        lines: list[_Line] = []
        for offset, line in _cut_lines(text):
            if not line.isascii() and HANGUL_CHAR.search(line):
                morphemes = self._morphemes.read(self._tagger.rows(line))
            else:
                morphemes = []
            lines.append(_Line(offset, line, morphemes))
        return lines

    def _all_terms(self, text: str) -> list[Term]:
        return [term for line in self._lines(text) for term in _moved(self._terms(line), line.offset)]

    def _terms(self, line: _Line) -> list[Term]:
        terms = self._words.terms(line.text)
        if not line.text.isascii():
            terms += korean_terms(line.text, line.morphemes)
            terms += ideograph_terms(line.text)
            terms.sort(key=_by_place)
        return terms


def _cut_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its offset; one that is very long and not ASCII is cut at a blank, else anywhere."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        while end - start > _MAX_LINE and not line.isascii():
            blank = text.rfind(" ", start + 1, start + _MAX_LINE)
            cut = blank if blank > 0 else start + _MAX_LINE
            yield start, text[start:cut]
            start = cut
        yield start, text[start:end]
        start = end + 1


def _by_place(term: Term) -> tuple[int, int]:
    return term.start, -term.end


def _moved(terms: Iterable[Term], offset: int) -> Iterable[Term]:
    if not offset:
        return terms
    return (Term(text, start + offset, end + offset, kind) for text, start, end, kind in terms)


def _in_source(normal: NormalizedText, terms: list[Term]) -> list[Term]:
    if normal.starts is None:
        return terms
    return [Term(term.text, *normal.source_range(term.start, term.end), term.kind) for term in terms]


def _joined(terms: Iterable[Term]) -> str:
    return " ".join(term.text for term in terms)
