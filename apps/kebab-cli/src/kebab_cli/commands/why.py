"""`kebab why`."""

from __future__ import annotations

from typing import Any

import click

from kebab_cli.exit_codes import NO_RESULT, SUCCESS
from kebab_cli.filters import filter_options, flag_error
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session


@click.command(cls=KebabCommand)
@click.argument("file")
@click.option("--query", metavar="TEXT", help="What should find it, as you would search for it.")
@click.option("--k", type=click.IntRange(1, 1000), help="Hits that are shown.  [default: search.default_k]")
@click.option(
    "--mode",
    type=click.Choice(["lexical", "vector", "hybrid"]),
    help="By words, by meaning, or both.  [default: both where a model is configured, else words]",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Whether it is among hits of no more than about N tokens as JSON.",
)
@filter_options
@click.pass_context
def command(context: click.Context, /, file: str, *, query: str | None, **flags: Any) -> None:
    """Tell why a file is not found, and what to do about it.

    Follows FILE on its way: does it lie in a source, which rule leaves it out, did ingest fail on it, has it changed
    since, which passages did it become, do they have vectors. With --query also: which words of the query stand in
    which passage, where the file stands by words, by meaning and by both, as deep as search looks, and what drops it: a
    filter, the floor, the number of hits. FILE is a path on disk, a path as hits show it, or a document id. Nothing is
    changed. Exit code 1: it cannot be found, or not by this query.

    Examples:
      kebab why 회의록/2026-03.md
      kebab why notes/deploy.md --query "how do we roll back?"
      kebab why notes/deploy.md --query 배포 --lang ko --k 5 --json
    """
    from kebab_app import build_search_query

    session = Session(context)
    _require_query(context, query)
    with session.open_app() as app:
        asked = None
        if query is not None:
            wanted = {name: flags[name] for name in ("mode", "k", "max_tokens")}
            asked = build_search_query(
                app.loaded.settings, query, filters=flags, complain=flag_error, **wanted
            )
        report = app.why(file, query=asked)
        if session.console.json:
            session.console.wire(report)
        else:
            from kebab_cli.views.why import render_why

            render_why(session.console, report)
    context.exit(SUCCESS if report.can_be_found else NO_RESULT)


def _require_query(context: click.Context, query: str | None) -> None:
    """Do nothing where there is a query, or nothing that needs one.

    Raises:
        UsageError: A flag is given that says how to search, but not for what.
    """
    if query is not None:
        return
    for param in context.command.params:
        if isinstance(param, click.Option) and param.name and context.params.get(param.name):
            raise click.UsageError(f"{param.opts[0]} says how to search: add --query", ctx=context)
