"""`kebab export`."""

from __future__ import annotations

from pathlib import Path

import click

from kebab_cli.options import KebabCommand
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@pass_session
def command(session: Session, /, file: Path, *, force: bool) -> None:
    """Back up the knowledge base into one file.

    FILE is a ZIP archive of the configuration, the database with answers and vectors, the copies of your documents,
    external documents and evaluations. It is not encrypted. Downloaded models, logs and your own folders are left
    out. Other commands may write meanwhile; FILE is a consistent snapshot.

    Examples:
      kebab export ~/backup/kebab.zip
      kebab export /media/usb/kebab.zip --force
    """
    from kebab_wire import wire_export

    from kebab_cli.byte_progress import show_bytes
    from kebab_cli.views.backup import render_export

    with session.open_app() as app, show_bytes(session.console) as progress:
        backup = app.export_backup(file, replace=force, progress=progress)
        report = wire_export(
            backup, path=file.expanduser().absolute(), keys_like_secrets=app.loaded.keys_like_secrets
        )
    session.console.show_change(report, render_export)
