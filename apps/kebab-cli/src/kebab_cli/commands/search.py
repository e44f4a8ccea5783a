"""`kebab search`."""

from __future__ import annotations

from typing import Any

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.filters import build_filters, filter_options
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session


@click.command(cls=KebabCommand)
@click.argument("query")
@click.option("--k", type=click.IntRange(1, 1000), help="Hits at most.  [default: search.default_k]")
@click.option(
    "--mode",
    type=click.Choice(["lexical", "vector", "hybrid"]),
    help="By words, by meaning, or both.  [default: both where a model is configured, else words]",
)
@click.option(
    "--snippet-chars",
    type=click.IntRange(20, 10_000),
    help="Length of a snippet.  [default: search.snippet_chars]",
)
@click.option("--explain", is_flag=True, help="Show for each hit how it was found.")
@filter_options
@click.pass_context
def command(
    context: click.Context,
    /,
    query: str,
    *,
    k: int | None,
    mode: str | None,
    snippet_chars: int | None,
    explain: bool,
    **filters: Any,
) -> None:
    """Find passages.

    Ask in your own words or give keywords; "…" inside the query must occur exactly. Filters narrow what is
    searched: values of one filter are alternatives, different filters must all hold. Exit code 1: no hit.

    Examples:
      kebab search "벡터 인덱스는 언제 다시 만드나요?"
      kebab search 'deploy "blue green"' --tag ops --k 5
      kebab search 이벤트 --path-glob "notes/2026/**" --json
    """
    from kebab_core import SearchMode, SearchQuery

    from kebab_cli.views.search import render_search

    session = Session(context)
    with session.open_app() as app:
        settings = app.loaded.settings
        both = settings.models.embedding.provider != "none"
        response = app.search(
            SearchQuery(
                text=query,
                mode=SearchMode(mode) if mode else SearchMode.HYBRID if both else SearchMode.LEXICAL,
                k=k or settings.search.default_k,
                filters=build_filters(filters),
                snippet_chars=snippet_chars,
            )
        )
        if session.console.json:
            from kebab_wire import wire_search_response

            session.console.wire(wire_search_response(response))
        else:
            render_search(session.console, response, loaded=app.loaded, explain=explain)
    context.exit(SUCCESS if response.hits else NO_RESULT)
