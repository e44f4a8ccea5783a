"""`search`: passages in brief."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from kebab_mcp.filters import LEGEND, FilterArguments, build_filters
from kebab_mcp.tool import Returns, Tool

if TYPE_CHECKING:
    from kebab_mcp.call import Call

DEFAULT_K = 5
"""Hits with snippets of the usual length that fit the budget, also in Korean."""
DEFAULT_MAX_TOKENS = 1300
"""Leaves 200 of 1,500 tokens for what surrounds the hits."""


class SearchArguments(FilterArguments):
    """What to find, how much of it to show, and where to look."""

    query: str
    mode: Literal["lexical", "vector", "hybrid"] | None = None
    k: int = Field(default=DEFAULT_K, ge=1, le=1000)
    snippet_chars: int | None = Field(default=None, ge=20, le=10_000)
    max_tokens: int = Field(default=DEFAULT_MAX_TOKENS, ge=1)
    cursor: str | None = Field(default=None, description="next_cursor of the page before")


def _run(call: Call, arguments: SearchArguments) -> BaseModel:
    from kebab_core import SearchQuery
    from kebab_wire import wire_search_brief

    from kebab_mcp.modes import choose_mode

    app = call.app
    query = SearchQuery(
        text=arguments.query,
        mode=choose_mode(arguments.mode, app.loaded.settings),
        k=arguments.k,
        filters=build_filters(arguments),
        snippet_chars=arguments.snippet_chars,
        max_tokens=arguments.max_tokens,
        cursor=arguments.cursor,
    )
    response = app.search(query)
    return wire_search_brief(response, near_values=app.find_near_values(response))


TOOL = Tool(
    name="search",
    description=(
        "Find passages in the user's documents: facts, places and quotes to read and compare yourself. Ask in own "
        'words or keywords, Korean or English; "…" must occur exactly. Best hit first. '
        f"{LEGEND}"
    ),
    arguments=SearchArguments,
    shows_filters=True,
    returns=Returns(
        version="search_brief.v1",
        fields=("hits", "coverage"),
    ),
    run=_run,
)
