"""The way of a query: parse, filter, find candidates by words and vectors, score, order, show a page.

What decides that a hit is first, in the order of the code: BM25 of the index and `ranking.boost`; in the modes vector and
hybrid `fusion.score_candidates`; then `ranking.put_in_order`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    Analyzer,
    Clock,
    DocumentSet,
    DocumentStore,
    IndexVersion,
    LegFailure,
    LexicalIndex,
    NotIndexedError,
    Remedy,
    ScoreKind,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
)

from kebab_search.lexical_search import BOOSTS, WEIGHTS, LexicalResult, LexicalSearch, QueryAnalysis
from kebab_search.paging import Cursor, HitCost, Pages
from kebab_search.query import is_bound, parse_query
from kebab_search.ranking import Candidate
from kebab_search.response import Method, ResponseBuilder, RetrievalOutcome, Stopwatch

if TYPE_CHECKING:
    from kebab_search.vector_search import VectorSearch


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

    Args:
        index: Terms and where they stand.
        documents: The documents of its chunks.
        analyzer: The one that the index was made with.
        clock: For stale documents and timing.
        settings: Fusion, length of snippets, and when documents are stale.
        cost: Tokens that a hit takes of `SearchQuery.max_tokens`.
        vectors: Opens vector search, or raises why there is none; None: there never is.
    """

    def __init__(
        self,
        *,
        index: LexicalIndex,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
        cost: HitCost,
        vectors: Callable[[], VectorSearch] | None = None,
    ) -> None:
        self._vectors = vectors
        self._lexical = LexicalSearch(index=index, documents=documents, analyzer=analyzer)
        self._documents = documents
        self._settings = settings
        self._responses = ResponseBuilder(
            documents=documents, analyzer=analyzer, clock=clock, settings=settings, cost=cost
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
        if query.mode is SearchMode.LEXICAL or (query.mode is SearchMode.HYBRID and self._vectors is None):
            return self._search_lexical(query)
        if query.mode is SearchMode.VECTOR:
            return self._search_with_vectors(query, self._open_vectors())
        try:
            return self._search_with_vectors(query, self._open_vectors())
        except MODEL_FAILURES as error:
            failure = LegFailure(code=error.code, message=error.message, remedy=error.remedy)
            return self._search_lexical(query, failure=failure)

    def _search_lexical(self, query: SearchQuery, *, failure: LegFailure | None = None) -> SearchResponse:
        """Search by words; `failure` says why a hybrid search has no vectors."""
        watch = Stopwatch(self._responses.clock)
        parsed = parse_query(query.text)
        method = Method(
            SearchMode.LEXICAL,
            ScoreKind.BM25,
            self._lexical_version(),
            missing=(SearchMode.VECTOR,) if query.mode is SearchMode.HYBRID else (),
            failure=failure,
            parsed=parsed,
        )
        self._lexical.require_index()
        order = (method.index_version, BOOSTS, WEIGHTS.model_dump_json())
        pages, start = self._responses.open(query, order=order)
        analysis = self._lexical.analyze(parsed)
        documents = self._documents.resolve_filters(query.filters)
        watch.steps.step("query_analysis", mode="lexical", terms=len(analysis.weighted.searched))
        result = self._lexical.find(analysis, documents, places=start.offset + query.k)
        watch.steps.step(
            "lexical_candidates", candidates=len(result.by_terms), by_surface=len(result.by_surface)
        )
        analysis = analysis._replace(surface_forms=result.surface_forms)
        return self._responses.build(
            query,
            RetrievalOutcome(analysis, result.ranked(), result.by_surface, lexical_ms=watch.lap()),
            opened=(pages, start),
            method=method,
            documents=documents,
            watch=watch,
            has_hits_under=lambda filters: self._lexical.has_hits(
                analysis, self._documents.resolve_filters(filters)
            ),
        )

    def _search_with_vectors(self, query: SearchQuery, vectors: VectorSearch) -> SearchResponse:
        """Search by vectors, and by words too in hybrid mode or if the query binds its hits to words.

        Raises:
            NotIndexedError: There are no vectors, though there could be.
        """
        from kebab_search.fusion import FUSION, CandidateMerger, HybridQuery, score_candidates

        watch = Stopwatch(self._responses.clock)
        parsed = parse_query(query.text)
        method = self._vector_method(query.mode, vectors)._replace(parsed=parsed)
        self._lexical.require_index()
        fusion = (self._settings.hybrid_fusion, str(self._settings.rrf_k))
        order = (*(fusion if query.mode is SearchMode.HYBRID else ()), vectors.centroids.digest)
        opened = self._responses.open(
            query, order=(method.index_version, BOOSTS, WEIGHTS.model_dump_json(), FUSION, *order)
        )
        documents = self._documents.resolve_filters(query.filters)
        places = opened[1].offset + query.k
        analysis = self._lexical.analyze(parsed)
        is_lexical = query.mode is SearchMode.HYBRID or is_bound(parsed)

        def find_lexical(within: DocumentSet | None, places: int) -> LexicalResult:
            return self._lexical.find(analysis, within, places=places) if is_lexical else LexicalResult()

        watch.steps.step("query_analysis", mode=query.mode.value, terms=len(analysis.weighted.searched))
        lexical = find_lexical(documents, places)
        watch.steps.step(
            "lexical_candidates", candidates=len(lexical.by_terms), by_surface=len(lexical.by_surface)
        )
        lexical_ms = watch.lap()
        try:
            vector_query = vectors.embed_query(parsed.embedding_text)
        except NotIndexedError as error:
            if query.mode is SearchMode.HYBRID or not self._is_embedding_pending():
                raise
            return self._respond_pending(query, analysis, method, failure=error, opened=opened, watch=watch)
        watch.steps.step("query_vector")
        hybrid_query = HybridQuery(analysis, vector_query, is_bound(parsed))
        merger = CandidateMerger(self._documents, vectors)

        def score(within: DocumentSet | None, words: LexicalResult, places: int) -> list[Candidate]:
            merged = merger.merge(hybrid_query, words, within, places=places)
            watch.steps.step("vector_candidates", candidates=len(merged))
            return score_candidates(merged, hybrid_query, mode=query.mode, settings=self._settings)

        def has_hits_under(filters: SearchFilters) -> bool:
            within = self._documents.resolve_filters(filters)
            return bool(score(within, find_lexical(within, 1), 1))

        candidates = score(documents, lexical, places)
        by_surface = {candidate.chunk_id for candidate in lexical.by_surface}
        return self._responses.build(
            query,
            RetrievalOutcome(
                analysis._replace(surface_forms=lexical.surface_forms),
                candidates,
                [candidate for candidate in candidates if candidate.chunk_id in by_surface],
                is_lexical=is_lexical,
                lexical_ms=lexical_ms,
                vector_ms=watch.lap(),
            ),
            opened=opened,
            method=method,
            documents=documents,
            watch=watch,
            has_hits_under=has_hits_under,
        )

    def _is_embedding_pending(self) -> bool:
        """True if there is nothing to embed, or an ingest has not embedded it yet."""
        coverage = self._responses.count_documents()
        return coverage.ingest_running or not coverage.documents_indexed

    def _respond_pending(
        self,
        query: SearchQuery,
        analysis: QueryAnalysis,
        method: Method,
        *,
        failure: NotIndexedError,
        opened: tuple[Pages, Cursor],
        watch: Stopwatch,
    ) -> SearchResponse:
        """Return no hits, with the reason that vectors are still to come."""
        why = LegFailure(code=failure.code, message=failure.message, remedy=failure.remedy)
        return self._responses.build(
            query,
            RetrievalOutcome(analysis, (), is_lexical=False),
            opened=opened,
            method=method._replace(missing=(SearchMode.VECTOR,), failure=why),
            documents=self._documents.resolve_filters(query.filters),
            watch=watch,
            has_hits_under=lambda _: False,
        )

    def _open_vectors(self) -> VectorSearch:
        if self._vectors is None:
            raise NotIndexedError("there are no vectors to search", remedy=Remedy(kind="search_lexical"))
        return self._vectors()

    def _vector_method(self, mode: SearchMode, vectors: VectorSearch) -> Method:
        fuses_ranks = mode is SearchMode.HYBRID and self._settings.hybrid_fusion == "rrf"
        kind = ScoreKind.RRF if fuses_ranks else ScoreKind.CALIBRATED
        return Method(
            mode, kind, self._vector_version(mode, vectors), embedding_model=vectors.identity.model_id
        )

    def _vector_version(self, mode: SearchMode, vectors: VectorSearch) -> IndexVersion:
        model = f"{vectors.identity.model_id}@{vectors.identity.model_version}"
        words = f"{self._lexical.version}+" if mode is SearchMode.HYBRID else ""
        return IndexVersion(f"{mode.value}:{words}{model}")

    def _lexical_version(self) -> IndexVersion:
        return IndexVersion(f"lexical:{self._lexical.version}")
