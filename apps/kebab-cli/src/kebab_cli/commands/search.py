"""`kebab search`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.filters import build_filters, filter_options
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session

if TYPE_CHECKING:
    from kebab_config import Settings
    from kebab_core import SearchQuery


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
@click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Hits of no more than about N tokens as JSON: snippets are shortened first, then hits left out.",
)
@click.option(
    "--cursor", metavar="TEXT", help="Go on where a result of the same query ended: its next_cursor."
)
@click.option("--explain", is_flag=True, help="Show for each hit how it was found.")
@click.option("--trace", is_flag=True, help="Show how the result came about: terms, candidates, order, time.")
@filter_options
@click.pass_context
def command(context: click.Context, /, query: str, *, explain: bool, **flags: Any) -> None:
    """Find passages.

    Ask in your own words or give keywords; "…" inside the query must occur exactly. Filters narrow what is
    searched: values of one filter are alternatives, different filters must all hold. Where there is more to see,
    the result has a next_cursor; it holds until the index changes. Exit code 1: no hit.

    Examples:
      kebab search "벡터 인덱스는 언제 다시 만드나요?"
      kebab search 'deploy "blue green"' --tag ops --k 5
      kebab search 이벤트 --path-glob "notes/2026/**" --json
    """
    from kebab_cli.views.search import render_search

    session = Session(context)
    with session.open_app() as app:
        response = app.search(_build_query(query, flags, settings=app.loaded.settings))
        if session.console.json:
            from kebab_wire import wire_search_response

            session.console.wire(wire_search_response(response))
        else:
            render_search(session.console, response, app=app, explain=explain)
    context.exit(SUCCESS if response.hits else NO_RESULT)


def _build_query(text: str, flags: Mapping[str, Any], *, settings: Settings) -> SearchQuery:
    from kebab_core import SearchMode, SearchQuery

    both = settings.models.embedding.provider != "none"
    default = SearchMode.HYBRID if both else SearchMode.LEXICAL
    return SearchQuery(
        text=text,
        mode=SearchMode(flags["mode"]) if flags["mode"] else default,
        k=flags["k"] or settings.search.default_k,
        filters=build_filters(flags),
        snippet_chars=flags["snippet_chars"],
        max_tokens=flags["max_tokens"],
        cursor=flags["cursor"],
        trace=flags["trace"],
    )
