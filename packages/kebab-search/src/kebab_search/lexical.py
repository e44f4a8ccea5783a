"""Search by words."""

from __future__ import annotations

from kebab_core import (
    Analyzer,
    Clock,
    DocumentStore,
    IndexVersion,
    LegFailure,
    LexicalIndex,
    NotIndexedError,
    ScoreKind,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
)

from kebab_search.budget import HitCost
from kebab_search.lexical_leg import LexicalLeg
from kebab_search.query import parse_query
from kebab_search.question import WEIGHTS
from kebab_search.results import Finds, Method, ResultPages
from kebab_search.trace import Stopwatch

BOOSTS = "boosts@2"
"""Another label where the same passages come in another order, so that cursors made before do not go on in it."""


class LexicalRetriever:
    """Finds passages by words. Implements `Retriever`; thread-safe where its parts are.

    In hybrid mode it searches by words and reports the missing leg; it refuses the vector mode. Filters are resolved
    once, before ranking. Equal scores keep the order of the index: by document path and place in the document. The
    order is the same whatever is asked for at once, so that the pages of a result together are the result.

    Args:
        index: Where terms are looked up.
        documents: What chunks belong to.
        analyzer: The one that the index was made with.
        clock: Tells what is stale, and how long searching takes.
        settings: Length of snippets, and when documents are stale.
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
        self._leg = LexicalLeg(index=index, documents=documents, analyzer=analyzer)
        self._documents = documents
        self._results = ResultPages(
            documents=documents, analyzer=analyzer, clock=clock, settings=settings, cost=cost
        )

    def index_version(self) -> IndexVersion:
        """Return `lexical:` and the version of the analyser."""
        return IndexVersion(f"lexical:{self._leg.version}")

    def search(self, query: SearchQuery, *, failure: LegFailure | None = None) -> SearchResponse:
        """Return hits by score, and what was searched.

        Args:
            query: What is asked.
            failure: Why there are no vectors, for a query that asks for them.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: Only vectors are asked for, or the index was made by another analyser.
            StaleCursorError: The cursor cannot be read, or belongs to another query or state of the index.
        """
        watch = Stopwatch(self._results.clock)
        parsed = parse_query(query.text)
        if query.mode is SearchMode.VECTOR:
            raise NotIndexedError("there are no vectors to search", hint="search with `--mode lexical`")
        self._leg.require_index()
        order = (self.index_version(), BOOSTS, WEIGHTS.model_dump_json())
        pages, start = self._results.open(query, order=order)
        question = self._leg.read(parsed)
        documents = self._documents.resolve_filters(query.filters)
        finds = self._leg.find(question, documents, places=start.offset + query.k)
        question = question._replace(looked_up=finds.looked_up)
        return self._results.respond(
            query,
            Finds(question, finds.ranked(), finds.beside, lexical_ms=watch.lap()),
            opened=(pages, start),
            method=self._method(query.mode, failure)._replace(parsed=parsed),
            documents=documents,
            watch=watch,
            finds_under=lambda filters: self._leg.finds(question, self._documents.resolve_filters(filters)),
        )

    def _method(self, asked: SearchMode, failure: LegFailure | None) -> Method:
        missing = (SearchMode.VECTOR,) if asked is SearchMode.HYBRID else ()
        return Method(SearchMode.LEXICAL, ScoreKind.BM25, self.index_version(), missing, failure)
