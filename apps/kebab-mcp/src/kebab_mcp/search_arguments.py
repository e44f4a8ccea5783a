"""Arguments of the tools that search: the query, its budget, and the filters, as requests of `kebab_app`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kebab_core import Message
from pydantic import Field, JsonValue

from kebab_mcp.tool import Arguments, Number, Texts

if TYPE_CHECKING:
    from kebab_app import App, ArgumentProblem, KnowledgeBase
    from kebab_core import InvalidInputError, SearchQuery, SearchResponse
    from kebab_wire import SearchBriefV2

DEFAULT_K = 3
"""The document asked for was the fourth hit of 4 of 160 judged questions over three vaults, the fifth of none; `next_cursor`
or `k` brings more."""
DEFAULT_SNIPPET_CHARS = 150
DEFAULT_MAX_TOKENS = 900
"""Leaves 100 of 1,000 tokens for what surrounds the hits; a default result is usually well below."""
FILTER_LEGEND = (
    "All filters must match, commas mean or: lang ko,en; path_glob notes/**/*.md; media markdown,pdf; since, until (2025-05, 7d): "
    "the document's own date; modified_since: its file's; ingested_after: when kebab read it."
)
"""Values of filters by example, for the description of one tool."""


_FIELDS = ("mode", "k", "snippet_chars", "max_tokens", "cursor", "all_passages", "rerank")


class IdFilters(Arguments):
    """Filters by ids, from before there were addresses; taken, and left out of the definitions."""

    doc_id: Texts = ()


class FilterMembers(IdFilters):
    """All filters as members of one object, for definitions that do not list each; `search` takes it, too."""

    filters: dict[str, JsonValue] = Field(default={})


class UnlistedFilters(IdFilters):
    """Filters that no definition lists; `doctor` with capabilities names their values."""

    source_type: Texts = ()
    trust_min: str | None = None


class RareFilters(UnlistedFilters):
    """Filters that the definition of `search` lists for all tools."""

    lang: Texts = ()
    media: Texts = ()
    modified_since: str | None = None
    ingested_after: str | None = None
    repo: Texts = ()
    code_lang: Texts = ()
    symbol: Texts = ()


class NamedFilters(RareFilters):
    """All filters by their names on the command line. Values of one are alternatives; different ones must all hold."""

    tag: Texts = ()
    path_glob: Texts = ()
    source: Texts = ()
    since: str | None = None
    until: str | None = None


class FilterArguments(NamedFilters, FilterMembers):
    """All filters, by name or as members of `filters`."""


class UnlistedArguments(UnlistedFilters, FilterMembers):
    """What `search` takes and its definition leaves out."""

    snippet_chars: Number = Field(default=DEFAULT_SNIPPET_CHARS, ge=20, le=10_000)
    rerank: bool | None = None
    """Whether the first 20 hits are in the order of `models.reranker`; None takes `search.rerank`."""
    nearest: bool = False
    """Whether a result without hits has the nearest passages, which are not what was asked."""


class SearchArguments(FilterArguments, UnlistedArguments):
    """The query, how much of the result to show, and where to look; the one symbol alone, with no query, is looked up itself."""

    query: str
    mode: Literal["lexical", "vector", "hybrid"] | None = None
    k: Number = Field(default=DEFAULT_K, ge=1, le=1000)
    max_tokens: Number = Field(default=DEFAULT_MAX_TOKENS, ge=1, le=10_000_000)
    cursor: str | None = None
    """`next_cursor` of the page before."""
    all_passages: bool = False


def build_query(arguments: SearchArguments, base: KnowledgeBase) -> SearchQuery:
    """Build the query of a call.

    Raises:
        InvalidInputError: A filter has a value that no document can have.
    """
    from kebab_app import build_search_query

    return build_search_query(
        base,
        arguments.query,
        filters=dict(arguments),
        complain=argument_error,
        source_snippets=True,
        **{name: getattr(arguments, name) for name in _FIELDS},
    )


def argument_error(problem: ArgumentProblem) -> InvalidInputError:
    """Word what is wrong with a filter or an id."""
    from kebab_app import find_time_word
    from kebab_core import InvalidInputError

    name, value = problem.argument, repr(problem.value)
    match problem.kind:
        case "document_id" | "chunk_id":
            message = Message(
                "{name}: {value} is no id: those have 32 hexadecimal digits", name=name, value=value
            )
            hint = "copy it from a hit of `search`"
        case "time":
            message = Message("{name}: {value} is not a time", name=name, value=value)
            if near := find_time_word(str(problem.value)):
                message = Message("{problem}; did you mean {near!r}?", problem=message, near=near)
            hint = "write it like 2026-11-21, 7d or 2026-11-21T09:30:00+09:00"
        case _:
            message = Message("{name}: {detail}", name=name, detail=problem.detail)
            hint = "`doctor` with capabilities=true tells the languages, repositories and kinds of documents that there are"
    return InvalidInputError(message, hint=hint, argument=name)


def wire_response(app: App, response: SearchResponse, *, nearest: bool) -> SearchBriefV2:
    """Make the wire object of a search, with hints in terms of tools, and with the nearest passages where they are asked for."""
    from kebab_app import list_filter_values
    from kebab_wire import wire_agent_search

    from kebab_mcp.remedies import render_remedy

    if not nearest:
        response = response.model_copy(update={"nearest": ()})
    return wire_agent_search(
        response,
        near_values=app.find_near_values(response),
        existing_values=list_filter_values(app.base, response.query.filters)
        if response.filtered_out_by
        else None,
        render=render_remedy,
    )
