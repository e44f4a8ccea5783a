"""The lexical index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import ChunkId, InvalidInputError, LexicalMatch

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.emptied_index import require_kept_terms
from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.match_expression import any_of, one_of_each
from kebab_store_sqlite.ranking import Ranking, build_ranking
from kebab_store_sqlite.sqlite_errors import primary_code, row_errors_mapped
from kebab_store_sqlite.store_report import count_chunks, read_analyzer_version
from kebab_store_sqlite.term_frequencies import TermFrequencies
from kebab_store_sqlite.term_split import SplitTerms, rarest_first, split_terms
from kebab_store_sqlite.written_words import find_written

if TYPE_CHECKING:
    from kebab_core import AnalyzerVersion, DocumentSet, LexicalQuery, WrittenMatches


_TIE_MARGIN = 64
"""Rows fetched beyond the limit, so that ties at the limit seldom need a second query."""

_DETAILS = """
    SELECT c.chunk_no, c.chunk_id, d.workspace_path, c.ordinal, d.source_id
    FROM json_each(?) j CROSS JOIN chunks c ON c.chunk_no = j.value JOIN documents d USING (doc_id)
"""


class _Scored(NamedTuple):
    chunk_no: int
    bm25: float


class SqliteLexicalIndex:
    """Implements `LexicalIndex` on FTS5; usable from several threads.

    Equal scores are ordered by path, then ordinal, then source. A chunk with all phrases of a query and none of its
    terms has a score of 0.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database
        self._frequencies = TermFrequencies()

    def search(
        self, query: LexicalQuery, *, limit: int, documents: DocumentSet | None = None
    ) -> list[LexicalMatch]:
        """Return the best chunks, best first."""
        with self._db.one_state() as connection:
            scored = self._best(connection, query, limit=limit, documents=documents)
            with row_errors_mapped():
                if not scored:
                    require_kept_terms(connection)
                return _in_order(connection, scored, limit=limit)

    def _best(
        self,
        connection: sqlite3.Connection,
        query: LexicalQuery,
        *,
        limit: int,
        documents: DocumentSet | None,
    ) -> list[_Scored]:
        scored = self._best_scored(connection, query, limit=limit, documents=documents)
        if len(scored) >= limit or not (query.phrases or query.open_phrases):
            return scored
        unscored = query.model_copy(update={"terms": (), "prefixes": ()})
        known = {each.chunk_no for each in scored}
        held = _scored(connection, unscored, limit=limit, documents=documents)
        return [*scored, *(each for each in held if each.chunk_no not in known)]

    def _best_scored(
        self,
        connection: sqlite3.Connection,
        query: LexicalQuery,
        *,
        limit: int,
        documents: DocumentSet | None,
    ) -> list[_Scored]:
        if len(query.terms) == 1:
            return _scored(connection, query, limit=limit, documents=documents)
        frequencies = self._frequencies.read(connection, query.terms)
        ordered = rarest_first(query, frequencies)
        split = split_terms(ordered, frequencies, corpus_size=count_chunks(connection))
        if split is not None:
            scored = _scored_in_parts(connection, ordered, split, limit=limit, documents=documents)
            if scored is not None:
                return scored
        return _scored(connection, ordered, limit=limit, documents=documents)

    def find_written(
        self, beginning: str, *, limit: int, documents: DocumentSet | None = None
    ) -> WrittenMatches:
        """Return chunks in whose text or headings a written word begins so."""
        with self._db.snapshot() as connection:
            return find_written(connection, beginning, limit=limit, documents=documents)

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return in how many chunks each term occurs, in any ranked column."""
        with self._db.snapshot() as connection:
            counts = self._frequencies.read(connection, terms)
            if not any(counts.values()):
                require_kept_terms(connection)
            return counts

    def corpus_size(self) -> int:
        """Return how many chunks there are."""
        with self._db.reading() as connection:
            return count_chunks(connection)

    def analyzer_version(self) -> AnalyzerVersion | None:
        """Return which analyser made the terms of most documents; None while the index is empty."""
        with self._db.reading() as connection:
            return read_analyzer_version(connection)


def _scored(
    connection: sqlite3.Connection, query: LexicalQuery, *, limit: int, documents: DocumentSet | None
) -> list[_Scored]:
    """Return at least the best `limit` chunks together with all that tie with the last of them."""
    ranking = build_ranking(query, documents)
    if ranking is None:
        return []
    with _bad_syntax_mapped(query.raw):
        scored = _run(connection, ranking, limit=limit + _TIE_MARGIN)
    if len(scored) == limit + _TIE_MARGIN and scored[limit - 1].bm25 == scored[-1].bm25:
        return _run(connection, ranking, limit=-1)
    return scored


def _scored_in_parts(
    connection: sqlite3.Connection,
    query: LexicalQuery,
    split: SplitTerms,
    *,
    limit: int,
    documents: DocumentSet | None,
) -> list[_Scored] | None:
    """Return the same as `_scored` without a look at chunks that hold common terms alone.

    Chunks with a rare term and none of the common ones get their whole score from the first query, those with both from
    the second. None where a chunk left out could be among the best or tie with them.
    """
    scores: dict[int, float] = {}
    cut = 0.0
    for expression in (any_of(split.rare), one_of_each(split.rare, split.common)):
        ranking = build_ranking(query, documents, expression=expression)
        found = _run(connection, ranking, limit=limit + _TIE_MARGIN) if ranking else []
        scores.update(found)
        if len(found) == limit + _TIE_MARGIN:
            cut = max(cut, found[-1].bm25)
    scored = sorted((_Scored(*each) for each in scores.items()), key=lambda each: -each.bm25)
    if len(scored) < limit or scored[limit - 1].bm25 <= max(cut, split.bound):
        return None
    return scored


def _run(connection: sqlite3.Connection, ranking: Ranking, *, limit: int) -> list[_Scored]:
    rows = connection.execute(ranking.sql, (*ranking.parameters, limit))
    return [_Scored(number, max(0.0, -score)) for number, score in rows]


@contextmanager
def _bad_syntax_mapped(raw: str | None) -> Iterator[None]:
    # SQLite reports a query it cannot parse like any other error of SQL.
    try:
        yield
    except sqlite3.OperationalError as error:
        if raw is None or primary_code(error) != sqlite3.SQLITE_ERROR:
            raise
        raise InvalidInputError(
            f"{raw!r} is not a valid full-text query: {error}",
            hint="put words in double quotes, or search without the raw syntax",
        ) from error


def _in_order(connection: sqlite3.Connection, scored: list[_Scored], *, limit: int) -> list[LexicalMatch]:
    if len(scored) > limit:
        lowest = scored[limit - 1].bm25
        scored = [match for match in scored if match.bm25 >= lowest]
    numbers = json_text([match.chunk_no for match in scored])
    details = {row["chunk_no"]: row for row in connection.execute(_DETAILS, (numbers,))}

    def place(match: _Scored) -> tuple[float, str, int, str]:
        row = details[match.chunk_no]
        return -match.bm25, row["workspace_path"], row["ordinal"], row["source_id"]

    best = sorted(scored, key=place)[:limit]
    return [LexicalMatch(ChunkId(details[match.chunk_no]["chunk_id"]), match.bm25) for match in best]
