"""`kebab list`."""

from __future__ import annotations

from typing import Any

import click

from kebab_cli.filters import filter_options, flag_error
from kebab_cli.options import KebabGroup
from kebab_cli.session import Session, pass_session


@click.group(cls=KebabGroup)
def command() -> None:
    """List what is in the index.

    Examples:
      kebab list docs
      kebab list docs --media markdown --path-glob "notes/**"
      kebab list docs --ingested-after 2026-11-01 --limit 20
    """


@command.command("docs")
@filter_options
@click.option("--limit", type=click.IntRange(1, 1_000_000_000), metavar="N", help="The first N only.")
@pass_session
def docs(session: Session, /, **values: Any) -> None:
    """List documents by source and path."""
    from kebab_app import build_doc_filter

    from kebab_cli.views.documents import render_list

    criteria = build_doc_filter(values, limit=values["limit"], complain=flag_error)
    with session.open_app() as app:
        summaries = app.list_documents(criteria)
        stale = [app.is_stale(summary) for summary in summaries]
        if session.console.json:
            from kebab_wire import wire_doc_list

            session.console.wire(wire_doc_list(summaries, stale=stale, find_file=app.find_existing_file))
        else:
            render_list(session.console, summaries, stale=stale, is_narrowed=not criteria.is_empty)
