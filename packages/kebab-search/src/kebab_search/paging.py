"""Pages of a result: cursors to the next page, and budgets of tokens.

A cursor pins the result that it was made for: the state of the index, everything that decides what is found and in
which order, and the last passage that was shown. It does not hold how many hits or tokens a page may have. To programs
it is an opaque text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from kebab_core import (
    Budget,
    ChunkId,
    Message,
    Remedy,
    SearchHit,
    SearchQuery,
    StaleCursorError,
    canonical_json,
    hash_bytes,
)

from kebab_search.candidate_finder import PageStart

_DIGEST_CHARS = 8
"""Agents read a cursor with each result, and pay for every digit."""
_CURSOR = re.compile(
    rf"([0-9]{{1,9}})-([0-9]{{1,16}})-([0-9a-f]{{{_DIGEST_CHARS}}})-([0-9a-f]{{{_DIGEST_CHARS}}})"
)
_UNREADABLE = "the cursor cannot be read"
_REMEDY = Remedy(advice=Message("search again without the cursor"))
MIN_SNIPPET_CHARS = 60
"""Code points of the shortest snippet that a budget cuts to."""


class Cursor(NamedTuple):
    """The start of a page.

    Attributes:
        offset: Hits on the pages before; 0 for the first page.
        revision: The corpus revision of the result.
        query: Digest of the query and of what decides its result.
        last: Beginning of the id of the last chunk of the page before; empty for the first page.
    """

    offset: int
    revision: int
    query: str
    last: str = ""

    def encode(self) -> str:
        """Encode as text: digits, letters and `-`."""
        return "-".join(map(str, self))


def require_place(start: PageStart, order: Sequence[ChunkId]) -> None:
    """Check that the chunks, best first, hold the last one of the page before in its place.

    Raises:
        StaleCursorError: They do not, as in another index of the same revision.
    """
    if start.offset and not "".join(order[start.offset - 1 : start.offset]).startswith(start.last):
        raise StaleCursorError("the cursor belongs to another index", remedy=_REMEDY)


def cursor_after(start: PageStart, query: SearchQuery, hits: Sequence[SearchHit]) -> str:
    """Return the cursor behind the hits of a page, of which there is one at least."""
    digest, last = digest_query(query, order=start.order), hits[-1].chunk_id[:_DIGEST_CHARS]
    return Cursor(start.offset + len(hits), start.revision, digest, last).encode()


def open_page(text: str | None, *, revision: int, query: str, remedy: Remedy = _REMEDY) -> Cursor:
    """Read the start of a page from its cursor.

    Args:
        text: The cursor of the page before; None is the first page.
        revision: The corpus revision.
        query: Digest of the query and of what decides its result.
        remedy: What helps where it cannot be used.

    Raises:
        StaleCursorError: It cannot be read, or belongs to another query or another state of the index.
    """
    if text is None:
        return Cursor(0, revision, query)
    cursor = decode_cursor(text, remedy=remedy)
    if cursor.revision != revision:
        raise StaleCursorError(
            "the index has changed since the cursor was made",
            remedy=remedy,
            cursor_revision=cursor.revision,
            corpus_revision=revision,
        )
    # After the revision: what decides a result is learned from the index, too, and changes with it.
    if cursor.query != query:
        raise StaleCursorError("the cursor belongs to another query", remedy=remedy)
    return cursor


def decode_cursor(text: str, *, remedy: Remedy = _REMEDY) -> Cursor:
    """Decode a cursor.

    Args:
        text: The cursor.
        remedy: What helps where it cannot be read.

    Raises:
        StaleCursorError: The text is no cursor of this version.
    """
    found = _CURSOR.fullmatch(text)
    cursor = Cursor(int(found[1]), int(found[2]), found[3], found[4]) if found else Cursor(0, 0, "")
    if not cursor.offset or cursor.encode() != text:
        raise StaleCursorError(_UNREADABLE, remedy=remedy)
    return cursor


def digest_query(query: SearchQuery, *, order: Sequence[str]) -> str:
    """Compute a digest of everything but the index that decides what a query finds, and in which order.

    Args:
        query: Text, mode, filters and folding count; the order of a filter's values does not, and of times only the day:
            one a week ago is another moment on each page.
        order: Versions and weights by which hits are ordered.
    """
    days = {name: f"{value:%Y-%m-%d}" for name, value in query.filters if isinstance(value, datetime)}
    filters = {
        name: sorted(value) if isinstance(value, list) else value
        for name, value in (query.filters.model_dump(mode="json") | days).items()
    }
    decisive = {
        "text": query.text.strip(),
        "mode": query.mode.value,
        "filters": filters,
        "folded": query.is_folded,
        "unfinished": query.unfinished,
        "order": order,
    }
    return hash_bytes(canonical_json(decisive))[:_DIGEST_CHARS]


def fit_budget(
    hits_at: Callable[[int, int], Iterator[SearchHit]],
    *,
    snippet_chars: int,
    more: int,
    budget: Budget,
) -> tuple[tuple[SearchHit, ...], bool]:
    """Fit the hits of a page to a budget.

    Further passages go first, then snippets are halved for all hits alike, down to 60 code points; what is still too much
    is left out from the end. The first hit is always there, whatever it costs. Builds only as many hits as fit, and one
    more, for each form.

    Args:
        hits_at: Builds the hits of the page, best first, with snippets of so many code points and so many further passages.
        snippet_chars: The full length.
        more: Further passages of a hit.
        budget: Of all hits.

    Returns:
        The hits that fit, and True if the budget was too small for all of them as a whole.
    """
    hits, complete = _take(hits_at(snippet_chars, more), budget)
    if complete:
        return hits, False
    for chars in _lengths(snippet_chars):
        hits, complete = _take(hits_at(chars, 0), budget)
        if complete:
            break
    return hits, True


def _lengths(chars: int) -> Iterator[int]:
    yield chars
    while chars > MIN_SNIPPET_CHARS:
        chars = max(MIN_SNIPPET_CHARS, chars // 2)
        yield chars


def _take(hits: Iterator[SearchHit], budget: Budget) -> tuple[tuple[SearchHit, ...], bool]:
    """Take the first hits that fit, at least one; True if these are all, within the budget."""
    taken: list[SearchHit] = []
    spent = 0
    for hit in hits:
        spent += budget.count_hit(hit)
        if spent > budget.max_tokens:
            return tuple(taken or [hit]), False
        taken.append(hit)
    return tuple(taken), True
