"""The lexical index: BM25 search over FTS5, exact phrases, surface words by prefix, and the symbols of source code by name."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import nlargest
from math import inf, nextafter
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    ChunkId,
    CodeRole,
    LexicalMatch,
    StoredSymbol,
    SurfaceMatches,
)

from kebab_store_sqlite.connection import row_errors_mapped
from kebab_store_sqlite.corpus_stats import read_analyzer_version, read_corpus_revision
from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.fulltext_query import (
    COLUMN_WEIGHTS,
    Ranking,
    SplitTerms,
    TermFrequencies,
    any_of,
    build_ranking,
    one_of_each,
    rarest_first,
    require_complete_indexes,
    split_terms,
)
from kebab_store_sqlite.schema import json_text

if TYPE_CHECKING:
    from kebab_core import AnalyzerVersion, ChunkTerms, DocumentId, LexicalQuery, Selection


_QUERIES_KEPT = 64
"""Queries whose best chunks are kept, some 100 of each."""
_TIE_MARGIN = 64
"""Rows fetched beyond the limit, so that ties at the limit seldom need a second query."""

_CHUNK_DETAILS = """
    SELECT c.chunk_no, c.chunk_id, d.workspace_path, c.ordinal, d.source_id
    FROM json_each(?) j CROSS JOIN chunks c ON c.chunk_no = j.value JOIN documents d USING (doc_no)
"""
_COUNT_SURFACE_CHUNKS = "SELECT count(*) FROM chunks_exact WHERE chunks_exact MATCH ?"
_HAS_SURFACE_WORD = "SELECT 1 FROM surface_places WHERE term >= ?1 AND term < ?1 || char(1114111) LIMIT 1"
"""A match of the beginning would read all places of all words that begin so, where one letter has a tenth of a second's."""
_SURFACE_CHUNKS = """
    SELECT c.chunk_id FROM chunks c JOIN documents d USING (doc_no)
    WHERE c.chunk_no IN (SELECT rowid FROM chunks_exact WHERE chunks_exact MATCH ?) {narrowed}
    ORDER BY d.workspace_path, c.ordinal, d.source_id LIMIT ?
"""
_PARTS = (
    "SELECT chunks, terms FROM document_parts JOIN documents USING (doc_no) WHERE doc_id = ? ORDER BY part_no"
)
_SYMBOLS = """
    SELECT c.chunk_id, s.place, s.symbol, s.role FROM code_symbols s
    CROSS JOIN chunks c USING (chunk_no) CROSS JOIN documents d USING (doc_no) WHERE {condition} {narrowed}
    ORDER BY {first} d.workspace_path, c.ordinal, s.place, d.source_id LIMIT {limit}
"""
_WITH_NAMES = "s.name IN (SELECT value FROM json_each(?))"
_BEGINNING = "s.name >= ? AND s.name < ?"
_AFTER_ALL = "\U0010ffff"
"""After every text that begins alike."""
_NAMES = "SELECT DISTINCT name FROM code_symbols ORDER BY name"
_EVERY = -1
_IN_DOCUMENTS = "AND d.doc_id IN (SELECT value FROM json_each(?))"


class _Scored(NamedTuple):
    chunk_no: int
    bm25: float


class SqliteLexicalIndex:
    """Implements `LexicalIndex` on FTS5; usable from several threads.

    Equal scores are ordered by path, then ordinal, then source. A chunk with all phrases of a query and none of its
    terms has a score of 0.
    """

    ranking = '{{"title":{},"heading":{},"body":{}}}'.format(*reversed(COLUMN_WEIGHTS))

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database
        self._frequencies = TermFrequencies()
        self._ranked: tuple[int, dict[LexicalQuery, _Ranked]] = (-1, {})
        """What was found last, in a state of the corpus."""

    def search(
        self, query: LexicalQuery, *, limit: int, documents: Selection | None = None
    ) -> list[LexicalMatch]:
        """Return the best chunks, best first."""
        with self._db.one_state() as connection:
            scored = self._rank(_Ranker(connection, limit, documents), query)
            with row_errors_mapped():
                if not scored:
                    require_complete_indexes(connection)
                return _sort_matches(connection, scored, limit=limit)

    def count_matches(
        self,
        query: LexicalQuery,
        *,
        limit: int = 1,
        documents: Selection | None = None,
        without: Collection[DocumentId] = (),
    ) -> int:
        """Count what `search` finds, up to a limit; nothing is scored."""
        has_phrases = bool(query.phrases or query.open_phrases)
        asked = replace(query, terms=(), prefixes=()) if has_phrases else query
        ranking = build_ranking(asked, documents, without=without)
        with self._db.snapshot() as connection:
            count = 0 if ranking is None else ranking.count_rows(connection, limit=limit)
            if not count:
                require_complete_indexes(connection)
            return count

    def _rank(self, ranker: _Ranker, query: LexicalQuery) -> list[_Scored]:
        """Return at least the best chunks.

        Those of some queries are kept: deeper places, meaning, the next page, and a letter that changes no term ask again.
        """
        revision = read_corpus_revision(ranker.connection)
        of_revision, kept = self._ranked
        if of_revision != revision or len(kept) > _QUERIES_KEPT:
            kept = {}
            self._ranked = revision, kept
        ranked = kept.get(query)
        if ranker.documents is not None or ranked is None or not ranked.has(ranker.limit):
            ranked = self._rank_by_terms(ranker, query)
            if len(ranked.scored) < ranker.limit and (query.phrases or query.open_phrases):
                known = {each.chunk_no for each in ranked.scored}
                unscored = ranker.best(replace(query, terms=(), prefixes=()))
                others = [each for each in unscored.scored if each.chunk_no not in known]
                ranked = _Ranked([*ranked.scored, *others], is_all=False)
            if ranker.documents is None:
                kept[query] = ranked
        return ranked.scored

    def _rank_by_terms(self, ranker: _Ranker, query: LexicalQuery) -> _Ranked:
        if len(query.terms) == 1:
            return ranker.best(query)
        frequencies = self._frequencies.read(ranker.connection, query.terms)
        ordered = rarest_first(query, frequencies)
        size = self._frequencies.read_corpus_size(ranker.connection)
        split = split_terms(ordered, frequencies, corpus_size=size)
        ranked = None if split is None else ranker.best_in_parts(ordered, split)
        return ranker.best(ordered) if ranked is None else ranked

    def find_surface_words(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> SurfaceMatches:
        """Return the first chunks with a surface word that starts with `beginning`, and their total number."""
        expression = any_of((), (beginning,))
        if not expression:
            return SurfaceMatches((), 0)
        with self._db.snapshot() as connection:
            (total,) = connection.execute(_COUNT_SURFACE_CHUNKS, (expression,)).fetchone()
            if not total:
                return SurfaceMatches((), 0)
            query = _SURFACE_CHUNKS.format(narrowed=_narrowed(documents))
            rows = connection.execute(query, (expression, *_within(documents), limit))
            return SurfaceMatches(tuple(ChunkId(chunk_id) for (chunk_id,) in rows), total)

    def has_surface_word(self, beginning: str) -> bool:
        """Return True if a chunk has a surface word that starts with `beginning`; False for an empty one."""
        if not beginning:
            return False
        with self._db.reading() as connection:
            return connection.execute(_HAS_SURFACE_WORD, (beginning,)).fetchone() is not None

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks with each term in a ranked column, by term."""
        with self._db.snapshot() as connection:
            return self._frequencies.read(connection, terms)

    def list_terms(self, beginnings: Iterable[str]) -> Mapping[str, int]:
        """Return the terms that start with one of some texts, and the number of chunks with each."""
        found: dict[str, int] = {}
        with self._db.snapshot() as connection:
            for beginning in filter(None, dict.fromkeys(beginnings)):
                found |= self._frequencies.read_beginning(connection, beginning)
        return found

    def read_terms(self, doc_id: DocumentId) -> list[ChunkTerms]:
        """Return the terms of a document's chunks, by ordinal."""
        from kebab_core import ChunkTerms

        from kebab_store_sqlite.document_parts import passage_terms

        fields = ("title", "heading", "body", "surface")
        with self._db.reading() as connection:
            parts = connection.execute(_PARTS, (doc_id,)).fetchall()
            rows = [row for chunks, terms in parts for row in passage_terms(chunks, terms)]
        return [ChunkTerms(**dict(zip(fields, row, strict=True))) for row in rows]

    def corpus_size(self) -> int:
        """Count the chunks."""
        with self._db.snapshot() as connection:
            return self._frequencies.read_corpus_size(connection)

    def analyzer_version(self) -> AnalyzerVersion | None:
        """Return the analyser version of most documents; None while the index is empty."""
        with self._db.reading() as connection:
            return read_analyzer_version(connection)

    def find_symbols(
        self, names: Collection[str], *, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the symbols with one of these folded names."""
        if not names:
            return []
        query = _SYMBOLS.format(condition=_WITH_NAMES, narrowed=_narrowed(documents), first="", limit=_EVERY)
        return self._read_symbols(query, [json_text(list(names)), *_within(documents)])

    def find_symbols_beginning(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the first symbols with a name that begins so."""
        if not beginning:
            return []
        query = _SYMBOLS.format(
            condition=_BEGINNING, narrowed=_narrowed(documents), first="s.name,", limit=limit
        )
        return self._read_symbols(query, [beginning, beginning + _AFTER_ALL, *_within(documents)])

    def list_symbol_names(self) -> list[str]:
        """Return the folded names of all symbols."""
        with self._db.snapshot() as connection:
            return [name for (name,) in connection.execute(_NAMES)]

    def _read_symbols(self, query: str, parameters: Sequence[str]) -> list[StoredSymbol]:
        with self._db.snapshot() as connection:
            return [
                StoredSymbol(ChunkId(chunk_id), place, symbol, role and CodeRole(role))
                for chunk_id, place, symbol, role in connection.execute(query, parameters)
            ]


class _Ranked(NamedTuple):
    """The best chunks of a query, in any order, with all that tie with the last of them."""

    scored: list[_Scored]
    is_all: bool
    """Whether no other chunk matches."""

    def has(self, limit: int) -> bool:
        """Return True if so many of the best are among them."""
        return self.is_all or len(self.scored) >= limit


class _Ranker(NamedTuple):
    """Ranks chunks of `documents` in one state of the index."""

    connection: sqlite3.Connection
    limit: int
    documents: Selection | None

    def best(self, query: LexicalQuery) -> _Ranked:
        """Return at least the `limit` best chunks, if there are so many."""
        ranking = build_ranking(query, self.documents)
        if ranking is None:
            return _Ranked([], is_all=True)
        scored = self._run(ranking)
        if not self._is_cut(scored):
            return _Ranked(scored, is_all=True)
        cut = scored[-1].bm25
        if scored[self.limit - 1].bm25 == cut:
            return _Ranked(self._run_from(ranking, cut), is_all=False)
        return _Ranked([each for each in scored if each.bm25 > cut], is_all=False)

    def best_in_parts(self, query: LexicalQuery, split: SplitTerms) -> _Ranked | None:
        """Like `best`, but without scoring chunks that have common terms only.

        The first query scores chunks with a rare term and none of the common ones, the second those with both.

        Returns:
            None if a chunk left out could be among the best or tie with them.
        """
        scores: dict[int, float] = {}
        cuts: list[tuple[float, Ranking]] = []

        def add(found: list[_Scored]) -> None:
            # the first query scores a chunk with both by its rare terms alone, so lower
            scores.update({number: max(bm25, scores.get(number, 0.0)) for number, bm25 in found})

        for expression in (any_of(split.rare), one_of_each(split.rare, split.common)):
            ranking = build_ranking(query, self.documents, expression=expression)
            found = self._run(ranking) if ranking else []
            add(found)
            if ranking and self._is_cut(found):
                cuts.append((found[-1].bm25, ranking))
        if len(scores) < self.limit:
            return None
        least = nlargest(self.limit, scores.values())[-1]
        if least <= split.bound:
            return None
        tied = [ranking for cut, ranking in cuts if cut >= least]
        for ranking in tied:
            add(self._run_from(ranking, least))
        above = least if tied else nextafter(max(split.bound, *(cut for cut, _ in cuts), 0.0), inf)
        return _Ranked([_Scored(*each) for each in scores.items() if each[1] >= above], is_all=False)

    def _is_cut(self, found: list[_Scored]) -> bool:
        return len(found) == self.limit + _TIE_MARGIN

    def _run(self, ranking: Ranking) -> list[_Scored]:
        """Return the best rows, best first, and some more."""
        return _scored_of(ranking.list_best(self.connection, limit=self.limit + _TIE_MARGIN))

    def _run_from(self, ranking: Ranking, bm25: float) -> list[_Scored]:
        """Return all rows from a score on."""
        return _scored_of(ranking.list_to(self.connection, -bm25))


def _scored_of(rows: sqlite3.Cursor) -> list[_Scored]:
    return [_Scored(number, max(0.0, -score)) for number, score in rows]


def _sort_matches(connection: sqlite3.Connection, scored: list[_Scored], *, limit: int) -> list[LexicalMatch]:
    if len(scored) > limit:
        lowest = nlargest(limit, (match.bm25 for match in scored))[-1]
        scored = [match for match in scored if match.bm25 >= lowest]
    numbers = json_text([match.chunk_no for match in scored])
    details = {row["chunk_no"]: row for row in connection.execute(_CHUNK_DETAILS, (numbers,))}

    def place(match: _Scored) -> tuple[float, str, int, str]:
        row = details[match.chunk_no]
        return -match.bm25, row["workspace_path"], row["ordinal"], row["source_id"]

    best = sorted(scored, key=place)[:limit]
    return [LexicalMatch(ChunkId(details[match.chunk_no]["chunk_id"]), match.bm25) for match in best]


def _narrowed(documents: Selection | None) -> str:
    return "" if documents is None else _IN_DOCUMENTS


def _within(documents: Selection | None) -> list[str]:
    return [] if documents is None else [json_text(list(documents))]
