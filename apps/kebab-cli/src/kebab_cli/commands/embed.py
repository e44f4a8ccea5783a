"""`kebab embed`."""

from __future__ import annotations

import click

from kebab_cli.options import KebabCommand, embed_for_option, wait_option
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@embed_for_option("Stop after this time, such as 30s, 5m or 1h; the next run goes on.")
@wait_option
@pass_session
def command(session: Session, /, *, embed_for: float | None, wait: bool) -> int:
    """Give passages that wait for them their vectors.

    An ingest does this by itself, unless it was told not to, was stopped, or had no model. No file is looked at.
    Vectors that were lost come back without asking the model again. Ctrl-C stops after the batch in hand; what is
    done stays done; so it does where the model fails on the way.

    Examples:
      kebab embed
      kebab embed --embed-for 10m
      kebab embed --wait --json
    """
    from kebab_cli.progress import watch_ingest
    from kebab_cli.views.ingest import render_embedding_report

    with session.open_app() as app:
        return watch_ingest(
            session,
            app,
            lambda sink, cancel: app.embed(sink=sink, cancel=cancel, wait=wait, embed_for_s=embed_for),
            render=render_embedding_report,
            piece="batch",
        )
