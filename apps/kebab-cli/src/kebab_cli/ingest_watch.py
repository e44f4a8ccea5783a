"""A run of ingest or embed on the command line: progress, Ctrl-C, the report. Shared by the commands that ingest."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import click

from kebab_cli.exit_codes import ERROR, INTERRUPTED, SUCCESS
from kebab_cli.session import Session

if TYPE_CHECKING:
    from kebab_app import App, CancelToken
    from kebab_core import IngestReport

    from kebab_cli.progress import Piece, Sink
    from kebab_cli.render import Console


def watch_ingest(
    session: Session,
    app: App,
    work: Callable[[Sink, CancelToken], IngestReport],
    *,
    render: Callable[[Console, IngestReport], None] | None = None,
    piece: Piece = "file",
) -> IngestReport:
    """Run an ingest, show its progress, and print its report.

    Args:
        session: The command.
        app: The knowledge base.
        work: The ingest.
        render: Prints the report for people; None is the one for files.
        piece: The unit that the work begins with, and finishes if it is stopped at once.

    Returns:
        The report.
    """
    from kebab_app import CancelToken

    from kebab_cli.progress import CurrentWork, SlowestFiles, make_sink
    from kebab_cli.views.ingest import render_report

    cancel = CancelToken()
    with (
        _first_step_advised(app),
        make_sink(session) as sink,
    ):
        slowest = SlowestFiles(sink)
        current = CurrentWork(slowest.watch, piece=piece)
        with cancel_on_interrupt(cancel, session.console, current_piece=lambda: current.piece):
            report = work(current.watch, cancel)
    if session.console.json:
        from kebab_wire import wire_ingest_report

        from kebab_cli.remedies import render_remedy

        session.console.wire(wire_ingest_report(report, render=render_remedy))
    else:
        (render or render_report)(session.console, report)
        slowest.render(session.console)
    return report


def exit_code_of(report: IngestReport, *, is_asked_for: bool) -> int:
    """Exit code of a run.

    Args:
        report: Of the run.
        is_asked_for: Whether the files were given by name, so that taking none of them is an error.
    """
    if report.aborted:
        return INTERRUPTED
    counts = report.counts
    usable = counts.new + counts.updated + counts.unchanged + counts.moved
    return ERROR if (counts.errors or is_asked_for) and not usable else SUCCESS


@contextmanager
def _first_step_advised(app: App) -> Iterator[None]:
    """Advise `init` where nothing is set up, instead of a folder that only the defaults name.

    Yields:
        Nothing.

    Raises:
        StorageError: As raised inside the block, with that remedy.
    """
    from kebab_core import Remedy, StorageError

    try:
        yield
    except StorageError as error:
        if app.loaded.config_path is None and not app.loaded.paths.sources[0].root.exists():
            error.remedy = Remedy(kind="init")
        raise


@contextmanager
def cancel_on_interrupt(
    cancel: CancelToken, console: Console, *, current_piece: Callable[[], str]
) -> Iterator[None]:
    """Inside the block, the first SIGINT cancels the work; a second one ends the process at once.

    Work whose reader goes away (`kebab ingest --json | head`) stops too, and counts as interrupted.

    Args:
        cancel: Token that the work checks.
        console: Prints that the work stops.
        current_piece: Names the unit that is finished before the work stops.

    Yields:
        Nothing.

    Raises:
        click.exceptions.Exit: The reader is gone.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if cancel.is_cancelled:
            os._exit(INTERRUPTED)
        cancel.cancel()
        console.alert(f"stopping after the {current_piece()} in hand; Ctrl-C again stops at once")

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGINT, before)
