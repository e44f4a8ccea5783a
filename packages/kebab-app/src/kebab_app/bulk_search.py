"""Several searches in one call: one batch of vectors for all of them, and no error of one touches another."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from kebab_core import KebabError, SearchMode, TooManyQueriesError

from kebab_app.search import search

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from kebab_core import Embedder, Retriever, SearchQuery, SearchResponse

    from kebab_app.knowledge_base import KnowledgeBase

MAX_QUERIES = 100
"""Queries in one call at most."""


def bulk_search(
    base: KnowledgeBase, queries: Sequence[SearchQuery | KebabError]
) -> Generator[SearchResponse | KebabError, None, None]:
    """Search one after the other and return what each finds, as `search` alone would have found it.

    Args:
        base: The knowledge base; nothing in it is changed.
        queries: What to find, at most `MAX_QUERIES`. An error stands for a query that could not be read and comes
            back in its place.

    Returns:
        For every query in order its result, or the error that it met. Each is searched for when it is taken.

    Raises:
        TooManyQueriesError: There are more; nothing is searched.
    """
    require_few(len(queries))
    return _each(base, queries)


def require_few(count: int) -> None:
    """Do nothing where so many queries may come in one call.

    Raises:
        TooManyQueriesError: They may not.
    """
    if count > MAX_QUERIES:
        raise TooManyQueriesError(
            f"more than {MAX_QUERIES} queries in one call",
            hint=f"send them {MAX_QUERIES} at a time",
            limit=MAX_QUERIES,
        )


def _each(
    base: KnowledgeBase, queries: Sequence[SearchQuery | KebabError]
) -> Generator[SearchResponse | KebabError, None, None]:
    retriever = _primed_retriever(base, [query for query in queries if not isinstance(query, KebabError)])
    for query in queries:
        yield query if isinstance(query, KebabError) else _search_one(base, query, retriever)


def _search_one(
    base: KnowledgeBase, query: SearchQuery, retriever: Callable[[], Retriever] | None
) -> SearchResponse | KebabError:
    try:
        return search(base, query, retriever=retriever)
    except KebabError as error:
        return error


def _primed_retriever(base: KnowledgeBase, queries: Sequence[SearchQuery]) -> Callable[[], Retriever] | None:
    """Return what searches with the vectors of all queries, made at once when the first is needed; None where none is."""
    if all(query.mode is SearchMode.LEXICAL for query in queries):
        return None
    from kebab_search import PrimedEmbedder, meant_texts

    @cache
    def embedder() -> Embedder | None:
        return None if base.embedder is None else PrimedEmbedder(base.embedder, meant_texts(queries))

    # Made anew for each query: it holds a database that may be replaced in between.
    return lambda: base.build_retriever_with(embedder)
