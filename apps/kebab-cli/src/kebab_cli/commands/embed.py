"""`kebab embed`."""

from __future__ import annotations

import click

from kebab_cli.options import KebabCommand, embed_for_option, wait_option
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@embed_for_option("Stop after this time, such as 30s, 5m or 1h; the next run continues.")
@wait_option
@pass_session
def command(session: Session, /, *, embed_for: float | None, wait: bool) -> int:
    """Compute missing embeddings.

    `kebab ingest` computes them too, unless it ran with --no-embed, was stopped, or had no model. No file is read.
    Lost vectors are restored without running the model again. Ctrl-C stops after the current batch; finished
    batches are kept, also if the model fails.

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
