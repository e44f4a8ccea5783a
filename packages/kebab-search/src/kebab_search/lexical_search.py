"""Lexical search: the passages that hold terms or words of a query, by BM25 and boosts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import IndexedChunk, LexicalQuery, NotIndexedError, Remedy, Term, UnknownWord
from kebab_text import fold, fold_forms

from kebab_search.query import ParsedQuery, Phrase, read_phrases
from kebab_search.ranking import FIRST_POOL, Candidate, boost, pool_size, step_above
from kebab_search.signals import PassageMatch
from kebab_search.spellings import Spellings, add_compounds, replace_unknown_words
from kebab_search.surface_lookup import SurfaceMatches, SurfaceWord, find_surface_words, look_up_surface_words
from kebab_search.symbol_search import SymbolNames, SymbolSearch, read_symbol_names
from kebab_search.term_weights import QueryTerms, WeightedQuery, weigh_query

if TYPE_CHECKING:
    from kebab_core import Analyzer, DocumentId, DocumentStore, LexicalIndex, Selection

    from kebab_search.unfinished_word import UnfinishedWord

BOOSTS = "boosts@5"
"""Version of the lexical order. Change it with the order, so that older cursors become stale."""


class QueryAnalysis(NamedTuple):
    """A query as the analyser and the index see it.

    Attributes:
        parsed: Its words, phrases and prefixes.
        words: Its words; those that no document has are replaced by the nearest.
        weighted: Its terms with their weights.
        phrases: Exact phrases.
        lexical: The query to the index; None if no term could match.
        surface_words: Its words as typed; none in a query of phrases or full-text syntax.
        corpus_size: Chunks in the index.
        match: Matches of the query with passages and names.
        symbols: The names that it may have for symbols of source code; none likewise.
        surface_forms: The form under which a surface word was looked up, by word; filled after the lookup.
        unknown_words: The words that were replaced.
        script_share: Share of the passages that are in the script of the query; filled where vectors are searched.
        may_go_on: Whether the last word is unfinished, and some word of the index begins with it or any may.
    """

    parsed: ParsedQuery
    words: str
    weighted: WeightedQuery
    phrases: tuple[Phrase, ...]
    lexical: LexicalQuery | None
    match: PassageMatch
    surface_words: tuple[SurfaceWord, ...] = ()
    symbols: SymbolNames = SymbolNames()
    corpus_size: int = 0
    surface_forms: Mapping[str, str] = MappingProxyType({})
    unknown_words: tuple[UnknownWord, ...] = ()
    script_share: float = 1.0
    may_go_on: bool = False


class LexicalResult(NamedTuple):
    """Candidates of a lexical search.

    Attributes:
        by_terms: Found by terms, in the order of the index.
        by_surface: Found by words as typed, or as what defines a symbol that the query names; some of `by_terms` again,
            with the score that this adds.
        surface_forms: The form under which a surface word was looked up, by word of the query.
        is_complete: Whether terms find nothing else, however deep one looks.
    """

    by_terms: Sequence[Candidate] = ()
    by_surface: Sequence[Candidate] = ()
    surface_forms: Mapping[str, str] = MappingProxyType({})
    is_complete: bool = True

    def merged(self) -> list[Candidate]:
        """List each chunk once, with the score of its surface words if it has one."""
        by_surface = {candidate.chunk_id: candidate for candidate in self.by_surface}
        first = [by_surface.pop(candidate.chunk_id, candidate) for candidate in self.by_terms]
        return [*first, *by_surface.values()]

    def ranked(self) -> list[Candidate]:
        """List each chunk once, with the score of its terms if it has one."""
        known = {candidate.chunk_id for candidate in self.by_terms}
        return [
            *self.by_terms,
            *(candidate for candidate in self.by_surface if candidate.chunk_id not in known),
        ]


class LexicalSearch:
    """Finds candidates in a lexical index. Thread-safe where its parts are.

    Args:
        index: Terms and symbols, and where they stand.
        documents: The documents of its chunks.
        analyzer: The one that the index was made with.
    """

    def __init__(
        self,
        *,
        index: LexicalIndex,
        documents: DocumentStore,
        analyzer: Analyzer,
    ) -> None:
        self._index = index
        self._documents = documents
        self._spellings = Spellings(index, analyzer)
        self.symbols = SymbolSearch(index=index, documents=documents)
        self.analyzer = analyzer

    def require_index(self) -> None:
        """Check that this analyser reads the index.

        Raises:
            NotIndexedError: Another analyser made it, which has other terms.
        """
        indexed = self._index.analyzer_version()
        if indexed is not None and not self.analyzer.reads(indexed):
            raise NotIndexedError(
                "the index was made by the analyser {indexed!r}, this is {expected!r}",
                remedy=Remedy(kind="ingest"),
                indexed=indexed,
                expected=self.analyzer.version,
            )

    def analyze(
        self,
        parsed: ParsedQuery,
        documents: Selection | None = None,
        *,
        unfinished: UnfinishedWord | None = None,
    ) -> QueryAnalysis:
        """Analyse a query and weigh its terms by their frequency in the index.

        Args:
            parsed: The query.
            documents: Those that will be searched; None is all.
            unfinished: Its last word, if that may go on.
        """
        terms: Sequence[Term] = self.analyzer.analyze_query(parsed.words)
        corpus_size = self._index.corpus_size()
        frequencies = self._index.document_frequencies({term.text for term in terms})
        query = QueryTerms(terms, frequencies, parsed.words)
        if unfinished is not None:
            from kebab_search.unfinished_word import complete_word, find_beginning

            query = complete_word(unfinished, query, index=self._index)
            if not query.known and (begun := find_beginning(unfinished, index=self._index)):
                cut = replace(parsed, words=parsed.words[: unfinished.start] + begun)
                return self.analyze(cut, documents)._replace(may_go_on=True)
        may_go_on = unfinished is not None and (bool(query.known) or unfinished.says_nothing)
        if parsed.raw is None:
            spellings, revision = self._spellings, self._documents.corpus_revision()
            query = add_compounds(query, spellings=spellings, revision=revision)
            query = replace_unknown_words(
                query, parsed.phrases, spellings=spellings, revision=revision, documents=documents
            )
        weighted = weigh_query(
            query.terms,
            frequencies=query.frequencies,
            corpus_size=corpus_size,
            prefixes=parsed.prefixes,
            accented=_accented_words(parsed.words, query.terms),
            apart=query.apart,
            guessed=query.guessed,
            text=query.text,
        )
        phrases = read_phrases(parsed, self.analyzer)
        is_free = parsed.raw is None and not phrases
        symbols = read_symbol_names(parsed.words) if is_free else SymbolNames()
        symbols = self.symbols.correct(symbols)
        return QueryAnalysis(
            parsed,
            query.text,
            weighted,
            phrases,
            _lexical_query(parsed, weighted, phrases),
            PassageMatch(
                weighted,
                analyzer=self.analyzer,
                frequencies=self._index.document_frequencies,
                corpus_size=corpus_size,
                symbols=symbols,
                typed=query.text,
            ),
            tuple(word for _, word in find_surface_words(parsed.words, weighted.terms)) if is_free else (),
            symbols,
            corpus_size,
            unknown_words=query.unknown,
            may_go_on=may_go_on,
        )

    def find(
        self,
        analysis: QueryAnalysis,
        documents: Selection | None,
        *,
        places: int,
        before: LexicalResult | None = None,
    ) -> LexicalResult:
        """Find the candidates for the first `places` ranks.

        Args:
            analysis: The query.
            documents: Only passages of these; None is all of them.
            places: At least 1.
            before: The result for fewer places, which this one begins with.

        Raises:
            InvalidInputError: The full-text syntax of the query is wrong.
        """
        limit = pool_size(step_above(places))
        known = () if before is None else before.by_terms[:limit]
        if before is not None and (before.is_complete or len(known) == limit):
            return before._replace(by_terms=known)
        matches = self._matches(analysis, documents, limit=limit, skipped=len(known))
        by_terms = [
            *known,
            *(
                Candidate(item, bm25, rank, bm25 + boost(analysis.weighted, item))
                for rank, (item, bm25) in enumerate(matches, start=len(known) + 1)
            ),
        ]
        if before is not None:  # what is looked up does not depend on the places
            return before._replace(by_terms=by_terms, is_complete=len(by_terms) < limit)
        surface = self._look_up(analysis, [one.passage for one in by_terms[:FIRST_POOL]], documents)
        named = self.symbols.find_named(analysis.symbols, documents)
        by_surface = self._surface_candidates(analysis, surface, named, by_terms[:FIRST_POOL])
        return LexicalResult(by_terms, by_surface, surface.forms, len(by_terms) < limit)

    def has_hits(
        self, analysis: QueryAnalysis, documents: Selection | None, *, without: Collection[DocumentId] = ()
    ) -> bool:
        """True if anything is found in these documents, but in none of a few others."""
        if documents is not None and not documents:
            return False
        query = analysis.lexical
        if query is not None and self._index.count_matches(query, documents=documents, without=without):
            return True
        found = self._documents.get_chunks(list(self._look_up(analysis, (), documents).weights))
        return any(each.document.doc_id not in without for each in found)

    def _matches(
        self, analysis: QueryAnalysis, documents: Selection | None, *, limit: int, skipped: int
    ) -> list[tuple[IndexedChunk, float]]:
        """List the chunks with their BM25, best first, without the first ones that are skipped."""
        if analysis.lexical is None or (documents is not None and not documents):
            return []
        matches = self._index.search(analysis.lexical, limit=limit, documents=documents)[skipped:]
        chunks = self._documents.get_chunks([match.chunk_id for match in matches])
        found = {item.chunk.chunk_id: item for item in chunks}
        return [(item, match.bm25) for match in matches if (item := found.get(match.chunk_id)) is not None]

    def _look_up(
        self, analysis: QueryAnalysis, first: Sequence[IndexedChunk], documents: Selection | None
    ) -> SurfaceMatches:
        if not analysis.surface_words or (documents is not None and not documents):
            return SurfaceMatches({}, {})
        return look_up_surface_words(
            analysis.surface_words,
            first,
            weights=analysis.weighted.weights,
            corpus_size=analysis.corpus_size,
            index=self._index,
            documents=documents,
        )

    def _surface_candidates(
        self,
        analysis: QueryAnalysis,
        surface: SurfaceMatches,
        named: Sequence[IndexedChunk],
        first: Sequence[Candidate],
    ) -> list[Candidate]:
        """Make candidates of the chunks that were looked up, with their BM25 only if that is among the first.

        Those of `named` define symbols that the query names.
        """
        known = {candidate.chunk_id: candidate for candidate in first}
        candidates = []
        looked_up = [*self._documents.get_chunks(list(surface.weights)), *named]
        for place, item in enumerate({item.chunk.chunk_id: item for item in looked_up}.values(), start=1):
            weight = surface.weights.get(item.chunk.chunk_id, 0.0)
            candidate = known.get(item.chunk.chunk_id) or Candidate(
                item, 0.0, len(first) + place, boost(analysis.weighted, item)
            )
            candidates.append(candidate._replace(score=candidate.score + weight))
        return candidates


def _accented_words(query: str, terms: Sequence[Term]) -> Mapping[str, str]:
    """Return the words of a query that are typed with diacritics, by their terms."""
    if query.isascii():
        return {}
    typed = {term.text: fold_forms(query[term.start : term.end]).text.lower() for term in terms}
    return {text: written for text, written in typed.items() if written != text == fold(written)}


def _lexical_query(
    parsed: ParsedQuery, weighted: WeightedQuery, phrases: tuple[Phrase, ...]
) -> LexicalQuery | None:
    """Build the query to the index; None if nothing in it could match."""
    if parsed.raw is not None:
        from kebab_search.syntax import parse_syntax

        return LexicalQuery(syntax=parse_syntax(parsed.raw))
    if phrases:
        # A phrase of common words must not miss its chunks because only rarer terms were searched.
        return LexicalQuery(
            terms=tuple(weighted.weights),
            prefixes=parsed.prefixes,
            phrases=tuple(phrase.words for phrase in phrases if not phrase.is_open),
            open_phrases=tuple(phrase.words for phrase in phrases if phrase.is_open),
        )
    if not weighted.searched and not parsed.prefixes:
        return None
    return LexicalQuery(terms=weighted.searched, prefixes=parsed.prefixes)
