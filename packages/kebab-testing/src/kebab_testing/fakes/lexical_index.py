"""A lexical index over a document store in memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kebab_core import (
    AnalyzerVersion,
    ChunkId,
    ChunkTerms,
    DocumentId,
    LexicalMatch,
    LexicalQuery,
    Selection,
    SurfaceMatches,
    SyntaxGroup,
    SyntaxWords,
)

from kebab_testing.fakes.symbol_index import InMemorySymbols

_K1, _B = 1.2, 0.75
_LEAST_IDF = 1e-6
_WEIGHTS = (2.5, 1.5, 1.0)


class _Row(NamedTuple):
    place: tuple[str, int, str]
    doc_id: DocumentId
    chunk_id: ChunkId
    terms: ChunkTerms


class InMemoryLexicalIndex(InMemorySymbols):
    """Implements `LexicalIndex` by scoring every chunk of the store."""

    def search(
        self, query: LexicalQuery, *, limit: int, documents: Selection | None = None
    ) -> list[LexicalMatch]:
        """Return the best chunks, best first."""
        terms = (*query.terms, *self._terms_with(query.prefixes), *_words_of(query.syntax))
        rows = [
            row
            for row in self._rows()
            if (documents is None or row.doc_id in documents) and _matches(row.terms, query, terms)
        ]
        scorer = _Scorer(self._rows(), self.document_frequencies(dict.fromkeys(terms)))
        scored = [(scorer.bm25(row), row) for row in rows]
        scored.sort(key=lambda pair: (-pair[0], pair[1].place))
        return [LexicalMatch(row.chunk_id, score) for score, row in scored[:limit]]

    def find_surface_words(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> SurfaceMatches:
        """Return chunks with a surface word that starts with `beginning`."""
        rows = [
            row
            for row in sorted(self._rows(), key=lambda row: row.place)
            if beginning and any(word.startswith(beginning) for word in row.terms.surface.split())
        ]
        wanted = [row.chunk_id for row in rows if documents is None or row.doc_id in documents]
        return SurfaceMatches(tuple(wanted[:limit]), len(rows))

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks with each term."""
        held = [{word for column in _ranked(row.terms) for word in column} for row in self._rows()]
        return {term: sum(term in words for words in held) for term in terms}

    def list_terms(self, beginnings: Iterable[str]) -> Mapping[str, int]:
        """Return the terms that start with one of some texts, and the number of chunks with each."""
        return self.document_frequencies(self._terms_with(tuple(filter(None, beginnings))))

    @property
    def ranking(self) -> str:
        """Label of the weights."""
        return str(_WEIGHTS)

    def corpus_size(self) -> int:
        """Count the chunks."""
        return len(self._rows())

    def analyzer_version(self) -> AnalyzerVersion | None:
        """Return the analyser version of most documents."""
        return self._store.analyzer_version()

    def _terms_with(self, prefixes: tuple[str, ...]) -> list[str]:
        words = {word for row in self._rows() for column in _ranked(row.terms) for word in column}
        return sorted(word for word in words if prefixes and word.startswith(prefixes))

    def _rows(self) -> list[_Row]:
        return [
            _Row(
                (document.workspace_path, chunk.ordinal, document.source_id),
                document.doc_id,
                chunk.chunk_id,
                terms,
            )
            for record in self._store.records.values()
            for document in [record.document]
            for chunk, terms in zip(record.chunks, record.terms, strict=True)
        ]


class _Scorer:
    """BM25 of rows for one query."""

    def __init__(self, rows: Sequence[_Row], frequencies: Mapping[str, int]) -> None:
        lengths = [sum(map(len, _ranked(row.terms))) for row in rows]
        self._mean = sum(lengths) / (len(rows) or 1) or 1
        self._idf = {
            term: max(_LEAST_IDF, math.log((len(rows) - df + 0.5) / (df + 0.5)))
            for term, df in frequencies.items()
        }

    def bm25(self, row: _Row) -> float:
        columns = _ranked(row.terms)
        relative = sum(map(len, columns)) / self._mean
        score = 0.0
        for term, idf in self._idf.items():
            tf = sum(w * c.count(term) for w, c in zip(_WEIGHTS, columns, strict=True))
            score += idf * tf * (_K1 + 1) / (tf + _K1 * (1 - _B + _B * relative))
        return score


def _ranked(terms: ChunkTerms) -> tuple[list[str], list[str], list[str]]:
    return terms.title.split(), terms.heading.split(), terms.body.split()


def _matches(terms: ChunkTerms, query: LexicalQuery, alternatives: Sequence[str]) -> bool:
    columns = _ranked(terms)
    if query.syntax is not None:
        return _satisfies(columns, query.syntax)
    phrases = _surface_phrases(query)
    if not phrases:
        return any(term in column for term in alternatives for column in columns)
    surface = f" {terms.surface} "
    return all(phrase in surface for phrase in phrases)


def _satisfies(columns: Sequence[Sequence[str]], syntax: SyntaxWords | SyntaxGroup) -> bool:
    if isinstance(syntax, SyntaxWords):
        wanted = f" {' '.join(syntax.texts)}" + ("" if syntax.is_open else " ")
        return any(wanted in f" {' '.join(column)} " for column in columns)
    first, *others = (_satisfies(columns, part) for part in syntax.parts)
    if syntax.operator == "NOT":
        return first and not any(others)
    return any([first, *others]) if syntax.operator == "OR" else all([first, *others])


def _words_of(syntax: SyntaxWords | SyntaxGroup | None) -> list[str]:
    if syntax is None or isinstance(syntax, SyntaxWords):
        return [] if syntax is None else list(syntax.texts)
    return [word for part in syntax.parts for word in _words_of(part)]


def _surface_phrases(query: LexicalQuery) -> list[str]:
    whole = [f" {' '.join(phrase)} " for phrase in query.phrases if phrase]
    return whole + [f" {' '.join(phrase)}" for phrase in query.open_phrases if phrase]
