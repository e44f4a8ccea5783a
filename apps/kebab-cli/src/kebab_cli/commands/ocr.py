"""`kebab ocr`."""

from __future__ import annotations

from pathlib import Path

import click

from kebab_cli.options import KebabCommand, no_embed_option, wait_option
from kebab_cli.session import Session, pass_session


@click.command(cls=KebabCommand)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@no_embed_option
@wait_option
@pass_session
def command(session: Session, /, path: Path | None, *, no_embed: bool, wait: bool) -> int:
    """Recognise text in pictures and speech in recordings.

    PATH is a file or folder inside a configured source; every picture and scanned page in it is read, also those that
    `ingest.ocr.pictures` leaves unread, and every recording heard. Without it, what the settings have read. Pages that
    failed are tried again.
    New and changed files are indexed first, as by `kebab ingest`. Ctrl-C stops after the current picture; what was
    read is kept.

    Examples:
      kebab ocr
      kebab ocr ~/Notes/screenshots
      kebab ocr scan.pdf --json
    """
    from kebab_app import IngestOptions

    from kebab_cli.progress import watch_ingest

    options = IngestOptions(
        embed=not no_embed,
        wait=wait,
        reads_all_pictures=path is not None,
        reads_pictures_again=True,
        tells_unchanged=session.console.json,
    )
    with session.open_app() as app:
        return watch_ingest(
            session,
            app,
            lambda sink, cancel: app.ingest(path, sink=sink, cancel=cancel, options=options),
            no_embed=no_embed,
        )
