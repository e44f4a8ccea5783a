"""`kebab ingest-file`."""

from __future__ import annotations

from pathlib import Path

import click

from kebab_cli.options import KebabCommand, no_embed_option, wait_option
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@click.argument("paths", metavar="PATH...", required=True, nargs=-1, type=click.Path(path_type=Path))
@no_embed_option
@wait_option
@pass_session
def command(session: Session, /, paths: tuple[Path, ...], *, no_embed: bool, wait: bool) -> int:
    """Index single files from any folder.

    A file inside a configured source is indexed in place. Any other file is copied into the data folder and stays
    indexed until `kebab forget` removes it; ignore rules do not apply to it. Given again, it updates its copy. If
    kebab cannot read one of the files, nothing is done.

    Examples:
      kebab ingest-file ~/Downloads/report.md
      kebab ingest-file --json letter.txt minutes.md
    """
    from kebab_cli.progress import watch_ingest

    with session.open_app() as app:
        return watch_ingest(
            session,
            app,
            lambda sink, cancel: app.ingest_file(
                *paths, sink=sink, cancel=cancel, wait=wait, embed=not no_embed
            ),
            is_named=True,
            no_embed=no_embed,
        )
