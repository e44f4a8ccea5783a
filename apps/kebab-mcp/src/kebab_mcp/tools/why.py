"""`why`: the reason why a file is found or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_mcp.search_arguments import FilterArguments, NamedFilters
from kebab_mcp.tool import Tool

if TYPE_CHECKING:
    from kebab_wire import WhyV1

    from kebab_mcp.call import Call


_MAX_PASSAGES = 3
"""Passages of the report, for each of which a reader pays; `kebab why` has them all."""


class WhyArguments(FilterArguments):
    """The file, and the query with its filters that should find it."""

    path: str
    query: str | None = None


def _run(call: Call, arguments: WhyArguments) -> WhyV1:
    from kebab_app import build_search_query
    from kebab_wire import wire_why

    from kebab_mcp.remedies import render_remedy
    from kebab_mcp.search_arguments import argument_error

    app, query = call.app, None
    if arguments.query is not None:
        query = build_search_query(
            app.base, arguments.query, filters=dict(arguments), complain=argument_error
        )
    report = wire_why(app.why(arguments.path, query=query), render=render_remedy)
    told = [each for each in report.passages if each.terms or query is None]
    return report.model_copy(update={"passages": tuple(told[:_MAX_PASSAGES])})


TOOL = Tool(
    name="why",
    description="Explain why a file is not found, at all or by a query.",
    arguments=WhyArguments,
    hidden_arguments=NamedFilters,
    returns="why.v1",
    run=_run,
)
