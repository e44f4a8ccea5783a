"""The lexical index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from kebab_core import (
    AnalyzerVersion,
    ChunkId,
    DocumentSet,
    InvalidInputError,
    LexicalMatch,
    LexicalQuery,
)

from kebab_store_sqlite.database import SqliteDatabase
from kebab_store_sqlite.emptied_index import require_kept_terms
from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.ranking import Ranking, build_ranking
from kebab_store_sqlite.sqlite_errors import primary_code
from kebab_store_sqlite.store_report import count_chunks, read_analyzer_version

_TIE_MARGIN = 64
"""Rows fetched beyond the limit, so that ties at the limit seldom need a second query."""

_DETAILS = """
    SELECT c.chunk_no, c.chunk_id, d.workspace_path, c.ordinal, d.source_id
    FROM json_each(?) j CROSS JOIN chunks c ON c.chunk_no = j.value JOIN documents d USING (doc_id)
"""
_FREQUENCIES = """
    SELECT j.value, (SELECT v.doc FROM chunks_vocab v WHERE v.term = j.value) FROM json_each(?) j
"""


class _Scored(NamedTuple):
    chunk_no: int
    bm25: float


class SqliteLexicalIndex:
    """Implements `LexicalIndex` on FTS5; usable from several threads.

    Equal scores are ordered by path, then ordinal, then source. A query of phrases alone, which scores nothing,
    gives every chunk that holds them with a score of 0.
    """

    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database

    def search(
        self, query: LexicalQuery, *, limit: int, documents: DocumentSet | None = None
    ) -> list[LexicalMatch]:
        """Return the best chunks, best first."""
        with self._db.snapshot() as connection:
            scored = _scored(connection, query, limit=limit, documents=documents)
            if not scored:
                require_kept_terms(connection)
            return _in_order(connection, scored, limit=limit)

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return in how many chunks each term occurs, in any ranked column."""
        with self._db.reading() as connection:
            rows = connection.execute(_FREQUENCIES, (json_text(list(dict.fromkeys(terms))),))
            counts = {term: count or 0 for term, count in rows}
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
