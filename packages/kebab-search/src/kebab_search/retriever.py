"""The way of a query: parse, filter, find candidates by words and vectors, score, order, show a page.

What decides that a hit is first, in the order of the code: BM25 of the index and `ranking.boost`; in the modes vector and
hybrid `fusion.score_candidates`; then `ranking.put_in_order`; and `reranking.rerank` if it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    Analyzer,
    Budget,
    CancelToken,
    Clock,
    ConfigInvalidError,
    DocumentSet,
    DocumentStore,
    IndexVersion,
    KebabError,
    LegFailure,
    LexicalIndex,
    NotIndexedError,
    Remedy,
    Reranker,
    ScoreKind,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
)

from kebab_search.candidate_finder import CandidateFinder
from kebab_search.hits import Method, SourceReader
from kebab_search.initials_search import INITIALS, find_by_initials, read_initials
from kebab_search.lexical_search import BOOSTS, WEIGHTS, LexicalSearch
from kebab_search.query import parse_query
from kebab_search.ranking import Candidate, pool_size, step_above
from kebab_search.reranking import RERANKING
from kebab_search.response import ResponseBuilder, SearchRun, Stopwatch
from kebab_search.retrieval_outcome import RetrievalOutcome
from kebab_search.score import SCORE
from kebab_search.symbol_search import SYMBOLS, FoundSymbol, SymbolSearch
from kebab_search.unfinished_word import part_unfinished

if TYPE_CHECKING:
    from kebab_search.vector_search import VectorSearch


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
        vectors: Opens vector search, or raises why there is none; None: there never is.
        reranker: Opens the reranker, or raises why there is none; None: there never is.
    """

    def __init__(
        self,
        *,
        index: LexicalIndex,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
        vectors: Callable[[], VectorSearch] | None = None,
        reranker: Callable[[], Reranker] | None = None,
    ) -> None:
        self._vectors = vectors
        self._reranker = reranker
        self._lexical = LexicalSearch(index=index, documents=documents, analyzer=analyzer)
        self._symbols = SymbolSearch(index=index, documents=documents)
        self._documents = documents
        self._settings = settings
        self._responses = ResponseBuilder(
            documents=documents,
            analyzer=analyzer,
            clock=clock,
            settings=settings,
        )

    def index_version(self) -> IndexVersion:
        """Label of the analyser and the model: `hybrid:…`, or `lexical:…` without vectors."""
        try:
            return self._vector_version(SearchMode.HYBRID, self._open_vectors())
        except MODEL_FAILURES:
            return self._lexical_version()

    def search(
        self,
        query: SearchQuery,
        *,
        budget: Budget | None = None,
        cancel: CancelToken | None = None,
        read_source: SourceReader | None = None,
    ) -> SearchResponse:
        """Return hits by score, and what was searched.

        Args:
            query: The query; its `max_tokens` is not read.
            budget: Of the page; None is no limit.
            cancel: Looked at between the legs, before each passage that is reranked and before each hit; None: the search cannot be cancelled.
            read_source: Reads the lines of a passage as they stand in its file, of which its snippet is cut; None: of the text of
                the chunk.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: The mode asks for vectors and there are none, or another analyser made the index.
            IndexModelMismatchError: The mode asks for vectors and another model made them.
            ModelMissingError: The mode asks for vectors and the model is not on this machine.
            ConfigInvalidError: The mode asks for vectors and the settings do not fit their model.
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
            ConfigInvalidError: The query asks for a reranker and none is configured.
            WorkCancelledError: The search was cancelled.
        """
        run = SearchRun(query, budget, cancel or CancelToken(), read_source, Stopwatch(self._responses.clock))
        return self._search_by_name(run) or self._search(self._with_reranker(run))

    def search_stages(
        self,
        query: SearchQuery,
        *,
        budget: Budget | None = None,
        cancel: CancelToken | None = None,
        read_source: SourceReader | None = None,
    ) -> Iterator[SearchResponse]:
        """Yield the response of a search by words, then that of the query, both from one search by words.

        Of a query in another mode than hybrid, or for names, there is one response. Args and errors are those of `search`.

        Raises:
            WorkCancelledError: The search was cancelled.
        """
        run = SearchRun(query, budget, cancel or CancelToken(), read_source, Stopwatch(self._responses.clock))
        if (named := self._search_by_name(run)) is not None:
            yield named
        elif query.mode is not SearchMode.HYBRID or self._vectors is None:
            yield self._search(self._with_reranker(run))
        else:
            words = run._replace(query=query.model_copy(update={"mode": SearchMode.LEXICAL}))
            finder = self._begin(words)
            yield self._finish(words, finder)
            yield self._search(self._with_reranker(run), words=finder)

    def _with_reranker(self, run: SearchRun) -> SearchRun:
        """Add the reranker if the query, or else the settings, ask for it.

        Raises:
            ConfigInvalidError: They do, and none is configured.
        """
        wants = self._settings.rerank if run.query.rerank is None else run.query.rerank
        if not wants:
            return run
        if self._reranker is None:
            raise ConfigInvalidError(
                "models.reranker names no model",
                remedy=Remedy(kind="set", setting="models.reranker"),
                key="models.reranker",
            )
        return run._replace(reranker=self._reranker())

    def _search_by_name(self, run: SearchRun) -> SearchResponse | None:
        """Search for symbols if the query asks for them, or for names of documents if it is of initial consonants; else None."""
        if run.query.by_symbol:
            return self._search_symbols(run)
        initials = read_initials(run.query.text)
        if initials and find_by_initials(initials, self._documents, None, limit=1):
            return self._search_initials(run, initials)
        return None

    def _search(self, run: SearchRun, *, words: CandidateFinder | None = None) -> SearchResponse:
        """Search in the mode of the query; without vectors a hybrid search is one by words.

        Args:
            run: The search.
            words: What a search by words has found already.
        """
        if run.query.mode is SearchMode.LEXICAL or (
            run.query.mode is SearchMode.HYBRID and self._vectors is None
        ):
            return self._finish(run, self._begin(run, words=words))
        if run.query.mode is SearchMode.VECTOR:
            return self._finish(run, self._begin(run, self._open_vectors()))
        try:
            return self._finish(run, self._begin(run, self._open_vectors(), words=words))
        except MODEL_FAILURES as error:
            return self._finish(run, self._begin(run, words=words), failure=_failure_of(error))

    def _begin(
        self, run: SearchRun, vectors: VectorSearch | None = None, *, words: CandidateFinder | None = None
    ) -> CandidateFinder:
        """Analyse a query and resolve its filters.

        Args:
            run: The search.
            vectors: Vector search; None: only words.
            words: A finder of the same query that has found words already.
        """
        if words is not None:
            return replace(words, query=run.query, vectors=vectors)
        parsed, unfinished = parse_query(run.query.text), None
        if run.query.unfinished:
            parsed, unfinished = part_unfinished(run.query.text, parsed)
        self._lexical.require_index()
        documents = self._documents.resolve_filters(run.query.filters)
        return CandidateFinder(
            run.query,
            self._lexical.analyze(parsed, documents, unfinished=unfinished),
            documents,
            self._lexical,
            vectors,
            self._documents,
            self._settings,
            run.watch,
        )

    def _finish(
        self, run: SearchRun, finder: CandidateFinder, *, failure: LegFailure | None = None
    ) -> SearchResponse:
        """Find the candidates of a page, and build the response.

        Args:
            run: The search.
            finder: By words alone, or by vectors, and by words too in hybrid mode or if the query binds its hits to words.
            failure: The reason why a hybrid search has no vectors.

        Raises:
            NotIndexedError: There are no vectors, though there could be.
        """
        query, watch, documents = run.query, run.watch, finder.documents
        method = self._method(query.mode, finder.vectors, failure)
        reranked = () if run.reranker is None else (RERANKING, run.reranker.model_ref().id)
        start = self._responses.open_page(query, order=(*self._order(method, finder.vectors), *reranked))
        watch.steps.step(
            "query_analysis", mode=method.mode.value, terms=len(finder.analysis.weighted.searched)
        )
        run.cancel.raise_if_cancelled()
        try:
            outcome = finder.find(max(start.offset + query.k, run.places))
        except NotIndexedError as error:
            if query.mode is SearchMode.HYBRID or not self._is_embedding_pending():
                raise
            return self._responses.build(
                run,
                RetrievalOutcome(finder.analysis, (), is_lexical=False),
                start=start,
                method=method._replace(missing=(SearchMode.VECTOR,), failure=_failure_of(error)),
                documents=documents,
                has_hits_in=lambda _: False,
                has_candidates_in=lambda _: False,
            )
        while (deeper := self._responses.deepen(query, outcome, start=start)) is not None:
            run.cancel.raise_if_cancelled()
            outcome = finder.find(deeper).after(outcome)
        return self._responses.build(
            run,
            outcome,
            start=start,
            method=method,
            documents=documents,
            has_hits_in=finder.has_hits,
            has_candidates_in=finder.has_candidates,
        )

    def _search_symbols(self, run: SearchRun) -> SearchResponse:
        """Search for the symbols of a name."""
        symbols, text = self._symbols, run.query.text

        def find(within: DocumentSet | None, limit: int) -> list[Candidate]:
            return _candidates_of(symbols.find(text, within, limit=limit))

        def find_near(within: DocumentSet | None, limit: int) -> list[Candidate]:
            return _candidates_of(symbols.find_near(text, within, limit=limit))

        return self._search_names(run, SYMBOLS, find, find_near)

    def _search_initials(self, run: SearchRun, initials: str) -> SearchResponse:
        """Search for the documents whose names have these initial consonants."""

        def find(within: DocumentSet | None, limit: int) -> list[Candidate]:
            return find_by_initials(initials, self._documents, within, limit=limit)

        return self._search_names(run, INITIALS, find, lambda _within, _limit: [])

    def _search_names(
        self, run: SearchRun, version: str, find: _NameFinder, find_near: _NameFinder
    ) -> SearchResponse:
        """Search for what has a name.

        Args:
            run: The search.
            version: Of the order.
            find: Finds the candidates, best first.
            find_near: Finds those that are told where there are none.
        """
        query, watch = run.query, run.watch
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
            run,
            outcome,
            start=start,
            method=method,
            documents=documents,
            has_hits_in=lambda within: bool(find(within, limit)),
            has_candidates_in=lambda within: bool(find(within, limit)),
        )

    def _is_embedding_pending(self) -> bool:
        """True if there is nothing to embed, or an ingest has not embedded it yet."""
        coverage = self._responses.count_documents()
        return coverage.ingest_running or not coverage.documents_indexed

    def _open_vectors(self) -> VectorSearch:
        if self._vectors is None:
            raise NotIndexedError(
                "there are no vectors to search",
                remedy=Remedy(kind="use_argument", name="mode", value="lexical"),
            )
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


def _candidates_of(found: Sequence[FoundSymbol]) -> list[Candidate]:
    return [
        Candidate(one.passage, 0.0, rank, one.score, symbol=one.symbol)
        for rank, one in enumerate(found, start=1)
    ]


def _failure_of(error: KebabError) -> LegFailure:
    return LegFailure(code=error.code, message=error.message, remedy=error.remedy)
