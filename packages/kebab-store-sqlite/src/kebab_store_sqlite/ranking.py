"""The SQL that scores chunks."""

from __future__ import annotations

from typing import NamedTuple

from kebab_core import DocumentSet, LexicalQuery

from kebab_store_sqlite.json_fields import json_text
from kebab_store_sqlite.match_expression import all_phrases, any_of

_FEW_DOCUMENTS = 1000
"""Up to here their chunks are listed first; beyond, each match is asked for its document.

Over 100,000 chunks and three terms, 200 documents took 1.3 ms listed and 1.7 asked, 10,000 took 30 and 8
(2026-11-22).
"""
_AMONG_CHUNKS = (
    "AND +{table}.rowid IN (SELECT chunk_no FROM chunks WHERE doc_id IN (SELECT value FROM json_each(?))) "
)
_OF_DOCUMENTS = (
    "AND (SELECT doc_id FROM chunks WHERE chunk_no = {table}.rowid) IN (SELECT value FROM json_each(?)) "
)
_WITH_PHRASES = "AND +chunks_fts.rowid IN (SELECT rowid FROM chunks_exact WHERE chunks_exact MATCH ?)"
"""The plus keeps SQLite from matching once for each row of the list."""

_BY_BM25 = """
    SELECT rowid, bm25(chunks_fts, ?, ?, ?) AS score FROM chunks_fts
    WHERE chunks_fts MATCH ? {narrowed} ORDER BY score LIMIT ?
"""
_UNSCORED = "SELECT rowid, 0.0 FROM chunks_exact WHERE chunks_exact MATCH ? {narrowed} LIMIT ?"


class Ranking(NamedTuple):
    """A query for chunk numbers and FTS5's scores (negative, smaller is better), smallest first.

    Its last parameter, the limit, is still to be given; -1 is none.
    """

    sql: str
    parameters: tuple[object, ...]


def build_ranking(
    query: LexicalQuery, documents: DocumentSet | None, *, expression: str | None = None
) -> Ranking | None:
    """Return how a query is ranked, None where it holds nothing that could match.

    Args:
        query: Terms and phrases, or FTS5 syntax.
        documents: Only chunks of these; None is all of them.
        expression: FTS5 syntax in place of the query's terms.
    """
    condition, within = _narrowing(documents)
    phrases = "" if query.raw is not None else all_phrases(query.phrases, query.open_phrases)
    terms = expression or (any_of(query.terms, query.prefixes) if query.raw is None else query.raw.strip())
    if not terms:
        narrowed = condition.format(table="chunks_exact")
        return Ranking(_UNSCORED.format(narrowed=narrowed), (phrases, *within)) if phrases else None
    weights = query.weights
    parameters = (weights.title, weights.heading, weights.body, terms, *within)
    narrowed = condition.format(table="chunks_fts")
    if not phrases:
        return Ranking(_BY_BM25.format(narrowed=narrowed), parameters)
    return Ranking(_BY_BM25.format(narrowed=narrowed + _WITH_PHRASES), (*parameters, phrases))


def _narrowing(documents: DocumentSet | None) -> tuple[str, tuple[str, ...]]:
    if documents is None:
        return "", ()
    condition = _AMONG_CHUNKS if len(documents) <= _FEW_DOCUMENTS else _OF_DOCUMENTS
    return condition, (json_text(list(documents)),)
