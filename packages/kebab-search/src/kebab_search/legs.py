"""Searching with vectors: what the vector and the hybrid retriever share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kebab_core import (
    Analyzer,
    Clock,
    DocumentSet,
    DocumentStore,
    IndexVersion,
    LegFailure,
    LexicalIndex,
    NotIndexedError,
    ScoreKind,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
)

from kebab_search.budget import HitCost
from kebab_search.cursor import Cursor, Pages
from kebab_search.fusion import Weighed
from kebab_search.hits import Candidate
from kebab_search.joined import Asked, JoinedLegs, is_bound
from kebab_search.lexical import BOOSTS
from kebab_search.lexical_leg import LexicalFinds, LexicalLeg
from kebab_search.query import parse_query
from kebab_search.question import WEIGHTS, Question
from kebab_search.results import Finds, Method, ResultPages
from kebab_search.trace import Stopwatch
from kebab_search.vector_leg import VectorLeg

Score = Callable[[Sequence[Weighed], Asked], list[Candidate]]
"""Gives candidates their final scores; leaves out those that are no hits."""
FUSION = "fusion@4"
"""Another label where the same passages come in another order."""


class LegSearch:
    """One search with vectors, words beside them or not.

    Args:
        index: Where terms are looked up.
        documents: What chunks belong to.
        analyzer: The one that the index was made with.
        clock: Tells what is stale, and how long searching takes.
        settings: Length of snippets, when documents are stale, and how legs are joined.
        cost: What a hit costs of `SearchQuery.max_tokens`.
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
    ) -> None:
        self._words = LexicalLeg(index=index, documents=documents, analyzer=analyzer)
        self._documents = documents
        self._results = ResultPages(
            documents=documents, analyzer=analyzer, clock=clock, settings=settings, cost=cost
        )

    def run(
        self, query: SearchQuery, vectors: VectorLeg, *, method: Method, order: Sequence[str], score: Score
    ) -> SearchResponse:
        """Return the page of a query.

        Args:
            query: What is asked.
            vectors: The vector leg.
            method: Which legs find hits, and what scores are.
            order: What decides the order beside the constants of both legs.
            score: Gives candidates their scores.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: There are no vectors, though there could be, or another analyser made the index.
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        watch = Stopwatch(self._results.clock)
        parsed = parse_query(query.text)
        method = method._replace(parsed=parsed)
        self._words.require_index()
        opened = self._results.open(
            query, order=(method.index_version, BOOSTS, WEIGHTS.model_dump_json(), FUSION, *order)
        )
        documents = self._documents.resolve_filters(query.filters)
        places = opened[1].offset + query.k
        question = self._words.read(parsed)
        by_words = method.mode is SearchMode.HYBRID or is_bound(parsed)

        def look(within: DocumentSet | None, places: int) -> LexicalFinds:
            return self._words.find(question, within, places=places) if by_words else LexicalFinds()

        finds = look(documents, places)
        lexical_ms = watch.lap()
        try:
            near = vectors.read(parsed.meant)
        except NotIndexedError as error:
            if method.mode is SearchMode.HYBRID or not self._is_to_come():
                raise
            return self._nothing_yet(query, question, method, failure=error, opened=opened, watch=watch)
        asked = Asked(question, near, is_bound(parsed))
        joined = JoinedLegs(self._documents, vectors)
        candidates = score(joined.find(asked, finds, documents, places=places), asked)

        def finds_under(filters: SearchFilters) -> bool:
            within = self._documents.resolve_filters(filters)
            return bool(score(joined.find(asked, look(within, 1), within, places=1), asked))

        beside = {candidate.chunk_id for candidate in finds.beside}
        return self._results.respond(
            query,
            Finds(
                _looked_up(question, finds),
                candidates,
                [candidate for candidate in candidates if candidate.chunk_id in beside],
                by_words=by_words,
                lexical_ms=lexical_ms,
                vector_ms=watch.lap(),
            ),
            opened=opened,
            method=_told_truly(method, asked),
            documents=documents,
            watch=watch,
            finds_under=finds_under,
        )

    def _is_to_come(self) -> bool:
        """Return whether there is nothing to have vectors, or an ingest has not come to them."""
        coverage = self._results.count_documents()
        return coverage.ingest_running or not coverage.documents_indexed

    def _nothing_yet(
        self,
        query: SearchQuery,
        question: Question,
        method: Method,
        *,
        failure: NotIndexedError,
        opened: tuple[Pages, Cursor],
        watch: Stopwatch,
    ) -> SearchResponse:
        """Return no hits: passages and their vectors are still to come, which is the reason that is told."""
        why = LegFailure(code=failure.code, message=failure.message, hint=failure.hint)
        return self._results.respond(
            query,
            Finds(question, (), by_words=False),
            opened=opened,
            method=method._replace(missing=(SearchMode.VECTOR,), failure=why),
            documents=self._documents.resolve_filters(query.filters),
            watch=watch,
            finds_under=lambda _: False,
        )

    def index_version(self, leg: SearchMode, vectors: VectorLeg) -> IndexVersion:
        """Return the label of a leg or both over this index and model."""
        model = f"{vectors.identity.model_id}@{vectors.identity.model_version}"
        words = f"{self._words.version}+" if leg is SearchMode.HYBRID else ""
        return IndexVersion(f"{leg.value}:{words}{model}")


def _told_truly(method: Method, asked: Asked) -> Method:
    """Return the method; scores that go by how far passages stand out in their script are no cosines."""
    if method.score_kind is ScoreKind.COSINE and asked.near.has_others:
        return method._replace(score_kind=ScoreKind.CALIBRATED)
    return method


def _looked_up(question: Question, finds: LexicalFinds) -> Question:
    return question._replace(looked_up=finds.looked_up)
