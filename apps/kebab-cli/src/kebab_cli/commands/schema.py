"""`kebab schema`."""

from __future__ import annotations

import click

from kebab_cli.options import KebabCommand
from kebab_cli.session import Session


@click.command(cls=KebabCommand)
@click.pass_context
def command(context: click.Context) -> None:
    """Tell what kebab can do and what it holds.

    Capabilities, wire objects, versions at work, and statistics of the index.

    Examples:
      kebab schema
      kebab schema --json
    """
    from kebab_cli.views.status import render_schema

    session = Session(context)
    with session.open_app() as app:
        report = app.schema()
    if session.console.json:
        session.console.wire(report)
    else:
        render_schema(session.console, report)
