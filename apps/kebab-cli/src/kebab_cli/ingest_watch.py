"""What every command that ingests has in common: progress, Ctrl-C, the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kebab_cli.exit_codes import ERROR, INTERRUPTED, SUCCESS
from kebab_cli.session import Session

if TYPE_CHECKING:
    from kebab_app import App, CancelToken
    from kebab_core import IngestReport

    from kebab_cli.progress import Sink
    from kebab_cli.render import Console
    from kebab_cli.work_in_hand import Piece


def watch_ingest(
    session: Session,
    app: App,
    work: Callable[[Sink, CancelToken], IngestReport],
    *,
    render: Callable[[Console, IngestReport], None] | None = None,
    piece: Piece = "file",
) -> IngestReport:
    """Run an ingest under the user's eyes and print its report.

    Args:
        session: The command.
        app: The knowledge base.
        work: The ingest.
        render: Prints the report for people; None is as for files.
        piece: What the work begins with, and so finishes if it is stopped at once.

    Returns:
        What was done.
    """
    from kebab_app import CancelToken

    from kebab_cli.interrupt import cancel_on_interrupt
    from kebab_cli.progress import make_sink
    from kebab_cli.slowest import SlowestFiles
    from kebab_cli.views.ingest import render_report
    from kebab_cli.work_in_hand import WorkInHand

    cancel = CancelToken()
    with (
        _first_step_hinted(app),
        make_sink(session) as sink,
    ):
        slowest = SlowestFiles(sink)
        in_hand = WorkInHand(slowest.watch, piece=piece)
        with cancel_on_interrupt(cancel, session.console, piece_in_hand=lambda: in_hand.piece):
            report = work(in_hand.watch, cancel)
    if session.console.json:
        from kebab_wire import wire_ingest_report

        session.console.wire(wire_ingest_report(report))
    else:
        (render or render_report)(session.console, report)
        slowest.render(session.console)
    return report


def exit_code_of(report: IngestReport, *, is_asked_for: bool) -> int:
    """Return the exit code of a run.

    Args:
        report: What was done.
        is_asked_for: Whether the files were given by name, so that taking none of them is an error.
    """
    if report.aborted:
        return INTERRUPTED
    counts = report.counts
    usable = counts.new + counts.updated + counts.unchanged + counts.moved
    return ERROR if (counts.errors or is_asked_for) and not usable else SUCCESS


@contextmanager
def _first_step_hinted(app: App) -> Iterator[None]:
    """Where nothing was ever set up, lead to `init` instead of to a folder that only the defaults name.

    Yields:
        Nothing.

    Raises:
        StorageError: As raised inside the block, with that hint.
    """
    from kebab_core import StorageError

    try:
        yield
    except StorageError as error:
        if app.loaded.config_path is None and not app.loaded.paths.sources[0].root.exists():
            error.hint = "kebab init --root FOLDER, with the folder that holds your documents"
        raise
