"""The analyser of Korean, English and code that index and query share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from kebab_core import AnalyzerVersion, ChunkTerms, Term

from kebab_analysis.normalization import NormalizedText, normalize_text
from kebab_analysis.query_ends import read_open_end
from kebab_analysis.questions import content_terms
from kebab_analysis.surface import join_blocks, surface_text, surface_words
from kebab_analysis.written_words import WrittenWordReader

KO_EN_VERSION = AnalyzerVersion("ko-en@2")
_LABELS_KEPT = 2_000


class _Columns(NamedTuple):
    """Terms and surface words of a text, joined by single spaces."""

    terms: str
    surface: str


class KoreanEnglishAnalyzer:
    """Analyses Korean by morphemes over whole lines, Latin text by words and stems, names by part.

    Loads its dictionary at the first Korean text. Text that is not NFC is analysed as if it were and gets offsets
    into the text as given.
    """

    def __init__(self) -> None:
        self._words = WrittenWordReader()
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
        return _in_source(normal, self._terms(normal.text))

    def analyze_query(self, text: str) -> list[Term]:
        """Return the terms of a question less the words that only ask (`kebab_analysis.questions`).

        A last word in Hangul is read as it stands and as it would before a noun (`kebab_analysis.query_ends`).
        """
        normal = normalize_text(text)
        terms = read_open_end(normal.text, self._terms)
        return _in_source(normal, content_terms(normal.text, terms))

    def surface(self, text: str) -> list[Term]:
        """Return the words as written (`kebab_analysis.surface`), and `¶` where blank lines part them."""
        normal = normalize_text(text)
        return _in_source(normal, list(surface_words(normal.text)))

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

    def _columns(self, text: str) -> _Columns:
        normal = normalize_text(text).text
        return _Columns(self._words.texts(normal), surface_text(normal))

    def _terms(self, text: str) -> list[Term]:
        return [term for at, word in self._words.placed_words(text) for term in _moved(word.terms, at)]


def _moved(terms: Iterable[Term], offset: int) -> Iterable[Term]:
    if not offset:
        return terms
    return (Term(text, start + offset, end + offset, kind) for text, start, end, kind in terms)


def _in_source(normal: NormalizedText, terms: list[Term]) -> list[Term]:
    if normal.starts is None:
        return terms
    return [Term(term.text, *normal.source_range(term.start, term.end), term.kind) for term in terms]
