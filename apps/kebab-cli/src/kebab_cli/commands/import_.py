"""`kebab import`."""

from __future__ import annotations

from pathlib import Path

import click

from kebab_cli.options import KebabCommand
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace an existing configuration and knowledge base.")
@pass_session
def command(session: Session, /, file: Path, *, replace: bool) -> None:
    """Restore a knowledge base from a file of `kebab export`.

    Search works at once. The configuration goes to its default place or to --config, everything else into the data
    folder that it names. FILE is unpacked and checked as a whole before anything changes. Your own folders are not
    in it: until they are back, or the configuration names others, their documents stay indexed.

    Examples:
      kebab import ~/backup/kebab.zip
      kebab import /media/usb/kebab.zip --replace
    """
    from kebab_app import import_backup
    from kebab_wire import wire_import

    from kebab_cli.byte_progress import show_bytes
    from kebab_cli.views.backup import render_import

    session.require_writable()
    with show_bytes(session.console) as progress:
        result = import_backup(
            file,
            config_path=session.options.config,
            environ=session.environ,
            replace=replace,
            progress=progress,
        )
    session.console.show(wire_import(result), render_import)
