"""`kebab ingest`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kebab_cli.exit_codes import ERROR, INTERRUPTED, SUCCESS
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session

if TYPE_CHECKING:
    from kebab_app import App


@contextmanager
def _first_step_hinted(app: App) -> Iterator[None]:
    """Where nothing was ever set up, lead to `init` instead of to a folder that only the defaults name."""
    from kebab_core import StorageError

    try:
        yield
    except StorageError as error:
        if app.loaded.config_path is None and not app.loaded.paths.sources[0].root.exists():
            error.hint = "kebab init --root FOLDER, with the folder that holds your documents"
        raise


@click.command(cls=KebabCommand)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--summary-only", is_flag=True, help="Leave the list of files out of the report.")
@click.option("--verify", is_flag=True, help="Compare contents even where size and time are unchanged.")
@click.option("--force", is_flag=True, help="Process every file again.")
@click.option("--prune", is_flag=True, help="Remove documents even when more than half of a source is gone.")
@click.option("--wait", is_flag=True, help="Wait for another writer instead of failing.")
@click.pass_context
def command(context: click.Context, /, path: Path | None, **flags: bool) -> None:
    """Read new and changed files into the index.

    PATH is a file or folder inside a configured source; without it everything is looked at. Files that are
    gone leave the index; a second run over unchanged files does nothing. Ctrl-C stops after the file in hand; what is done stays done.

    Examples:
      kebab ingest
      kebab ingest ~/Notes/papers
      kebab ingest --json --summary-only
    """
    from kebab_app import CancelToken, IngestOptions

    from kebab_cli.interrupt import cancel_on_interrupt
    from kebab_cli.progress import make_sink
    from kebab_cli.views.ingest import render_report

    session = Session(context)
    cancel = CancelToken()
    with (
        session.open_app() as app,
        _first_step_hinted(app),
        make_sink(session) as sink,
        cancel_on_interrupt(cancel, session.console),
    ):
        report = app.ingest(path, sink=sink, cancel=cancel, options=IngestOptions(**flags))
    if session.console.json:
        from kebab_wire import wire_ingest_report

        session.console.wire(wire_ingest_report(report))
    else:
        render_report(session.console, report)
    if report.aborted:
        context.exit(INTERRUPTED)
    counts = report.counts
    usable = counts.new + counts.updated + counts.unchanged + counts.moved
    context.exit(ERROR if counts.errors and not usable else SUCCESS)
