"""The queries of a test set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar
from unicodedata import normalize

from kebab_core import InvalidInputError, hash_bytes

from kebab_eval.json_lines import LINE_HINT, read_json_lines, read_text_field
from kebab_eval.judgements import Judgements

QUERIES_FILE = "queries.jsonl"
_ACROSS = re.compile(r"(?P<own>[^>]+)>[^:]+:(?P<path>.+)", re.DOTALL)
_HANGUL = re.compile(r"[가-힣ᄀ-ᇿ㄰-㆏]")
_LATIN = re.compile(r"[A-Za-z]")


class _Identified(Protocol):
    @property
    def query_id(self) -> str: ...


QueryT = TypeVar("QueryT", bound=_Identified)


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedQuery:
    """One query with what people judged."""

    query_id: str
    text: str
    language: str
    """`ko`, `en`, `mixed` (Hangul and Latin letters) or `other`: by letters, not by meaning."""
    kind: str | None
    """As the set says, if it does."""
    grades: Mapping[str, int]
    """Document id to grade; at least one is above 0."""
    excluded: str | None
    """A document that is left out of every ranking of this query."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QuerySet:
    """The queries that can be judged."""

    queries: Sequence[JudgedQuery]
    """In the order of the file."""
    skipped: int
    """Queries that nobody judged, or for which nothing is relevant."""
    unknown: int = 0
    """Ids of queries that are judged and not in the file."""


def read_queries(folder: Path, judgements: Judgements) -> QuerySet:
    """Read the queries of a set.

    A query id of the form `A>B:PATH` asks in one collection for the counterpart in another; the document `A/PATH`,
    which the query was taken from, is left out of its ranking.

    Args:
        folder: Holds `queries.jsonl`, each line with `_id`, `text` and perhaps `kind`.
        judgements: Grades by query id.

    Returns:
        The judged queries, ids in NFC.

    Raises:
        InvalidInputError: The file cannot be read or has no queries, a line has no `_id` or `text`, or two different
            ones have the same `_id`; the same query twice counts once.
    """
    asked: dict[str, tuple[str, str | None]] = {}
    path = folder / QUERIES_FILE
    for line, fields in read_json_lines(path):
        query_id = normalize("NFC", read_text_field(fields, "_id", path=path, line=line, needed=True).strip())
        text = read_text_field(fields, "text", path=path, line=line, needed=True)
        kind = fields.get("kind")
        known = asked.setdefault(query_id, (text, kind if isinstance(kind, str) and kind else None))
        if known[0] != text:
            raise InvalidInputError(
                f"line {line} of {str(path)!r} asks something else under the id {query_id!r} of an earlier line",
                hint="give every query an id of its own",
                path=str(path),
                line=line,
            )
    if not asked:
        raise InvalidInputError(
            f"there are no queries in {str(path)!r}",
            hint=LINE_HINT,
            path=str(path),
        )
    queries = tuple(
        _judge(query_id, text, kind, judgements.get(query_id, {})) for query_id, (text, kind) in asked.items()
    )
    judged = tuple(query for query in queries if any(grade > 0 for grade in query.grades.values()))
    unknown = len(judgements.keys() - asked.keys())
    return QuerySet(queries=judged, skipped=len(queries) - len(judged), unknown=unknown)


def _judge(query_id: str, text: str, kind: str | None, grades: Mapping[str, int]) -> JudgedQuery:
    return JudgedQuery(
        query_id=query_id,
        text=text,
        language=tell_language(text),
        kind=kind,
        grades=grades,
        excluded=_excluded(query_id),
    )


def take_part(queries: Sequence[QueryT], *, part: int, parts: int) -> list[QueryT]:
    """Return one of several parts of the queries, in their order.

    The division follows a hash of the query's id, so that it is the same on every machine and whatever else is in
    the set: choose on one part, report the other.

    Args:
        queries: All of them.
        part: From 1 to `parts`.
        parts: Into how many they are divided.

    Returns:
        The part; parts are about equally large.
    """
    return [
        query
        for query in queries
        if int(hash_bytes(query.query_id.encode("utf-8", "surrogatepass"))[:8], 16) % parts == part - 1
    ]


def tell_language(text: str) -> str:
    """Return `ko`, `en`, `mixed` or `other`, by the letters of a text."""
    hangul, latin = _HANGUL.search(text), _LATIN.search(text)
    if hangul:
        return "mixed" if latin else "ko"
    return "en" if latin else "other"


def _excluded(query_id: str) -> str | None:
    match = _ACROSS.fullmatch(query_id)
    return f"{match['own']}/{match['path']}" if match else None
