"""`kebab ingest`."""

from __future__ import annotations

from pathlib import Path

import click

from kebab_cli.options import KebabCommand, embed_for_option, no_embed_option, wait_option
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--summary-only", is_flag=True, help="Leave the list of files out of the report.")
@click.option("--verify", is_flag=True, help="Compare contents even if size and time are unchanged.")
@click.option("--force", is_flag=True, help="Process every file again.")
@click.option("--prune", is_flag=True, help="Remove documents even if more than half of a source is gone.")
@click.option(
    "--no-ocr", is_flag=True, help="Leave text in pictures and speech in recordings for a later run."
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Work on the machines of this Ray cluster: auto, host:port, or local.  [default: cluster.ray]",
)
@no_embed_option
@embed_for_option("Compute embeddings for at most this time, such as 30s, 5m or 1h; the next run continues.")
@wait_option
@pass_session
def command(
    session: Session,
    /,
    path: Path | None,
    *,
    no_ocr: bool,
    cluster: str | None,
    no_embed: bool,
    embed_for: float | None,
    **flags: bool,
) -> int:
    """Index new and changed files; drop deleted files.

    PATH is a file or folder inside a configured source; without it all sources are scanned. Deleted files are
    dropped from the index; unchanged files are skipped. Full-text search finds a document as soon as it is read;
    text in pictures is recognised and embeddings are computed when all files are read. Ctrl-C stops after the current
    file or batch; finished work is kept. With --cluster, the machines that `kebab worker` joined do the work.

    Examples:
      kebab ingest
      kebab ingest ~/Notes/papers
      kebab ingest --embed-for 5m
      kebab ingest --cluster auto
      kebab ingest --json --summary-only
    """
    from kebab_app import IngestOptions

    from kebab_cli.progress import watch_ingest

    no_embed = no_embed or embed_for == 0
    options = IngestOptions(
        ocr=not no_ocr,
        embed=not no_embed,
        embed_for_s=embed_for,
        cluster=cluster,
        tells_unchanged=session.console.json,
        **flags,
    )
    with session.open_app() as app:
        return watch_ingest(
            session,
            app,
            lambda sink, cancel: app.ingest(path, sink=sink, cancel=cancel, options=options),
            no_embed=no_embed,
        )
