"""The way of a query: parse, filter, find candidates by words and vectors, score, order, show a page.

What decides that a hit is first, in the order of the code: BM25 of the index and `ranking.boost`; in the modes vector and
hybrid `fusion.score_candidates`; then `ranking.put_in_order`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    Analyzer,
    ChunkId,
    Clock,
    DocumentSet,
    DocumentStore,
    IndexVersion,
    KebabError,
    LegFailure,
    LexicalIndex,
    NotIndexedError,
    Remedy,
    ScoreKind,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    SymbolIndex,
)

from kebab_search.hits import Method, SourceReader
from kebab_search.initials_search import INITIALS, find_by_initials, read_initials
from kebab_search.lexical_search import BOOSTS, WEIGHTS, LexicalResult, LexicalSearch, QueryAnalysis
from kebab_search.paging import HitCost
from kebab_search.query import is_bound, parse_query
from kebab_search.ranking import Candidate, first_chunk_ids, pool_size, step_above
from kebab_search.response import ResponseBuilder, RetrievalOutcome, Stopwatch
from kebab_search.score import SCORE, has_evidence, keep_hits, score_candidates
from kebab_search.symbol_search import SYMBOLS, FoundSymbol, SymbolSearch

if TYPE_CHECKING:
    from kebab_search.vector_search import VectorQuery, VectorSearch


_NameFinder = Callable[[DocumentSet | None, int], list[Candidate]]


class SearchRetriever:
    """Finds passages in every mode. Implements `Retriever`; thread-safe where its parts are.

    Lexical: passages that hold words of the query, by BM25 and boosts. No vectors are used.

    Vector: passages by the z-score of their cosine with the query among the passages of their script, since cosines
    are lower in another script whatever a passage says. In one script that is the order of the cosines. A passage without
    a vector is not found.

    Hybrid: both. Without vectors it is a lexical search that reports the missing leg. A passage without a vector is scored
    by its words and the mean z-score of its neighbours.

    Exact phrases and full-text syntax say what is a hit in every mode; similarity then only ranks. Filters are resolved
    once, before ranking. The order does not depend on how many hits are asked for, so that the pages of a result together
    are the result; equal scores keep the order of the index: by document path and place in the document.

    A hit is a document, or a page with its translations, at the place of its best passage; with
    `SearchQuery.all_passages`, or a filter that names one document, it is a passage.

    Args:
        index: Terms and where they stand.
        documents: The documents of its chunks.
        analyzer: The one that the index was made with.
        clock: For stale documents and timing.
        settings: Fusion, length of snippets, and when documents are stale.
        cost: Tokens that a hit takes of `SearchQuery.max_tokens`.
        read_source: Text that snippets are cut from; None: that of the chunks.
        vectors: Opens vector search, or raises why there is none; None: there never is.
        symbols: The symbols of source code; None: there are none.
    """

    def __init__(  # noqa: PLR0913 - each is a seam of its own
        self,
        *,
        index: LexicalIndex,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
        cost: HitCost,
        read_source: SourceReader | None = None,
        vectors: Callable[[], VectorSearch] | None = None,
        symbols: SymbolIndex | None = None,
    ) -> None:
        self._vectors = vectors
        self._lexical = LexicalSearch(index=index, documents=documents, analyzer=analyzer, symbols=symbols)
        self._symbols = None if symbols is None else SymbolSearch(index=symbols, documents=documents)
        self._documents = documents
        self._settings = settings
        self._responses = ResponseBuilder(
            documents=documents,
            analyzer=analyzer,
            clock=clock,
            settings=settings,
            cost=cost,
            read_source=read_source,
        )

    def index_version(self) -> IndexVersion:
        """Label of the analyser and the model: `hybrid:…`, or `lexical:…` without vectors."""
        try:
            return self._vector_version(SearchMode.HYBRID, self._open_vectors())
        except MODEL_FAILURES:
            return self._lexical_version()

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return hits by score, and what was searched.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: The mode asks for vectors and there are none, or another analyser made the index.
            IndexModelMismatchError: The mode asks for vectors and another model made them.
            ModelMissingError: The mode asks for vectors and the model is not on this machine.
            ConfigInvalidError: The mode asks for vectors and the settings do not fit their model.
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        if query.by_symbol:
            return self._search_symbols(query)
        if (initials := read_initials(query.text)) and find_by_initials(
            initials, self._documents, None, limit=1
        ):
            return self._search_initials(query, initials)
        if query.mode is SearchMode.LEXICAL or (query.mode is SearchMode.HYBRID and self._vectors is None):
            return self._search(query)
        if query.mode is SearchMode.VECTOR:
            return self._search(query, self._open_vectors())
        try:
            return self._search(query, self._open_vectors())
        except MODEL_FAILURES as error:
            return self._search(query, failure=_failure_of(error))

    def _search(
        self, query: SearchQuery, vectors: VectorSearch | None = None, *, failure: LegFailure | None = None
    ) -> SearchResponse:
        """Search by words alone, or by vectors, and by words too in hybrid mode or if the query binds its hits to words.

        Args:
            query: The query.
            vectors: Vector search; None: only words.
            failure: The reason why a hybrid search has no vectors.

        Raises:
            NotIndexedError: There are no vectors, though there could be.
        """
        watch = Stopwatch(self._responses.clock)
        parsed = parse_query(query.text)
        method = self._method(query.mode, vectors, failure)
        self._lexical.require_index()
        start = self._responses.open_page(query, order=self._order(method, vectors))
        documents = self._documents.resolve_filters(query.filters)
        finder = CandidateFinder(
            query,
            self._lexical.analyze(parsed, documents),
            self._lexical,
            vectors,
            self._documents,
            self._settings,
            watch,
        )
        watch.steps.step(
            "query_analysis", mode=method.mode.value, terms=len(finder.analysis.weighted.searched)
        )
        try:
            outcome = finder.find(documents, start.offset + query.k)
        except NotIndexedError as error:
            if query.mode is SearchMode.HYBRID or not self._is_embedding_pending():
                raise
            return self._responses.build(
                query,
                RetrievalOutcome(finder.analysis, (), is_lexical=False),
                start=start,
                method=method._replace(missing=(SearchMode.VECTOR,), failure=_failure_of(error)),
                documents=documents,
                watch=watch,
                has_hits_in=lambda _: False,
                has_candidates_in=lambda _: False,
            )
        while (deeper := self._responses.deepen(query, outcome, start=start)) is not None:
            outcome = finder.find(documents, deeper).after(outcome)
        return self._responses.build(
            query,
            outcome,
            start=start,
            method=method,
            documents=documents,
            watch=watch,
            has_hits_in=finder.has_hits,
            has_candidates_in=finder.has_candidates,
        )

    def _search_symbols(self, query: SearchQuery) -> SearchResponse:
        """Search for the symbols of a name."""
        symbols = self._symbols

        def find(within: DocumentSet | None, limit: int) -> list[Candidate]:
            return [] if symbols is None else _candidates_of(symbols.find(query.text, within, limit=limit))

        def find_near(within: DocumentSet | None, limit: int) -> list[Candidate]:
            return (
                [] if symbols is None else _candidates_of(symbols.find_near(query.text, within, limit=limit))
            )

        return self._search_names(query, SYMBOLS, find, find_near)

    def _search_initials(self, query: SearchQuery, initials: str) -> SearchResponse:
        """Search for the documents whose names have these initial consonants."""

        def find(within: DocumentSet | None, limit: int) -> list[Candidate]:
            return find_by_initials(initials, self._documents, within, limit=limit)

        return self._search_names(query, INITIALS, find, lambda _within, _limit: [])

    def _search_names(
        self, query: SearchQuery, version: str, find: _NameFinder, find_near: _NameFinder
    ) -> SearchResponse:
        """Search for what has a name.

        Args:
            query: The query.
            version: Of the order.
            find: Finds the candidates, best first.
            find_near: Finds those that are told where there are none.
        """
        watch = Stopwatch(self._responses.clock)
        parsed = parse_query(query.text)
        method = self._method(SearchMode.LEXICAL, None, None)
        self._lexical.require_index()
        start = self._responses.open_page(query, order=(*self._order(method, None), version))
        documents = self._documents.resolve_filters(query.filters)
        limit = pool_size(step_above(start.offset + query.k))
        found = find(documents, limit)
        candidates = found or find_near(documents, limit)
        outcome = RetrievalOutcome(
            self._lexical.analyze(parsed, documents),
            candidates,
            lexical_ms=watch.lap(),
            places=start.offset + query.k,
            is_complete=len(candidates) < limit,
            has_evidence=bool(found),
        )
        return self._responses.build(
            query,
            outcome,
            start=start,
            method=method,
            documents=documents,
            watch=watch,
            has_hits_in=lambda within: bool(find(within, limit)),
            has_candidates_in=lambda within: bool(find(within, limit)),
        )

    def _is_embedding_pending(self) -> bool:
        """True if there is nothing to embed, or an ingest has not embedded it yet."""
        coverage = self._responses.count_documents()
        return coverage.ingest_running or not coverage.documents_indexed

    def _open_vectors(self) -> VectorSearch:
        if self._vectors is None:
            raise NotIndexedError("there are no vectors to search", remedy=Remedy(kind="search_lexical"))
        return self._vectors()

    def _method(self, mode: SearchMode, vectors: VectorSearch | None, failure: LegFailure | None) -> Method:
        if vectors is None:
            missing = (SearchMode.VECTOR,) if mode is SearchMode.HYBRID else ()
            return Method(
                SearchMode.LEXICAL, ScoreKind.PROBABILITY, self._lexical_version(), missing, failure
            )
        fuses_ranks = mode is SearchMode.HYBRID and self._settings.hybrid_fusion == "rrf"
        kind = ScoreKind.RRF if fuses_ranks else ScoreKind.PROBABILITY
        return Method(
            mode, kind, self._vector_version(mode, vectors), embedding_model=vectors.identity.model_id
        )

    def _order(self, method: Method, vectors: VectorSearch | None) -> tuple[str, ...]:
        """List the versions and weights by which hits are ordered."""
        order = (method.index_version, BOOSTS, SCORE, WEIGHTS.model_dump_json())
        if vectors is None:
            return order
        from kebab_search.fusion import FUSION

        fusion = (self._settings.hybrid_fusion, str(self._settings.rrf_k))
        in_hybrid = fusion if method.mode is SearchMode.HYBRID else ()
        return (*order, FUSION, *in_hybrid, vectors.centroids.digest)

    def _vector_version(self, mode: SearchMode, vectors: VectorSearch) -> IndexVersion:
        model = f"{vectors.identity.model_id}@{vectors.identity.model_version}"
        words = f"{self._lexical.version}+" if mode is SearchMode.HYBRID else ""
        return IndexVersion(f"{mode.value}:{words}{model}")

    def _lexical_version(self) -> IndexVersion:
        return IndexVersion(f"lexical:{self._lexical.version}")


@dataclass
class CandidateFinder:
    """Finds the candidates of one query, as deep as asked for."""

    query: SearchQuery
    analysis: QueryAnalysis
    lexical: LexicalSearch
    vectors: VectorSearch | None
    """None: only words."""
    documents: DocumentStore
    settings: SearchSettings
    watch: Stopwatch
    _embedded: VectorQuery | None = field(default=None, init=False)
    _words: LexicalResult | None = field(default=None, init=False)
    """Of the documents that are searched, for the places asked for last."""

    @property
    def is_lexical(self) -> bool:
        """True if words find hits: always but in vector mode, and there for a query that binds its hits to words."""
        return (
            self.vectors is None or self.query.mode is not SearchMode.VECTOR or is_bound(self.analysis.parsed)
        )

    @property
    def vector_query(self) -> VectorQuery | None:
        """The query for vector search, embedded when it is first needed; None without vectors.

        Raises:
            NotIndexedError: There are no vectors yet.
        """
        # A cached_property would hold a lock that all searches share until Python 3.12.
        if self._embedded is None and self.vectors is not None:
            # As typed: meaning bears a misspelt word, and is another one with a word that was only guessed.
            self._embedded = self.vectors.embed_query(parse_query(self.query.text).embedding_text)
            self.watch.steps.step("query_vector")
            self.analysis = self.analysis._replace(script_share=self._embedded.script_share)
        return self._embedded

    def find(self, within: DocumentSet | None, places: int) -> RetrievalOutcome:
        """Find the candidates for the first `places`.

        Args:
            within: Only passages of these documents; None is all.
            places: At least 1.

        Raises:
            InvalidInputError: The full-text syntax of the query is wrong.
            NotIndexedError: There are no vectors yet.
        """
        lexical, steps = self._find_words(within, places, before=self._words), self.watch.steps
        self._words = lexical
        if steps.is_on:
            steps.step(
                "lexical_candidates",
                candidates=len(lexical.by_terms),
                by_surface=len(lexical.by_surface),
                chunk_ids=first_chunk_ids(lexical.ranked()),
            )
        depth = pool_size(step_above(places))
        lexical_ms = self.watch.lap()
        if self.vector_query is None:
            found, is_complete = lexical.merged(), len(lexical.by_terms) < depth
        else:
            found = self._merge(within, lexical, places)
            is_complete = len(found) < depth
            steps.step("vector_candidates", candidates=len(found))
        by_surface = {candidate.chunk_id for candidate in lexical.by_surface}
        scored = self._score(found)
        candidates, unlikely = self._keep_hits(scored, by_surface)
        is_hit = bool(candidates) and self._has_evidence(found)
        if not is_hit:
            candidates, unlikely = scored, []
        return RetrievalOutcome(
            self.analysis._replace(surface_forms=lexical.surface_forms),
            candidates,
            [candidate for candidate in candidates if candidate.chunk_id in by_surface],
            is_lexical=self.is_lexical,
            lexical_ms=lexical_ms,
            vector_ms=0 if self.vector_query is None else self.watch.lap(),
            places=places,
            is_complete=is_complete or bool(unlikely),
            has_evidence=is_hit,
            unlikely=unlikely,
        )

    def has_candidates(self, within: DocumentSet | None) -> bool:
        """True if the query finds any passage of these documents, be it a hit or not; None is all."""
        if self.vector_query is None:
            return self.lexical.has_hits(self.analysis, within)
        return bool(self._score(self._found_in(within)))

    def has_hits(self, within: DocumentSet | None) -> bool:
        """True if the query has hits in these documents; None is all."""
        found = self._found_in(within)
        return self._has_evidence(found) and bool(self._keep_hits(self._score(found), ())[0])

    def _found_in(self, within: DocumentSet | None) -> list[Candidate]:
        words = self._find_words(within, 1)
        return words.merged() if self.vector_query is None else self._merge(within, words, 1)

    def _find_words(
        self, within: DocumentSet | None, places: int, *, before: LexicalResult | None = None
    ) -> LexicalResult:
        if not self.is_lexical:
            return LexicalResult()
        return self.lexical.find(self.analysis, within, places=places, before=before)

    def _merge(self, within: DocumentSet | None, words: LexicalResult, places: int) -> list[Candidate]:
        from kebab_search.fusion import merge_candidates

        if self.vectors is None or self.vector_query is None:
            return []
        return merge_candidates(
            self.analysis,
            self.vector_query,
            words,
            vectors=self.vectors,
            documents=self.documents,
            within=within,
            places=places,
        )

    @property
    def _mode(self) -> SearchMode:
        return SearchMode.LEXICAL if self.vectors is None else self.query.mode

    @property
    def _fuses_ranks(self) -> bool:
        return self._mode is SearchMode.HYBRID and self.settings.hybrid_fusion == "rrf"

    def _keep_hits(
        self, scored: Sequence[Candidate], by_surface: Collection[ChunkId]
    ) -> tuple[list[Candidate], list[Candidate]]:
        # Ranks tell nothing of how likely a passage is.
        return (
            (list(scored), [])
            if self._fuses_ranks
            else keep_hits(scored, self.analysis, by_surface=by_surface)
        )

    def _score(self, found: Sequence[Candidate]) -> list[Candidate]:
        if self._fuses_ranks:
            from kebab_search.fusion import fuse_ranks

            return fuse_ranks(found, k=self.settings.rrf_k)
        return score_candidates(found, self.analysis, mode=self._mode)

    def _has_evidence(self, found: Sequence[Candidate]) -> bool:
        # Words cannot speak for passages in another language, where a filter asks for that.
        asks_for_language = bool(self.query.filters.lang) and all(one.is_cross_script for one in found)
        return has_evidence(found, self.analysis, mode=self._mode, asks_for_language=asks_for_language)


def _candidates_of(found: Sequence[FoundSymbol]) -> list[Candidate]:
    return [
        Candidate(one.passage, 0.0, rank, one.score, symbol=one.symbol)
        for rank, one in enumerate(found, start=1)
    ]


def _failure_of(error: KebabError) -> LegFailure:
    return LegFailure(code=error.code, message=error.message, remedy=error.remedy)
