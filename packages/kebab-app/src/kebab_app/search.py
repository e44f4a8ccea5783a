"""Search: one query or several, with staleness of hits and coverage added to the results of the retriever."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING

from kebab_core import (
    Budget,
    CaptionCitation,
    DatabaseCorruptError,
    IndexModelMismatchError,
    KebabError,
    Message,
    NoHitReason,
    NotIndexedError,
    RegionCitation,
    Remedy,
    SearchMode,
    SearchQuery,
    TooManyQueriesError,
    is_outdated,
)

from kebab_app.requests import choose_mode
from kebab_app.wiring import count_json

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from kebab_core import (
        CancelToken,
        Coverage,
        Embedder,
        EmbeddingIdentity,
        HitCost,
        SearchFilters,
        SearchHit,
        SearchResponse,
    )
    from kebab_ingest import FileChange
    from kebab_search import SearchRetriever

    from kebab_app.knowledge_base import KnowledgeBase


_NO_VECTORS = {NotIndexedError.code, IndexModelMismatchError.code, DatabaseCorruptError.code}
"""Failures of the vector leg which say that no passage has a vector of the model in force that can be used."""
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
    return _mark_interrupted(base, response)


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
            yield _mark_interrupted(base, _complete(base, found))


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
    return _with_freshness(base, response.model_copy(update=shown))


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


def _with_freshness(base: KnowledgeBase, response: SearchResponse) -> SearchResponse:
    """Mark the hits whose files have changed or are gone, and complete the coverage; in the state that was searched."""
    files = base.open_disk_files()
    changes = {
        hit.doc_id: files.find_change(hit.source_id, hit.doc_path) for hit in response.hits if not hit.stale
    }
    hits = tuple(
        hit.model_copy(update={"stale": True}) if changes.get(hit.doc_id) else hit for hit in response.hits
    )
    stale = _count_stale(base, response.coverage, Counter(changes.values()))
    coverage = response.coverage.model_copy(
        update={"documents_stale": stale, "documents_pending": _count_pending(base, response.coverage)}
    )
    return response.model_copy(update={"hits": hits, "coverage": coverage})


def _count_stale(base: KnowledgeBase, coverage: Coverage, changes: Mapping[FileChange | None, int]) -> int:
    """Count the documents of the index that are known to be stale: those of the page are not all of them.

    A page may show some documents whose files are gone; the last scan has counted all that were kept.
    """
    held = _count_held(base) if coverage.documents_held else 0
    found = max(held, changes.get("gone", 0)) + changes.get("edited", 0)
    return min(coverage.documents_indexed, coverage.documents_stale + found)


def _count_held(base: KnowledgeBase) -> int:
    """Count the documents that are kept although their files are gone, without those that are stale by age."""
    return sum(
        scan.documents_held
        for scan in base.index.source_files.list_scans()
        if not is_outdated(
            scan.completed_at,
            now=base.clock.now(),
            threshold_days=base.loaded.settings.search.stale_threshold_days,
        )
    )


def _mark_interrupted(base: KnowledgeBase, response: SearchResponse) -> SearchResponse:
    """Mark the ingest as interrupted where no process is writing and a run is unfinished.

    A run that has finished since the search began was running when it did.
    """
    if not response.coverage.ingest_running:
        return response
    from kebab_app.store import find_writer

    if find_writer(base.data_dir) is not None or not base.history.jobs.unfinished_runs():
        return response
    coverage = response.coverage.model_copy(update={"ingest_running": False, "ingest_interrupted": True})
    reason = response.no_hit_reason
    if reason is NoHitReason.STILL_INDEXING:
        reason = NoHitReason.NOTHING_MATCHES if coverage.documents_indexed else NoHitReason.INDEX_EMPTY
    return response.model_copy(update={"coverage": coverage, "no_hit_reason": reason})


def _count_pending(base: KnowledgeBase, coverage: Coverage) -> int:
    """Count the documents that have a passage without a vector of the model in force.

    Without vectors in the search the model of the last ingest counts: asking a model for its identity may take seconds.
    """
    if not base.wants_vectors:
        return 0
    identity = _model_in_force(base, coverage)
    is_without = coverage.leg_failure is not None and coverage.leg_failure.code in _NO_VECTORS
    if identity is None or is_without:
        return base.index.embeddings.embeddable_documents()
    return base.index.embeddings.pending_documents(identity)


def _model_in_force(base: KnowledgeBase, coverage: Coverage) -> EmbeddingIdentity | None:
    if SearchMode.VECTOR in coverage.legs and base.search_embedder is not None:
        return base.search_embedder.identity
    return base.index.embeddings.latest_model()


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
