"""Search: one query or several, with staleness of hits and coverage added to the results of the retriever."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from kebab_core import (
    Budget,
    CaptionCitation,
    KebabError,
    Message,
    RegionCitation,
    Remedy,
    SearchMode,
    SearchQuery,
    TooManyQueriesError,
)

from kebab_app.coverage import mark_interrupted, with_freshness
from kebab_app.requests import choose_mode
from kebab_app.wiring import count_json

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from kebab_core import CancelToken, Embedder, HitCost, SearchFilters, SearchHit, SearchResponse
    from kebab_search import SearchRetriever

    from kebab_app.knowledge_base import KnowledgeBase


_MAX_SHOWING = 3
"""Documents that a hit of a picture names."""


def build_query(base: KnowledgeBase, text: str) -> SearchQuery:
    """Build a query from its text alone: the configured number of hits, in the default mode."""
    return SearchQuery(text=text, mode=choose_mode(base), k=base.loaded.settings.search.default_k)


def search(
    base: KnowledgeBase,
    query: SearchQuery,
    *,
    count_hit: HitCost | None = None,
    cancel: CancelToken | None = None,
    retriever: Callable[[], SearchRetriever] | None = None,
) -> SearchResponse:
    """Find passages. See `kebab_core.Retriever.search`.

    Hits of files that have changed since they were indexed, or are gone, are stale too, and the coverage distinguishes
    running from interrupted ingests.

    Args:
        base: The knowledge base; nothing in it is changed.
        query: The query.
        count_hit: Counts the tokens of a hit of `max_tokens`; None: those of its JSON.
        cancel: Stops the search.
        retriever: Builds, once the database is open, a retriever that replaces the one of the knowledge base.

    Returns:
        Hits, best first, and what was searched.

    Raises:
        WorkCancelledError: It was cancelled.
    """
    with base.open_for_reading().one_state():  # what is found must still be there when it is read
        if retriever is None and query.mode is not SearchMode.LEXICAL:
            base.prepare_embedder()
        used = retriever() if retriever else base.retriever
        budget = build_budget(base, query, count_hit)
        response = _complete(base, used.search(query, budget=budget, cancel=cancel))
    return mark_interrupted(base, response)


def search_stages(
    base: KnowledgeBase, query: SearchQuery, *, cancel: CancelToken | None = None
) -> Generator[SearchResponse, None, None]:
    """Yield what words find, and then the result of a hybrid query, both from one search by words.

    Any other query has one result. Args and errors are those of `search`; both results are of one state of the index.
    """
    with base.open_for_reading().one_state():
        if query.mode is not SearchMode.LEXICAL:
            base.prepare_embedder()
        budget = build_budget(base, query)
        for found in base.retriever.search_stages(query, budget=budget, cancel=cancel):
            yield mark_interrupted(base, _complete(base, found))


def build_budget(base: KnowledgeBase, query: SearchQuery, count_hit: HitCost | None = None) -> Budget | None:
    """Build the budget of a query; None without one. Tokens are those of the JSON of a hit unless they are counted otherwise."""
    if query.max_tokens is None:
        return None
    count = count_hit or count_json
    return Budget(query.max_tokens, lambda hit: count(_name_showing(base, query.filters, hit)))


def _complete(base: KnowledgeBase, response: SearchResponse) -> SearchResponse:
    """Add what the knowledge base knows: documents that show the pictures of hits, and whether files have changed since."""
    name = partial(_name_showing, base, response.query.filters)
    shown = {"hits": tuple(map(name, response.hits)), "nearest": tuple(map(name, response.nearest))}
    return with_freshness(base, response.model_copy(update=shown))


def _name_showing(base: KnowledgeBase, filters: SearchFilters, hit: SearchHit) -> SearchHit:
    """Return a hit of a picture with the documents that show it, those first that pass the filters; any other hit as it is."""
    if not isinstance(hit.citation, RegionCitation | CaptionCitation):
        return hit
    showing = base.showing.get(hit.doc_id, ())
    passing = None
    if len(showing) > 1:
        passing = base.index.documents.resolve_filters(filters.split_for_pictures()[0])
    if passing is not None:
        showing = sorted(showing, key=lambda each: each.entry.doc_id not in passing)
    addresses = tuple(each.entry.to_address() for each in showing[:_MAX_SHOWING])
    return hit.model_copy(update={"shown_in": addresses, "shown_in_count": len(showing)})


MAX_QUERIES = 100
"""Maximum number of queries in one call."""


def bulk_search(
    base: KnowledgeBase,
    queries: Sequence[SearchQuery | KebabError],
    *,
    count_hit: HitCost | None = None,
    cancel: CancelToken | None = None,
) -> Generator[SearchResponse | KebabError, None, None]:
    """Search for each query, with the same result as `search` alone; the vectors of all are made in one batch.

    Args:
        base: The knowledge base; nothing in it is changed.
        queries: At most `MAX_QUERIES`. An error stands for a query that could not be read and is returned in its
            place.
        count_hit: As for `search`.
        cancel: Stops the search in hand.

    Returns:
        For every query in order its result, or its error. Each search runs when its result is taken.

    Raises:
        TooManyQueriesError: There are more; nothing is searched.
    """
    require_few(len(queries))
    return _search_each(base, queries, count_hit=count_hit, cancel=cancel)


def require_few(count: int) -> None:
    """Check the number of queries in one call.

    Raises:
        TooManyQueriesError: There are more than `MAX_QUERIES`.
    """
    if count > MAX_QUERIES:
        raise TooManyQueriesError(
            "more than {limit} queries in one call",
            remedy=Remedy(advice=Message("send at most {count} queries in one call", count=MAX_QUERIES)),
            limit=MAX_QUERIES,
        )


def _search_each(
    base: KnowledgeBase,
    queries: Sequence[SearchQuery | KebabError],
    *,
    count_hit: HitCost | None,
    cancel: CancelToken | None,
) -> Generator[SearchResponse | KebabError, None, None]:
    retriever = _batch_retriever(base, [query for query in queries if not isinstance(query, KebabError)])
    for query in queries:
        found: SearchResponse | KebabError
        try:
            found = (
                query
                if isinstance(query, KebabError)
                else search(base, query, count_hit=count_hit, cancel=cancel, retriever=retriever)
            )
        except KebabError as error:
            found = error
        yield found


def _batch_retriever(
    base: KnowledgeBase, queries: Sequence[SearchQuery]
) -> Callable[[], SearchRetriever] | None:
    """Build a retriever with the vectors of all queries, made in one batch at the first use; None for lexical queries."""
    if all(query.mode is SearchMode.LEXICAL for query in queries):
        return None
    from kebab_search import BatchedQueryEmbedder, embedding_texts

    @cache
    def embedder() -> Embedder | None:
        model = base.search_embedder
        return None if model is None else BatchedQueryEmbedder(model, embedding_texts(queries))

    # Made anew for each query: it holds a database that may be replaced in between.
    return lambda: base.build_retriever_with(embedder)


def find_near_values(base: KnowledgeBase, response: SearchResponse) -> dict[str, str]:
    """Find the nearest existing values for misspelt values of filters that kept hits back.

    Returns:
        Given value to the nearest value of a document.
    """
    if not response.filtered_out_by:
        return {}
    from kebab_diagnose import find_near_values as find

    return find(
        response.query.filters,
        response.filtered_out_by,
        documents=base.index.documents,
        roots=base.source_roots,
    )
