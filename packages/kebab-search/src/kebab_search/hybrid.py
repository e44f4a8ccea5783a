"""Search by words and meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kebab_core import (
    MODEL_FAILURES,
    Analyzer,
    Clock,
    DocumentStore,
    IndexVersion,
    LegFailure,
    LexicalIndex,
    ScoreKind,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
)

from kebab_search.budget import HitCost
from kebab_search.fusion import Weighed, Words, fuse_calibrated, fuse_ranks
from kebab_search.hits import Candidate
from kebab_search.joined import Asked
from kebab_search.legs import LegSearch
from kebab_search.lexical import LexicalRetriever
from kebab_search.results import Method
from kebab_search.vector import VectorRetriever
from kebab_search.vector_leg import VectorLeg


class HybridRetriever:
    """Finds passages by words and meaning. Implements `Retriever` for every mode; thread-safe where its parts are.

    The lexical mode uses no vectors and the vector mode refuses to do without. The hybrid mode searches by words alone
    where there is no vector leg and reports that it is missing. Exact phrases and full-text syntax say what is a hit;
    meaning only ranks those. A passage without a vector is placed by words among its like.

    Args:
        vectors: Gives the vector leg; may raise what says why there is none.
        index: Where terms are looked up.
        documents: What chunks belong to.
        analyzer: The one that the index was made with.
        clock: Tells what is stale, and how long searching takes.
        settings: How both legs are joined, length of snippets, and when documents are stale.
        cost: What a hit costs of `SearchQuery.max_tokens`.
    """

    def __init__(
        self,
        *,
        vectors: Callable[[], VectorLeg],
        index: LexicalIndex,
        documents: DocumentStore,
        analyzer: Analyzer,
        clock: Clock,
        settings: SearchSettings,
        cost: HitCost,
    ) -> None:
        self._vectors = vectors
        self._settings = settings
        self._search = LegSearch(
            index=index, documents=documents, analyzer=analyzer, clock=clock, settings=settings, cost=cost
        )
        self._by_words = LexicalRetriever(
            index=index, documents=documents, analyzer=analyzer, clock=clock, settings=settings, cost=cost
        )
        self._by_meaning = VectorRetriever(
            vectors=vectors,
            index=index,
            documents=documents,
            analyzer=analyzer,
            clock=clock,
            settings=settings,
            cost=cost,
        )

    def index_version(self) -> IndexVersion:
        """Return the label of both legs, or of the lexical one where there is no other."""
        try:
            return self._search.index_version(SearchMode.HYBRID, self._vectors())
        except MODEL_FAILURES:
            return self._by_words.index_version()

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
        if query.mode is SearchMode.LEXICAL:
            return self._by_words.search(query)
        if query.mode is SearchMode.VECTOR:
            return self._by_meaning.search(query)
        try:
            return self._search_both(query)
        except MODEL_FAILURES as error:
            failure = LegFailure(code=error.code, message=error.message, hint=error.hint)
            return self._by_words.search(query, failure=failure)

    def _search_both(self, query: SearchQuery) -> SearchResponse:
        vectors = self._vectors()
        is_calibrated = self._settings.hybrid_fusion == "calibrated"
        method = Method(
            SearchMode.HYBRID,
            ScoreKind.CALIBRATED if is_calibrated else ScoreKind.RRF,
            self._search.index_version(SearchMode.HYBRID, vectors),
            embedding_model=vectors.identity.model_id,
        )
        order = (self._settings.hybrid_fusion, str(self._settings.rrf_k), vectors.anchors.digest)
        score = _calibrated if is_calibrated else self._by_ranks
        return self._search.run(query, vectors, method=method, order=order, score=score)

    def _by_ranks(self, candidates: Sequence[Weighed], _asked: Asked) -> list[Candidate]:
        return fuse_ranks(candidates, k=self._settings.rrf_k)


def _calibrated(candidates: Sequence[Weighed], asked: Asked) -> list[Candidate]:
    question = asked.question
    words = Words(question.weighted.most, question.corpus_size, known=question.weighted.known_share)
    return fuse_calibrated(candidates, words=words)
