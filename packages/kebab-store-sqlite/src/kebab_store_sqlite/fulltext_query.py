"""Queries of the full-text indexes: match expressions, ranking SQL, term frequencies, and common terms.

Terms are always quoted, so that FTS5 never parses them as syntax.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DatabaseCorruptError, Remedy, SyntaxGroup, SyntaxWords
from kebab_text import fts5_idf

from kebab_store_sqlite.corpus_stats import count_chunks, read_corpus_revision
from kebab_store_sqlite.schema import json_text

if TYPE_CHECKING:
    from kebab_core import DocumentId, LexicalQuery, Selection


def any_of(terms: Iterable[str], prefixes: Iterable[str] = ()) -> str:
    """Return an expression for rows with one of the terms or prefixes; empty without any."""
    whole = [_quoted(term) for term in dict.fromkeys(terms) if term]
    prefixed = [f"{_quoted(prefix)} *" for prefix in dict.fromkeys(prefixes) if prefix]
    return " OR ".join([*whole, *prefixed])


def one_of_each(first: Iterable[str], second: Iterable[str]) -> str:
    """Return an expression for rows with a term of the first and a term of the second."""
    return f"({any_of(first)}) AND ({any_of(second)})"


def all_phrases(whole: Sequence[Sequence[str]], open_phrases: Sequence[Sequence[str]] = ()) -> str:
    """Return an expression for rows with every phrase; empty without any.

    The last word of an open phrase matches as a prefix.
    """
    phrases = [_quoted(" ".join(words)) for words in whole if words]
    phrases += [f"{_quoted(' '.join(words))} *" for words in open_phrases if words]
    return " AND ".join(phrases)


def _quoted(text: str) -> str:
    """Return an FTS5 string; a null character would end the expression."""
    return '"' + text.replace("\0", " ").replace('"', '""') + '"'


def syntax_expression(syntax: SyntaxWords | SyntaxGroup) -> str:
    """Return the expression of a user's full-text syntax."""
    if isinstance(syntax, SyntaxWords):
        return _quoted(" ".join(syntax.texts)) + (" *" if syntax.is_open else "")
    return f" {syntax.operator} ".join(f"({syntax_expression(part)})" for part in syntax.parts)


COLUMN_WEIGHTS = (1.0, 1.5, 2.5)
"""BM25 weights of body, heading path and title: 0.9 points of nDCG@10 on natural Korean questions, 0.1 to 0.9 elsewhere (2026-11)."""
_FEW_DOCUMENTS = 1000
"""Up to this number the chunks of the documents are listed first; beyond, the document of each match is looked up.

Over 100,000 chunks and three terms, 200 documents took 1.3 ms listed and 1.7 looked up, 10,000 took 30 and 8
(2026-11-22).
"""
_NUMBERS = "(SELECT doc_no FROM json_each(?) CROSS JOIN documents ON doc_id = value)"
_AMONG_CHUNKS = f"AND +{{table}}.rowid IN (SELECT chunk_no FROM chunks WHERE doc_no IN {_NUMBERS}) "
_WITHOUT = f"AND (SELECT doc_no FROM chunks WHERE chunk_no = {{table}}.rowid) NOT IN {_NUMBERS} "
_OF_DOCUMENTS = f"AND (SELECT doc_no FROM chunks WHERE chunk_no = {{table}}.rowid) IN {_NUMBERS} "
_WITH_PHRASES = "AND +chunks_fts.rowid IN (SELECT rowid FROM chunks_exact WHERE chunks_exact MATCH ?)"
"""The plus stops SQLite from running the match once for each row of the list."""

_BM25 = "bm25(chunks_fts, {}, {}, {})".format(*COLUMN_WEIGHTS)
_UNSCORED = "0.0"
_RANKED_ROWS = "chunks_fts WHERE chunks_fts MATCH ? {narrowed}"
_EXACT_ROWS = "chunks_exact WHERE chunks_exact MATCH ? {narrowed}"
_SCORED = "SELECT rowid, {score} AS score FROM {rows}"
_SMALLEST = f"{_SCORED} ORDER BY score LIMIT ?"
_FIRST = f"{_SCORED} LIMIT ?"
_TIED = f"SELECT rowid, score FROM ({_SCORED} LIMIT -1) WHERE score <= ?"
"""With the limit SQLite computes each score once."""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM {rows} LIMIT ?)"


class Ranking(NamedTuple):
    """SQL for chunk numbers with FTS5's scores, which are negative: the smaller, the better.

    Attributes:
        rows: What follows FROM.
        parameters: Of the rows.
        score: Expression of the score of a row.
    """

    rows: str
    parameters: tuple[object, ...]
    score: str = _BM25

    def list_best(self, connection: sqlite3.Connection, *, limit: int) -> sqlite3.Cursor:
        """Return the rows with the smallest scores."""
        sql = _FIRST if self.score == _UNSCORED else _SMALLEST
        return connection.execute(sql.format(score=self.score, rows=self.rows), (*self.parameters, limit))

    def list_to(self, connection: sqlite3.Connection, score: float) -> sqlite3.Cursor:
        """Return the rows with a score up to one, in any order."""
        sql = _TIED.format(score=self.score, rows=self.rows)
        return connection.execute(sql, (*self.parameters, score))

    def count_rows(self, connection: sqlite3.Connection, *, limit: int) -> int:
        """Count the rows up to a limit; none is scored."""
        return int(connection.execute(_COUNT.format(rows=self.rows), (*self.parameters, limit)).fetchone()[0])


def build_ranking(
    query: LexicalQuery,
    documents: Selection | None,
    *,
    expression: str | None = None,
    without: Collection[DocumentId] = (),
) -> Ranking | None:
    """Return the SQL that ranks chunks for a query; None for an empty query.

    Args:
        query: Terms and phrases, or full-text syntax.
        documents: Only chunks of these; None is all of them.
        expression: FTS5 syntax in place of the query's terms.
        without: No chunk of these few.
    """
    condition, within = _document_condition(documents)
    if without:
        condition, within = condition + _WITHOUT, (*within, json_text(list(without)))
    phrases = "" if query.syntax else all_phrases(query.phrases, query.open_phrases)
    if expression is None:
        expression = (
            any_of(query.terms, query.prefixes) if query.syntax is None else syntax_expression(query.syntax)
        )
    if not expression:
        rows = _EXACT_ROWS.format(narrowed=condition.format(table="chunks_exact"))
        return Ranking(rows, (phrases, *within), _UNSCORED) if phrases else None
    narrowed = condition.format(table="chunks_fts")
    if not phrases:
        return Ranking(_RANKED_ROWS.format(narrowed=narrowed), (expression, *within))
    rows = _RANKED_ROWS.format(narrowed=narrowed + _WITH_PHRASES)
    return Ranking(rows, (expression, *within, phrases))


def _document_condition(documents: Selection | None) -> tuple[str, tuple[str, ...]]:
    if documents is None:
        return "", ()
    condition = _AMONG_CHUNKS if len(documents) <= _FEW_DOCUMENTS else _OF_DOCUMENTS
    return condition, (json_text(list(documents)),)


_INDEXED_TEXT = {
    "chunks_fts": "trim(title || ' ' || heading || ' ' || body)",
    "chunks_exact": "trim(surface)",
}
_SAMPLE = "SELECT chunk_no, {column} AS words FROM chunk_terms WHERE {column} <> '' LIMIT 1"
_FIND = "SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid = ?"


def require_complete_indexes(connection: sqlite3.Connection) -> None:
    """Look up one stored chunk in both full-text indexes; called when a query found nothing.

    FTS5 takes a truncated structure record for an empty index, and then finds nothing without an error. The check
    costs two look-ups, whatever the size of the index.

    Raises:
        DatabaseCorruptError: An index does not have the chunk.
    """
    for table, column in _INDEXED_TEXT.items():
        sample = connection.execute(_SAMPLE.format(column=column)).fetchone()
        if sample is None:
            continue
        term = any_of([sample["words"].split(" ", 1)[0]], ())
        found = connection.execute(_FIND.format(table=table), (term, sample["chunk_no"])).fetchone()
        if found is None:
            raise DatabaseCorruptError(
                "the full-text index {table} has lost what is stored",
                remedy=Remedy(kind="repair"),
                _table=table,
            )


_FREQUENCIES = """
    SELECT j.key, (SELECT v.doc FROM chunks_vocab v WHERE v.term = j.value) FROM json_each(?) j
"""
_BEGINNING = "SELECT v.term, v.doc FROM chunks_vocab v WHERE v.term >= ?1 AND v.term < ?1 || char(1114111)"
"""The last code point comes after every text that begins alike."""
_MAX_TERMS = 50_000


class TermFrequencies:
    """Document frequencies of terms, cached until the corpus changes; usable from several threads.

    SQLite counts a term by reading its whole posting list: 2 ms for one in 70,000 chunks (2026-11), and queries share
    their common terms, and the letters that words begin with.
    """

    def __init__(self) -> None:
        self._beginnings: tuple[int, dict[str, dict[str, int]]] = (-1, {})
        self._known: tuple[int, dict[str, int]] = (-1, {})
        self._size = (-1, 0)

    def read(self, connection: sqlite3.Connection, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks with each term in a ranked column.

        Args:
            connection: In a transaction, so that counts and revision belong together.
            terms: Each gets an entry.

        Raises:
            DatabaseCorruptError: None is found, because an index is damaged.
        """
        wanted = list(dict.fromkeys(terms))
        revision = read_corpus_revision(connection)
        known_revision, known = self._known
        if known_revision != revision:
            known = {}
            self._known = (revision, known)
        counts = {term: known[term] for term in wanted if term in known}
        unknown = [term for term in wanted if term not in counts]
        if unknown:
            rows = connection.execute(_FREQUENCIES, (json_text(unknown),))
            found = {unknown[place]: count or 0 for place, count in rows}
            counts |= found
            if not any(counts.values()):
                require_complete_indexes(connection)
            if len(known) < _MAX_TERMS:
                known.update(found)
        return counts

    def read_corpus_size(self, connection: sqlite3.Connection) -> int:
        """Return the number of chunks; in a transaction likewise."""
        revision = read_corpus_revision(connection)
        size = self._size
        if size[0] != revision:
            self._size = size = (revision, count_chunks(connection))
        return size[1]

    def read_beginning(self, connection: sqlite3.Connection, beginning: str) -> Mapping[str, int]:
        """Return the terms with a beginning, and the number of chunks with each; in a transaction likewise."""
        revision = read_corpus_revision(connection)
        known_revision, known = self._beginnings
        if known_revision != revision or sum(map(len, known.values())) > _MAX_TERMS:
            known = {}
            self._beginnings = (revision, known)
        found = known.get(beginning)
        if found is None:
            cursor = connection.cursor()
            cursor.row_factory = None
            found = known[beginning] = dict(cursor.execute(_BEGINNING, (beginning,)))
            of_revision, counts = self._known
            if of_revision == revision and len(counts) < _MAX_TERMS:
                counts.update(found)
        return found


_FEW_CHUNKS = 20_000
"""Maximum number of rows that are scored at once, 0.4 µs each.

Over 212,000 chunks and 140 titles and questions, a limit of 20,000 took 13 ms on average and 28 at the 95th percentile,
10,000 and 40,000 took 13 and 60, 16 and 40, and scoring everything 22 and 73 (2026-11-22). Over 30,000 chunks and 60 queries
a limit of 5,000 takes 0.4 of the median of 20,000 and 0.8 of its mean (2026-11-28).
"""
_SMALLEST_SHARE = 4
"""The limit in a small index is this part of the maximum."""
_CORPUS_SHARE = 8
"""The limit is this part of the chunks, between the two."""
_MAX_TERM_FACTOR = 2.2
"""Upper bound of a term's BM25 score over its inverse frequency: FTS5's k1 + 1."""
_MAX_BOUND = 60.0
"""Bound of the common terms from which on the best chunks are hardly above it. Of strokes of 12 titles over 218,000 chunks those
with a bound up to 28 were, and those from 94 on, with two dozen words that a short beginning may become, were not (2026-11-30)."""


class SplitTerms(NamedTuple):
    """Terms of a query, rare ones apart from common ones; chunks without a rare term score less than `bound`."""

    rare: tuple[str, ...]
    common: tuple[str, ...]
    bound: float


def rarest_first(query: LexicalQuery, frequencies: Mapping[str, int]) -> LexicalQuery:
    """Sort the terms of a query by frequency: FTS5 sums their scores in this order."""
    terms = tuple(sorted(dict.fromkeys(query.terms), key=frequencies.__getitem__))
    return replace(query, terms=terms)


def split_terms(
    query: LexicalQuery, frequencies: Mapping[str, int], *, corpus_size: int
) -> SplitTerms | None:
    """Separate the common terms of a query from the rare ones.

    Args:
        query: Its terms are sorted, the rarest first.
        frequencies: Number of chunks with each term.
        corpus_size: Number of chunks.

    Returns:
        None if few chunks have any of the terms, or too many have common ones; and for full-text syntax and prefixes, whose
        frequencies are unknown.
    """
    if query.syntax is not None or query.prefixes:
        return None
    few = min(_FEW_CHUNKS, max(_FEW_CHUNKS // _SMALLEST_SHARE, corpus_size // _CORPUS_SHARE))
    rows = rare = 0
    for term in query.terms:
        rows += frequencies[term]
        if rows > few and rare:
            break
        rare += 1
    common = query.terms[rare:]
    if not common:
        return None
    bound = sum(fts5_idf(frequencies[term], corpus_size) for term in common) * _MAX_TERM_FACTOR
    return SplitTerms(query.terms[:rare], common, bound) if bound <= _MAX_BOUND else None
