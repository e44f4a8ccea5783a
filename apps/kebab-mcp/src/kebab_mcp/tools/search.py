"""`search`: passages in brief."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_mcp.call import count_hit
from kebab_mcp.search_arguments import (
    FILTER_LEGEND,
    SearchArguments,
    UnlistedArguments,
    build_query,
    wire_response,
)
from kebab_mcp.tool import Tool

if TYPE_CHECKING:
    from kebab_wire import SearchBriefV2

    from kebab_mcp.call import Call


def _run(call: Call, arguments: SearchArguments) -> SearchBriefV2:
    app = call.app
    response = app.search(build_query(arguments, app.base), count_hit=count_hit, cancel=call.token)
    call.raise_if_cancelled()
    return wire_response(app, response, nearest=arguments.nearest)


TOOL = Tool(
    name="search",
    description=(
        "Search the user's documents; a hit shows the best passage. Korean or English; "
        '"…" must occur exactly; symbol: code by name. '
        f"{FILTER_LEGEND}"
    ),
    arguments=SearchArguments,
    hidden_arguments=UnlistedArguments,
    returns="search_brief.v2",
    run=_run,
)
