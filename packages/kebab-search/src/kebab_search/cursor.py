"""Where the next page of a result starts, as a text that says nothing to anyone else.

A cursor pins the result that it was made for: the state of the index, everything that decides what is found and in
which order, and the last passage that was shown. It does not hold how many hits or tokens a page may have.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

from kebab_core import ChunkId, SearchHit, SearchQuery, StaleCursorError, canonical_json, hash_bytes

_VERSION = 1
_DIGEST_CHARS = 12
_MAX_CHARS = 400
"""Longer than any cursor made here."""
_MAX_OFFSET = 10**9
_UNREADABLE = "the cursor cannot be read"
_HINT = "search again without the cursor"


class Cursor(NamedTuple):
    """Where to go on.

    Attributes:
        offset: How many hits the pages before have shown; 0 is the beginning.
        revision: The corpus revision of the result.
        query: Digest of what decides the result.
        last: Beginning of the id of the last chunk that was shown; empty at the beginning.
    """

    offset: int
    revision: int
    query: str
    last: str = ""

    def encode(self) -> str:
        """Return it as text: letters, digits, `-` and `_`."""
        plain = json.dumps([_VERSION, *self], separators=(",", ":"))
        return urlsafe_b64encode(plain.encode()).decode().rstrip("=")

    def require_place(self, order: Sequence[ChunkId]) -> None:
        """Do nothing where the chunks, best first, hold the last one shown where it was.

        Raises:
            StaleCursorError: They do not, as in another index of the same revision.
        """
        if self.offset and not "".join(order[self.offset - 1 : self.offset]).startswith(self.last):
            raise StaleCursorError("the cursor belongs to another index", hint=_HINT)


class Pages(NamedTuple):
    """The pages of one result.

    Attributes:
        revision: The corpus revision.
        query: Digest of what decides the result.
    """

    revision: int
    query: str

    def start(self, text: str | None) -> Cursor:
        """Return where a page starts.

        Args:
            text: The cursor of the page before; None is the first page.

        Raises:
            StaleCursorError: It cannot be read, or belongs to another query or another state of the index.
        """
        if text is None:
            return Cursor(0, self.revision, self.query)
        cursor = decode_cursor(text)
        if cursor.query != self.query:
            raise StaleCursorError("the cursor belongs to another query", hint=_HINT)
        if cursor.revision != self.revision:
            raise StaleCursorError(
                "the index has changed since the cursor was made",
                hint=_HINT,
                cursor_revision=cursor.revision,
                corpus_revision=self.revision,
            )
        return cursor

    def after(self, hits: Sequence[SearchHit], *, start: Cursor, found: int) -> str | None:
        """Return the cursor of the page that follows, None where there is none.

        Args:
            hits: The page.
            start: Where it started.
            found: How many hits there are at least, the pages before included.
        """
        end = start.offset + len(hits)
        if not hits or end >= found:
            return None
        return Cursor(end, self.revision, self.query, hits[-1].chunk_id[:_DIGEST_CHARS]).encode()


def decode_cursor(text: str) -> Cursor:
    """Return the cursor that a text stands for.

    Raises:
        StaleCursorError: None made here; also one of another version.
    """
    try:
        version, *fields = _read(text)
        cursor = Cursor(*fields)
    except (ValueError, TypeError, RecursionError) as error:
        raise StaleCursorError(_UNREADABLE, hint=_HINT) from error
    if version != _VERSION or not _is_sound(cursor) or cursor.encode() != text:
        raise StaleCursorError(_UNREADABLE, hint=_HINT)
    return cursor


def _read(text: str) -> Any:
    if len(text) > _MAX_CHARS:
        return None
    padded = text.encode("ascii") + b"=" * (-len(text) % 4)
    return json.loads(urlsafe_b64decode(padded).decode())


def digest_query(query: SearchQuery, *, order: Sequence[str]) -> str:
    """Return a digest of everything that decides what a query finds and in which order, the index left aside.

    Args:
        query: Text, mode and filters count; the order of a filter's values does not.
        order: Versions and weights by which hits are ordered.
    """
    filters = {
        name: sorted(value) if isinstance(value, list) else value
        for name, value in query.filters.model_dump(mode="json").items()
    }
    decisive = {"text": query.text.strip(), "mode": query.mode.value, "filters": filters, "order": order}
    return hash_bytes(canonical_json(decisive))[:_DIGEST_CHARS]


def _is_sound(cursor: Cursor) -> bool:
    kinds = tuple(type(field) for field in cursor)
    return (
        kinds == (int, int, str, str)
        and 1 <= cursor.offset <= _MAX_OFFSET
        and len(cursor.last) == _DIGEST_CHARS
    )
