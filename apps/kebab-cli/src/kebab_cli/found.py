"""What a search has found, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import SearchResponse
    from kebab_wire import SearchBriefV1, SearchResponseV1


def wire_found(app: App, response: SearchResponse, *, brief: bool) -> SearchResponseV1 | SearchBriefV1:
    """Return what was found, whole or as agents get it.

    Args:
        app: The knowledge base, which knows what misspelt values of filters may mean.
        response: What was found.
        brief: Whether in brief.
    """
    from kebab_wire import wire_search_brief, wire_search_response

    if not brief:
        return wire_search_response(response)
    return wire_search_brief(response, near_values=app.find_near_values(response))
