"""Full-text queries of LanceDB over one column of terms that white space parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

NO_WORD = "\0"
"""In no passage."""


def any_of(words: Iterable[str], column: str) -> Any:
    """Return the query for rows with one of some words."""
    from lancedb.query import MatchQuery

    return MatchQuery(" ".join(dict.fromkeys(words)), column)


def side_by_side(words: Sequence[str], column: str) -> Any:
    """Return the query for rows with words side by side."""
    from lancedb.query import MatchQuery, PhraseQuery

    text = " ".join(words)
    return PhraseQuery(text, column) if len(text.split()) > 1 else MatchQuery(text or NO_WORD, column)


def every(queries: Sequence[Any], *, better_with: Sequence[Any] = (), without: Sequence[Any] = ()) -> Any:
    """Return the query for rows that all of some find, and none of `without`; those of `better_with` only add to scores."""
    from lancedb.query import BooleanQuery, Occur

    if len(queries) == 1 and not better_with and not without:
        return queries[0]
    return BooleanQuery([
        *((Occur.MUST, query) for query in queries),
        *((Occur.SHOULD, query) for query in better_with),
        *((Occur.MUST_NOT, query) for query in without),
    ])


def either(queries: Sequence[Any]) -> Any:
    """Return the query for rows that one of some finds."""
    from lancedb.query import BooleanQuery, Occur

    return BooleanQuery([(Occur.SHOULD, query) for query in queries])
