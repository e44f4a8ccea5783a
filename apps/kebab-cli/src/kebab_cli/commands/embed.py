"""`kebab embed`."""

from __future__ import annotations

import click

from kebab_cli.ingest_watch import exit_code_of, watch_ingest
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session


@click.command(cls=KebabCommand)
@click.option("--wait", is_flag=True, help="Wait for another writer instead of failing.")
@click.pass_context
def command(context: click.Context, /, *, wait: bool) -> None:
    """Give passages that wait for them their vectors.

    An ingest does this by itself, unless it was told not to, was stopped, or had no model. No file is looked at.
    Vectors that were lost come back without asking the model again. Ctrl-C stops after the batch in hand; what is
    done stays done; so it does where the model fails on the way.

    Examples:
      kebab embed
      kebab embed --wait --json
    """
    from kebab_cli.views.ingest import render_embedding_report

    session = Session(context)
    with session.open_app() as app:
        report = watch_ingest(
            session,
            app,
            lambda sink, cancel: app.embed(sink=sink, cancel=cancel, wait=wait),
            render=render_embedding_report,
            piece="batch",
        )
    context.exit(exit_code_of(report, is_asked_for=False))
