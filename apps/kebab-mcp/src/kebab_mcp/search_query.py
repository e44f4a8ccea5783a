"""One search as agents ask for it: alone or among many, it means and shows the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from kebab_mcp.filters import FilterArguments, build_filters
from kebab_mcp.hints import advise_agents
from kebab_mcp.tool import Number

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_config import Settings
    from kebab_core import SearchQuery, SearchResponse
    from kebab_wire import SearchBriefV1

DEFAULT_K = 5
"""Hits with snippets of the usual length that fit the budget, also in Korean."""
DEFAULT_MAX_TOKENS = 1300
"""Leaves 200 of 1,500 tokens for what surrounds the hits."""


class SearchArguments(FilterArguments):
    """What to find, how much of it to show, and where to look."""

    query: str
    mode: Literal["lexical", "vector", "hybrid"] | None = None
    k: Number = Field(default=DEFAULT_K, ge=1, le=1000)
    snippet_chars: Number | None = Field(default=None, ge=20, le=10_000)
    max_tokens: Number = Field(default=DEFAULT_MAX_TOKENS, ge=1, le=10_000_000)
    cursor: str | None = Field(default=None, description="next_cursor of the page before")


def build_query(arguments: SearchArguments, settings: Settings) -> SearchQuery:
    """Return the query that a call asks for.

    Raises:
        InvalidInputError: A filter has a value that no document can have.
    """
    from kebab_core import SearchQuery

    from kebab_mcp.modes import choose_mode

    return SearchQuery(
        text=arguments.query,
        mode=choose_mode(arguments.mode, settings),
        k=arguments.k,
        filters=build_filters(arguments),
        snippet_chars=arguments.snippet_chars,
        max_tokens=arguments.max_tokens,
        cursor=arguments.cursor,
    )


def show_response(app: App, response: SearchResponse) -> SearchBriefV1:
    """Return what was found, in brief."""
    from kebab_wire import wire_search_brief

    brief = wire_search_brief(response, near_values=app.find_near_values(response))
    return advise_agents(brief, "coverage", "leg_failure")
