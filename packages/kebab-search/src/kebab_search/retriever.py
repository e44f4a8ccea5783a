"""The way of a query: parse, filter, find candidates by words and vectors, score, order, show a page.

What decides that a hit is first, in the order of the code: BM25 of the index and `ranking.boost`; in the modes vector and
hybrid `fusion.score_candidates`; then `ranking.put_in_order`; and `reranking.rerank` if it is asked for.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    Budget,
    CancelToken,
    ConfigInvalidError,
    IndexVersion,
    KebabError,
    LegFailure,
    NotIndexedError,
    Remedy,
    ScoreKind,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
)

from kebab_search.candidate_finder import (
    CandidateFinder,
    PageStart,
    RetrievalOutcome,
    SearchRun,
    Stopwatch,
)
from kebab_search.hits import Method, SourceReader
from kebab_search.lexical_search import BOOSTS, LexicalSearch
from kebab_search.query import parse_query, read_initials
from kebab_search.response import ResponseBuilder
from kebab_search.score import SCORE

if TYPE_CHECKING:
    from kebab_core import Analyzer, Clock, DocumentStore, LexicalIndex, Reranker, Selection

    from kebab_search.lexical_search import QueryAnalysis
    from kebab_search.name_search import Finder, NameFinder
    from kebab_search.vector_search import VectorSearch

_LOG = logging.getLogger("kebab.search")


@dataclass(kw_only=True, eq=False)
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
    """

    index: LexicalIndex
    """Terms and where they stand."""
    documents: DocumentStore
    """The documents of its chunks."""
    analyzer: Analyzer
    """The one that the index was made with."""
    clock: Clock
    """For stale documents and timing."""
    settings: SearchSettings
    """Fusion, length of snippets, and when documents are stale."""
    vectors: Callable[[], VectorSearch] | None = None
    """Opens vector search, or raises why there is none; None: there never is."""
    reranker: Callable[[], Reranker] | None = None
    """Opens the reranker, or raises why there is none; None: there never is."""
    read_source: SourceReader | None = None
    """Reads the lines of a passage as they stand in its file, of which snippets are cut if the query asks for that; None: they are
    cut of the text of the chunk."""

    def __post_init__(self) -> None:
        documents = self.documents
        self._lexical = LexicalSearch(index=self.index, documents=documents, analyzer=self.analyzer)
        self._responses = ResponseBuilder(
            documents=documents,
            analyzer=self.analyzer,
            clock=self.clock,
            settings=self.settings,
            read_source=self.read_source,
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
    ) -> SearchResponse:
        """Return hits by score, and what was searched.

        Args:
            query: The query; its `max_tokens` is not read.
            budget: Of the page; None is no limit.
            cancel: Looked at between the legs, before each passage that is reranked and before each hit; None: the search cannot be cancelled.

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
        run = SearchRun(query, budget, cancel or CancelToken(), Stopwatch(self._responses.clock))
        named = self._begin_by_name(run)
        return self._search(self._with_reranker(run)) if named is None else self._finish(run, named)

    def search_stages(
        self,
        query: SearchQuery,
        *,
        budget: Budget | None = None,
        cancel: CancelToken | None = None,
    ) -> Iterator[SearchResponse]:
        """Yield the response of a search by words, then that of the query, both from one search by words.

        Of a query in another mode than hybrid, or for names, there is one response. Args and errors are those of `search`.

        Raises:
            WorkCancelledError: The search was cancelled.
        """
        run = SearchRun(query, budget, cancel or CancelToken(), Stopwatch(self._responses.clock))
        if (named := self._begin_by_name(run)) is not None:
            yield self._finish(run, named)
        elif query.mode is not SearchMode.HYBRID or self.vectors is None:
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
        wants = self.settings.rerank if run.query.rerank is None else run.query.rerank
        if not wants:
            return run
        if self.reranker is None:
            raise ConfigInvalidError(
                "models.reranker names no model",
                remedy=Remedy(kind="set", setting="models.reranker"),
                key="models.reranker",
            )
        return run._replace(reranker=self.reranker())

    def _begin_by_name(self, run: SearchRun) -> NameFinder | None:
        """Begin a search for symbols if the query asks for them, or for names of documents if it is of initial consonants; else None."""
        query = run.query
        if not query.by_symbol and not read_initials(query.text):
            return None
        from kebab_search.name_search import InitialsSearch, NameFinder

        names = self._lexical.symbols if query.by_symbol else InitialsSearch(self.documents)
        if not query.by_symbol and not names.find(query.text, None, limit=1):
            return None
        documents, analysis = self._analyze(query)
        return NameFinder(query, analysis, documents, names, run.watch)

    def _analyze(
        self, query: SearchQuery, *, unfinished: bool = False
    ) -> tuple[Selection | None, QueryAnalysis]:
        """Resolve the filters of a query, and analyse it, with a last word that may go on; the documents are None for all."""
        typed = parsed = parse_query(query.text)
        word = None
        if unfinished:
            from kebab_search.unfinished_word import part_unfinished

            parsed, word = part_unfinished(query.text, parsed)
        self._lexical.require_index()
        documents = self.documents.resolve_filters(query.filters)
        return documents, self._lexical.analyze(parsed, documents, unfinished=word)._replace(parsed=typed)

    def _search(self, run: SearchRun, *, words: CandidateFinder | None = None) -> SearchResponse:
        """Search in the mode of the query; without vectors a hybrid search is one by words.

        Args:
            run: The search.
            words: What a search by words has found already.
        """
        if run.query.mode is SearchMode.LEXICAL or (
            run.query.mode is SearchMode.HYBRID and self.vectors is None
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
        documents, analysis = self._analyze(run.query, unfinished=run.query.unfinished)
        return CandidateFinder(
            run.query,
            analysis,
            documents,
            self._lexical,
            vectors,
            self.documents,
            self.settings,
            run.watch,
        )

    def _finish(self, run: SearchRun, finder: Finder, *, failure: LegFailure | None = None) -> SearchResponse:
        """Find the candidates of a page, and build the response.

        Args:
            run: The search.
            finder: By words alone, or by vectors, and by words too in hybrid mode or if the query binds its hits to words; or by
                names.
            failure: The reason why a hybrid search has no vectors.

        Raises:
            NotIndexedError: There are no vectors, though there could be.
        """
        query = run.query
        method = self._method(finder.mode, finder.vectors, failure)
        order, places = (*self._order(method, finder.vectors), *finder.version), 1
        if run.reranker is not None:
            from kebab_search.reranking import DEPTH, RERANKING

            order, places = (*order, RERANKING, run.reranker.model_ref().id), DEPTH
        start = PageStart(self.documents.corpus_revision(), order)
        if query.cursor is not None:
            from kebab_search.paging import digest_query, open_page

            cursor = open_page(query.cursor, revision=start.revision, query=digest_query(query, order=order))
            start = start._replace(offset=cursor.offset, last=cursor.last)
        _LOG.debug(
            "query_analysis",
            extra=run.watch.steps.extra(mode=method.mode.value, terms=len(finder.analysis.weighted.searched)),
        )
        run.cancel.raise_if_cancelled()
        try:
            outcome = finder.find(max(start.offset + query.k, places))
        except NotIndexedError as error:
            if query.mode is SearchMode.HYBRID or not self._is_embedding_pending():
                raise
            nothing = RetrievalOutcome(finder.analysis, (), is_lexical=False)
            method = method._replace(missing=(SearchMode.VECTOR,), failure=_failure_of(error))
            return self._responses.build(run, nothing, start=start, method=method, finder=None)
        while (deeper := self._responses.deepen(query, outcome, start=start)) is not None:
            run.cancel.raise_if_cancelled()
            outcome = finder.find(deeper).after(outcome)
        return self._responses.build(run, outcome, start=start, method=method, finder=finder)

    def _is_embedding_pending(self) -> bool:
        """True if there is nothing to embed, or an ingest has not embedded it yet."""
        coverage = self._responses.count_documents()
        return coverage.ingest_running or not coverage.documents_indexed

    def _open_vectors(self) -> VectorSearch:
        if self.vectors is None:
            raise NotIndexedError(
                "there are no vectors to search",
                remedy=Remedy(kind="use_argument", name="mode", value="lexical"),
            )
        return self.vectors()

    def _method(self, mode: SearchMode, vectors: VectorSearch | None, failure: LegFailure | None) -> Method:
        if vectors is None:
            missing = (SearchMode.VECTOR,) if mode is SearchMode.HYBRID else ()
            return Method(
                SearchMode.LEXICAL, ScoreKind.PROBABILITY, self._lexical_version(), missing, failure
            )
        fuses_ranks = mode is SearchMode.HYBRID and self.settings.hybrid_fusion == "rrf"
        kind = ScoreKind.RRF if fuses_ranks else ScoreKind.PROBABILITY
        return Method(
            mode, kind, self._vector_version(mode, vectors), embedding_model=vectors.identity.model_id
        )

    def _order(self, method: Method, vectors: VectorSearch | None) -> tuple[str, ...]:
        """List the versions and weights by which hits are ordered."""
        order = (method.index_version, BOOSTS, SCORE, self.index.ranking)
        if vectors is None:
            return order
        from kebab_search.fusion import FUSION

        fusion = (self.settings.hybrid_fusion, str(self.settings.rrf_k))
        in_hybrid = fusion if method.mode is SearchMode.HYBRID else ()
        return (*order, FUSION, *in_hybrid, vectors.centroids.digest)

    def _vector_version(self, mode: SearchMode, vectors: VectorSearch) -> IndexVersion:
        model = f"{vectors.identity.model_id}@{vectors.identity.model_version}"
        words = f"{self.analyzer.version}+" if mode is SearchMode.HYBRID else ""
        return IndexVersion(f"{mode.value}:{words}{model}")

    def _lexical_version(self) -> IndexVersion:
        return IndexVersion(f"lexical:{self.analyzer.version}")


def _failure_of(error: KebabError) -> LegFailure:
    return LegFailure(code=error.code, message=error.message, remedy=error.remedy)
