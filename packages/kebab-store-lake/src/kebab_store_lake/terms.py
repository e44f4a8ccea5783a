"""The index of words and symbols of one revision of a lake."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from kebab_core import (
    ChunkId,
    ChunkTerms,
    CodeRole,
    LexicalMatch,
    Selection,
    StoredSymbol,
    SurfaceMatches,
    SyntaxGroup,
    SyntaxWords,
)

from kebab_store_lake.committer import RANKED, SURFACE
from kebab_store_lake.selection import LakeSelection, condition_of
from kebab_store_lake.tables import batches, one_of, quoted

if TYPE_CHECKING:
    from kebab_core import AnalyzerVersion, DocumentId, LexicalQuery

    from kebab_store_lake.revision import LakeRevision
    from kebab_store_lake.tables import Row

RANKING = "lance:title-title-heading-body"
"""Terms of the title count twice; those of headings and body once: nDCG@10 .9202 on tydiqa-goldp-ko, as FTS5's weights (.9217; 2026-11-28)."""
_TIE_MARGIN = 64
"""Rows fetched beyond the limit, so that ties at the limit seldom need a second query."""
_MOST_WITH_PHRASES = 10_000
"""Passages with the phrases of a query that are looked at."""
_MOST_WORDS = 500
"""Words that a beginning stands for, the first ones."""
_WORDS_AT_ONCE = 1000
_MOST_SEEN = 50_000
"""Words whose frequencies are kept in memory."""
_AFTER_ALL = "\U0010ffff"
"""After every text that begins alike."""
_SYMBOL = ("name", "symbol", "role", "chunk_id", "doc_id", "source_id", "path", "ordinal", "place")
_PLACE = ("chunk_id", "path", "ordinal", "source_id")
_NOISE = 5
"""Decimals of a score that is a difference of two."""
_NO_WORD = "\0"
"""In no passage."""


class LakeLexicalIndex:
    """Implements `LexicalIndex` over a revision; usable from several threads."""

    ranking = RANKING

    def __init__(self, revision: LakeRevision) -> None:
        self._revision = revision
        self._beginnings: dict[tuple[str, str], Mapping[str, int]] = {}
        self._frequencies: dict[str, int] = {}

    def search(
        self, query: LexicalQuery, *, limit: int, documents: Selection | None = None
    ) -> list[LexicalMatch]:
        """Return the best chunks, best first, ties by path, ordinal and source."""
        scores = self._scores(query, limit=limit, documents=documents)
        least = sorted(scores.values(), reverse=True)[:limit][-1:]
        # of passages that are no hits, nothing is read
        found = self._revision.passages_at([row for row in scores if [scores[row]] >= least])
        ordered = sorted(found.items(), key=lambda item: (-scores[item[0]], *item[1].place))
        return [LexicalMatch(ChunkId(passage.chunk_id), scores[row]) for row, passage in ordered[:limit]]

    def _scores(
        self,
        query: LexicalQuery,
        *,
        limit: int,
        documents: Selection | None,
        without: Collection[DocumentId] = (),
    ) -> dict[int, float]:
        """Return the scores of at least the best rows, and of all that are as good as the last of them."""
        if not self._revision.head.passages or (documents is not None and not documents):
            return {}
        where = condition_of(documents, without)
        if query.syntax is not None:
            return self._best(self._syntax_query(query.syntax), where, limit)
        terms = list(query.terms)
        for prefix in query.prefixes:
            terms += self._words(RANKED, prefix)
        phrases = self._phrase_query(query)
        if phrases is not None:
            return self._with_phrases(phrases, terms, where)
        return self._best(_any_of(terms, "ranked"), where, limit) if terms else {}

    def count_matches(
        self,
        query: LexicalQuery,
        *,
        limit: int = 1,
        documents: Selection | None = None,
        without: Collection[DocumentId] = (),
    ) -> int:
        """Count what `search` finds, up to a limit."""
        return min(limit, len(self._scores(query, limit=limit, documents=documents, without=without)))

    def _best(self, query: Any, where: str | None, limit: int) -> dict[int, float]:
        passages = self._revision.table("passages")
        rows = passages.match(query, where, limit=limit + _TIE_MARGIN)
        if len(rows) == limit + _TIE_MARGIN and rows[limit - 1]["_score"] == rows[-1]["_score"]:
            rows = passages.match(query, where, limit=self._revision.head.passages)
        return {row["_rowid"]: row["_score"] for row in rows}

    def _with_phrases(self, phrases: Any, terms: Sequence[str], where: str | None) -> dict[int, float]:
        """Score the passages with the phrases by the terms alone."""
        passages = self._revision.table("passages")
        found = passages.match(phrases, where, limit=_MOST_WITH_PHRASES)
        alone = {row["_rowid"]: row["_score"] for row in found}
        scores = dict.fromkeys(alone, 0.0)
        if alone and terms:
            both = _every([phrases], better_with=[_any_of(terms, "ranked")])
            for row in passages.match(both, where, limit=_MOST_WITH_PHRASES):
                if (number := row["_rowid"]) in alone:
                    scores[number] = round(max(0.0, row["_score"] - alone[number]), _NOISE)
        return scores

    def find_surface_words(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> SurfaceMatches:
        """Return the first chunks with a surface word that starts with `beginning`, and their number in all documents."""
        words = self._words(SURFACE, beginning) if beginning else []
        if not words:
            return SurfaceMatches((), 0)
        passages, most = self._revision.table("passages"), self._revision.head.passages
        query = _any_of(words, "surface")
        chosen = whole = passages.match(query, None, limit=most, columns=_PLACE)
        if documents is not None:
            where = condition_of(documents)
            chosen = passages.match(query, where, limit=most, columns=_PLACE) if documents else []
        chunk_ids = [ChunkId(row["chunk_id"]) for row in sorted(chosen, key=_place)]
        return SurfaceMatches(tuple(chunk_ids[:limit]), len(whole))

    def has_surface_word(self, beginning: str) -> bool:
        """Return True if a chunk has a surface word that starts with `beginning`."""
        words = self._words(SURFACE, beginning)
        passages = self._revision.table("passages")
        return bool(words) and bool(passages.match(_any_of(words, "surface"), None, limit=1))

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks with each term."""
        wanted = list(dict.fromkeys(terms))
        if len(self._frequencies) > _MOST_SEEN:
            self._frequencies = {}
        known = self._frequencies
        for some in batches([term for term in wanted if term not in known], _WORDS_AT_ONCE):
            where = f"kind = '{RANKED}' AND {one_of('term', some)}"
            rows = self._revision.table("terms").scan(["term", "frequency"], where)
            known |= dict.fromkeys(some, 0) | {row["term"]: row["frequency"] for row in rows}
        return {term: known[term] for term in wanted}

    def list_terms(self, beginnings: Iterable[str]) -> Mapping[str, int]:
        """Return the terms that start with one of some texts, and the number of chunks with each."""
        found: dict[str, int] = {}
        for beginning in filter(None, dict.fromkeys(beginnings)):
            found |= self._beginning(RANKED, beginning)
        return found

    def read_terms(self, doc_id: DocumentId) -> list[ChunkTerms]:
        """Return the terms of a document's chunks, by ordinal; all that are ranked in `body`."""
        columns = ["ordinal", "ranked", "surface"]
        rows = self._revision.table("passages").read(columns, f"doc_id = {quoted(doc_id)}")
        return [
            ChunkTerms(title="", heading="", body=row["ranked"], surface=row["surface"])
            for row in sorted(rows, key=itemgetter("ordinal"))
        ]

    def corpus_size(self) -> int:
        """Count the chunks."""
        return self._revision.head.passages

    def analyzer_version(self) -> AnalyzerVersion | None:
        """Return the version of the analyser that made the terms; None while the index is empty."""
        return self._revision.head.analyzer_version

    def find_symbols(
        self, names: Collection[str], *, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the symbols with one of these folded names, by document path, ordinal and place."""
        rows = self._symbols(one_of("name", names), documents) if names and self._revision.has_symbols else []
        return list(map(_symbol_of, rows))

    def find_symbols_beginning(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the first symbols with a name that begins so, by name, then as `find_symbols`."""
        if not beginning:
            return []
        rows = self._symbols(_begins("name", beginning), documents)
        rows.sort(key=lambda row: row["name"])
        return list(map(_symbol_of, rows[:limit]))

    def list_symbol_names(self) -> list[str]:
        """Return the folded names of all symbols, each once, sorted."""
        return sorted({row["name"] for row in self._revision.table("symbols").scan(["name"])})

    def _symbols(self, where: str, documents: Selection | None) -> list[Row]:
        rows = self._revision.table("symbols").read(_SYMBOL, where)
        if documents is not None:
            ids = {row["doc_id"] for row in rows}
            chosen = documents.among(ids) if isinstance(documents, LakeSelection) else ids & documents
            rows = [row for row in rows if row["doc_id"] in chosen]
        return sorted(rows, key=lambda row: (row["path"], row["ordinal"], row["place"], row["source_id"]))

    def _phrase_query(self, query: LexicalQuery) -> Any:
        """Return the query for passages with all phrases; None without any."""
        phrases = [_side_by_side(words, "surface") for words in query.phrases if words]
        phrases += [self._open_phrase(words, SURFACE, "surface") for words in query.open_phrases if words]
        return _every(phrases) if phrases else None

    def _open_phrase(self, words: Sequence[str], kind: str, column: str) -> Any:
        """Return the query for words side by side, the last of which is the beginning of one."""
        *first, last = words
        endings = self._words(kind, last) or [_NO_WORD]
        if not first:
            return _any_of(endings, column)
        return _either([_side_by_side((*first, ending), column) for ending in endings])

    def _syntax_query(self, syntax: SyntaxWords | SyntaxGroup) -> Any:
        if isinstance(syntax, SyntaxWords):
            if syntax.is_open:
                return self._open_phrase(syntax.texts, RANKED, "ranked")
            return _side_by_side(syntax.texts, "ranked")
        parts = list(map(self._syntax_query, syntax.parts))
        if syntax.operator == "NOT":
            return _every(parts[:1], without=parts[1:])
        return _either(parts) if syntax.operator == "OR" else _every(parts)

    def _words(self, kind: str, beginning: str) -> list[str]:
        return sorted(self._beginning(kind, beginning))[:_MOST_WORDS] if beginning else []

    def _beginning(self, kind: str, beginning: str) -> Mapping[str, int]:
        """Return the words with a beginning, and their frequencies."""
        found = self._beginnings.get((kind, beginning))
        if found is None:
            where = f"kind = '{kind}' AND {_begins('term', beginning)}"
            rows = self._revision.table("terms").scan(["term", "frequency"], where)
            found = self._beginnings[kind, beginning] = {row["term"]: row["frequency"] for row in rows}
        return found


def _begins(column: str, beginning: str) -> str:
    return f"{column} >= {quoted(beginning)} AND {column} < {quoted(beginning + _AFTER_ALL)}"


def _place(row: Row) -> tuple[str, int, str]:
    return row["path"], row["ordinal"], row["source_id"]


def _symbol_of(row: Row) -> StoredSymbol:
    return StoredSymbol(
        ChunkId(row["chunk_id"]), row["place"], row["symbol"], row["role"] and CodeRole(row["role"])
    )


def _any_of(words: Iterable[str], column: str) -> Any:
    """Return the query for rows with one of some words."""
    from lance.query import MatchQuery

    return MatchQuery(" ".join(dict.fromkeys(words)), column)


def _side_by_side(words: Sequence[str], column: str) -> Any:
    """Return the query for rows with words side by side."""
    from lance.query import MatchQuery, PhraseQuery

    text = " ".join(words)
    return PhraseQuery(text, column) if len(text.split()) > 1 else MatchQuery(text or _NO_WORD, column)


def _every(queries: Sequence[Any], *, better_with: Sequence[Any] = (), without: Sequence[Any] = ()) -> Any:
    """Return the query for rows that all of some find, and none of `without`; those of `better_with` only add to scores."""
    from lance.query import BooleanQuery, Occur

    if len(queries) == 1 and not better_with and not without:
        return queries[0]
    return BooleanQuery([
        *((Occur.MUST, query) for query in queries),
        *((Occur.SHOULD, query) for query in better_with),
        *((Occur.MUST_NOT, query) for query in without),
    ])


def _either(queries: Sequence[Any]) -> Any:
    """Return the query for rows that one of some finds."""
    from lance.query import BooleanQuery, Occur

    return BooleanQuery([(Occur.SHOULD, query) for query in queries])
