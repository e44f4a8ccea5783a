"""`bulk_search_*.v1`: several searches in one call: inputs, items, and the summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from kebab_core import Count, SearchMode
from pydantic import BeforeValidator, Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from kebab_wire.base import WireObject
from kebab_wire.brief import SearchBriefV1
from kebab_wire.errors import ErrorV1
from kebab_wire.search import SearchResponseV1

_EMPTY: tuple[object, ...] = (None, "", [], {})


def _refuse_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


Whole = BeforeValidator(_refuse_truth_value)
"""Of a number that may come as text or with a fraction of zero; truth values are refused."""
Words = str | tuple[str, ...]
"""One value, several with commas between them, or a list."""


class BulkSearchInputV1(WireObject):
    """One input line of `search --bulk`; an absent, null or empty field is like a flag that is not given."""

    schema_version: Literal["bulk_search_input.v1"] | None = None
    """Optional."""
    query: str
    mode: SearchMode | None = None
    k: Annotated[int, Field(ge=1, le=1000), Whole] | None = None
    """Maximum number of hits."""
    snippet_chars: Annotated[int, Field(ge=20, le=10_000), Whole] | None = None
    max_tokens: Annotated[int, Field(ge=1), Whole] | None = None
    """Token budget of all hits together: estimated tokens of `hits` as printed."""
    cursor: str | None = None
    """The `next_cursor` of the page before."""
    trace: bool | None = None
    all_passages: bool | None = None
    """Whether every passage is a hit of its own, as by default here; false makes hits of documents."""
    rerank: bool | None = None
    """Order of the first 20 hits: true for that of `models.reranker`, false for that of their scores; absent takes `search.rerank`."""
    by_symbol: bool | None = None
    """Whether the query is the name of a symbol of source code, as with `--symbol`."""
    tag: Words | None = None
    lang: Words | None = None
    path_glob: Words | None = None
    """A comma is part of a glob; several come in a list."""
    trust_min: str | None = None
    media: Words | None = None
    ingested_after: str | None = None
    """RFC 3339, or as people type it: `2026-10`, `yesterday`, `7d`; a date alone means midnight, a time without zone is
    local."""
    since: str | None = None
    """As that; compares the date of the document itself."""
    until: str | None = None
    """As that, to the end of the day, month or year named."""
    modified_since: str | None = None
    """As that; compares the modification time of the file."""
    doc_id: Words | None = None
    repo: Words | None = None
    code_lang: Words | None = None
    symbol: Words | None = None
    """As the filter `--symbol` beside a query; with `by_symbol` the query itself is the name."""
    source: Words | None = None
    source_type: Words | None = None

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if name == "query" or value not in _EMPTY}


class BulkSearchItemV1(WireObject):
    """Result of one query: a response or an error, the other is null."""

    schema_version: Literal["bulk_search_item.v1"] = "bulk_search_item.v1"
    query: Mapping[str, JsonValue]
    """The query as given; empty where the line is not an object."""
    response: SearchResponseV1 | SearchBriefV1 | None
    """In the brief form for agents."""
    error: ErrorV1 | None

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.response is None) == (self.error is None):
            raise ValueError("either a response or an error")
        return self


class BulkSearchSummaryV1(WireObject):
    """Number of queries: in all, searched (with or without hits), and failed with an error."""

    schema_version: Literal["bulk_search_summary.v1"] = "bulk_search_summary.v1"
    total: Count
    succeeded: Count
    failed: Count

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        if self.total != self.succeeded + self.failed:
            raise ValueError("total is not succeeded and failed together")
        return self


class BulkSearchResponseV1(WireObject):
    """All items in one object, in the order of the queries, with the summary."""

    schema_version: Literal["bulk_search_response.v1"] = "bulk_search_response.v1"
    results: tuple[BulkSearchItemV1, ...]
    summary: BulkSearchSummaryV1


def wire_bulk_item(
    query: Mapping[str, JsonValue], outcome: SearchResponseV1 | SearchBriefV1 | ErrorV1
) -> BulkSearchItemV1:
    """Return the result of a query for the wire.

    Args:
        query: The query as given.
        outcome: The response or the error.
    """
    if isinstance(outcome, ErrorV1):
        return BulkSearchItemV1(query=query, response=None, error=outcome)
    return BulkSearchItemV1(query=query, response=outcome, error=None)


def wire_bulk_summary(*, total: int, failed: int) -> BulkSearchSummaryV1:
    """Return the summary of a call."""
    return BulkSearchSummaryV1(total=total, succeeded=total - failed, failed=failed)
