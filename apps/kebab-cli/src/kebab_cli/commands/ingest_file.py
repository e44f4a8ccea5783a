"""`kebab ingest-file`."""

from __future__ import annotations

from pathlib import Path

import click

from kebab_cli.ingest_watch import exit_code_of, watch_ingest
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session


@click.command(cls=KebabCommand)
@click.argument("paths", metavar="PATH...", required=True, nargs=-1, type=click.Path(path_type=Path))
@click.option("--no-embed", is_flag=True, help="Leave vectors for later (`kebab embed`).")
@click.option("--wait", is_flag=True, help="Wait for another writer instead of failing.")
@click.pass_context
def command(context: click.Context, /, paths: tuple[Path, ...], *, no_embed: bool, wait: bool) -> None:
    """Read single files into the index, wherever they lie.

    A file inside a configured source is read where it is. Any other is copied into the folder _external of the
    first source and stays a document until its copy is deleted, whatever ignore rules say. A file that kebab
    cannot read ends the command before anything is done.

    Examples:
      kebab ingest-file ~/Downloads/report.md
      kebab ingest-file --json letter.txt minutes.md
    """
    from kebab_cli.views.ingest import render_documents, render_waiting

    session = Session(context)
    with session.open_app() as app:
        report = watch_ingest(
            session,
            app,
            lambda sink, cancel: app.ingest_file(
                *paths, sink=sink, cancel=cancel, wait=wait, embed=not no_embed
            ),
        )
        if not session.console.json:
            render_documents(session.console, report)
            if no_embed:
                render_waiting(session.console, app.count_waiting_passages())
    context.exit(exit_code_of(report, is_asked_for=True))
