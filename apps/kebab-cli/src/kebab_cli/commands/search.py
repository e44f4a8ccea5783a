"""`kebab search`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.filters import filter_options, flag_error, mode_option
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import SearchResponse
    from kebab_wire import SearchBriefV1, SearchResponseV1


@click.command(cls=KebabCommand)
@click.argument("query", required=False)
@click.option("--k", type=click.IntRange(1, 1000), help="Hits at most.  [default: search.default_k]")
@mode_option()
@click.option(
    "--snippet-chars",
    type=click.IntRange(20, 10_000),
    help="Length of a snippet.  [default: search.snippet_chars]",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Hits of no more than about N tokens as JSON: snippets are shortened first, then hits left out.",
)
@click.option(
    "--cursor", metavar="TEXT", help="Go on where a result of the same query ended: its next_cursor."
)
@click.option(
    "--brief",
    is_flag=True,
    help="With --json, a fifth of the words: hits as agents get them. --max-tokens counts hits as they are in brief.",
)
@click.option("--explain", is_flag=True, help="Show for each hit how it was found.")
@click.option("--trace", is_flag=True, help="Show how the result came about: terms, candidates, order, time.")
@click.option(
    "--bulk",
    is_flag=True,
    help="Read many queries from standard input, one JSON object on each line; other flags do not count.",
)
@filter_options
@click.pass_context
def command(
    context: click.Context, /, query: str | None, *, explain: bool, bulk: bool, brief: bool, **flags: Any
) -> None:
    """Find passages.

    Ask in your own words or give keywords; "…" inside the query must occur exactly. Filters narrow what is
    searched: values of one filter are alternatives, different filters must all hold. Where there is more to see,
    the result has a next_cursor; it holds until the index changes. Exit code 1: no hit.

    With --bulk each line of standard input is a query of its own, 100 at most, with fields named like these flags;
    what goes wrong with one leaves the others alone. Exit code 0: all were searched for, whatever was found.

    Examples:
      kebab search "벡터 인덱스는 언제 다시 만드나요?"
      kebab search 'deploy "blue green"' --tag ops --k 5
      kebab search 이벤트 --path-glob "notes/2026/**" --json
      kebab search "배포 절차" --json --brief --max-tokens 1300
      echo '{"query": "색인", "k": 3, "lang": "ko"}' | kebab search --bulk --json
    """
    from kebab_app import build_search_query

    session = Session(context)
    if bulk:
        _search_in_bulk(session, explain=explain, brief=brief, ignored=_list_given(context))
        context.exit(SUCCESS)
    if query is None:
        raise click.MissingParameter(ctx=context, param_type="argument", param_hint="'QUERY'")
    with session.open_app(brief=brief) as app:
        asked = build_search_query(
            app.base,
            query,
            filters=flags,
            complain=flag_error,
            **{name: flags[name] for name in ("mode", "k", "snippet_chars", "max_tokens", "cursor", "trace")},
        )
        response = app.search(asked)
        if session.console.json:
            session.console.wire(_to_wire(app, response, brief=brief))
        else:
            from kebab_cli.views.search import render_search

            render_search(session.console, response, app=app, explain=explain)
    context.exit(SUCCESS if response.hits else NO_RESULT)


def _to_wire(app: App, response: SearchResponse, *, brief: bool) -> SearchResponseV1 | SearchBriefV1:
    """Make the wire object of a result, whole or in brief as agents get it."""
    from kebab_wire import wire_search_brief, wire_search_response

    from kebab_cli.remedies import render_remedy

    if not brief:
        return wire_search_response(response, render=render_remedy)
    return wire_search_brief(response, near_values=app.find_near_values(response), render=render_remedy)


def _search_in_bulk(session: Session, *, explain: bool, brief: bool, ignored: Sequence[str]) -> None:
    from kebab_cli.bulk_search import run_bulk_search

    if ignored:
        session.console.remark(
            f"warning: with --bulk each line says for itself: {', '.join(ignored)} ignored"
        )
    with session.open_app(brief=brief) as app:
        run_bulk_search(session, app, explain=explain, to_wire=partial(_to_wire, brief=brief))


def _list_given(context: click.Context) -> list[str]:
    """List given arguments that have no effect with `--bulk`."""
    given = (
        param
        for param in context.command.params
        if context.params.get(param.name or "") and param.name not in {"bulk", "brief", "explain"}
    )
    return [param.opts[0] if isinstance(param, click.Option) else "QUERY" for param in given]
