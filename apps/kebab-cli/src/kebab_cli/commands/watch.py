"""`kebab watch`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Literal

import click

from kebab_cli.exit_codes import INTERRUPTED, SUCCESS
from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, no_embed_option
from kebab_cli.render import Console, safe_name, show_hint
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_core import CancelToken
    from kebab_wire import WatchServiceV1


@click.command(cls=KebabCommand)
@no_embed_option
@click.option(
    "--install",
    is_flag=True,
    help="Write a service file that runs this at each login, and print how to start it.",
)
@click.option("--uninstall", is_flag=True, help="Delete that service.")
@pass_session
def command(session: Session, /, *, no_embed: bool, install: bool, uninstall: bool) -> int:
    """Watch all sources and index changed files.

    Full-text search finds a saved file within two seconds; its embeddings follow. Other commands work meanwhile. If
    a disk or folder disappears, its documents stay indexed until it is back. Configuration changes are applied.
    Ctrl-C stops after the current file.

    Examples:
      kebab watch
      kebab watch --quiet
      kebab watch --json
      kebab watch --install
    """
    if install and uninstall:
        raise click.UsageError(tr("--install and --uninstall cannot be used together"))
    if install or uninstall:
        _set_up_service(session, install=install)
        return SUCCESS
    from signal import SIGINT

    from kebab_app import App, WatchEnd, WatchOptions
    from kebab_core import CancelToken

    from kebab_cli.views.watch import WatchView

    cancel = CancelToken()
    view = WatchView(session.console, cancel)
    with _signals_cancel(cancel, session.console) as received:
        stamp = _stamp(session)
        loaded = session.load()
        while True:
            with App(loaded, readonly=session.readonly) as app:
                options = WatchOptions(
                    tell=view.tell,
                    sink=view.sink if session.console.json else None,
                    cancel=cancel,
                    with_vectors=not no_embed,
                    is_outdated=lambda stamp=stamp: _stamp(session) != stamp,  # type: ignore[misc]
                )
                end = app.watch(options)
            if end is WatchEnd.STOPPED:
                return INTERRUPTED if SIGINT in received else SUCCESS
            stamp = _stamp(session)
            loaded = _reload(session, loaded)


def _set_up_service(session: Session, *, install: bool) -> None:
    """Write or delete the file of the service; what starts or stops it is printed.

    Raises:
        StorageError: The file cannot be written or deleted.
    """
    from kebab_core import Message, StorageError
    from kebab_wire import WatchServiceV1

    from kebab_cli.service import WatchService

    session.require_writable()
    service = WatchService.of(session.load().config_path, home=Path.home(), environ=session.environ)
    try:
        is_there = service.install() if install else service.uninstall()
    except OSError as error:
        raise StorageError(
            "cannot write {path!r}: {reason}",
            hint=Message("check the folder and its permissions"),
            path=str(service.path),
            _reason=error.strerror,
        ) from error
    status: Literal["written", "removed", "missing"] = "written"
    if not install:
        status = "removed" if is_there else "missing"
    command = service.start if install else service.stop
    report = WatchServiceV1(path=str(service.path), status=status, command=command)
    session.console.show_change(report, _render_service)


def _render_service(console: Console, report: WatchServiceV1) -> None:
    status = {"written": tr("written"), "removed": tr("removed"), "missing": tr("missing")}[report.status]
    console.line(f"{status}  {safe_name(report.path)}")
    if report.status != "missing":
        show_hint(console, safe_name(report.command))


def _reload(session: Session, before: LoadedSettings) -> LoadedSettings:
    """Load the changed settings; those of before where they cannot be loaded."""
    from kebab_core import KebabError

    from kebab_cli.remedies import hint_of

    try:
        loaded = session.load()
    except KebabError as error:
        session.console.error(error.message, hint_of(error))
        session.console.remark(tr("the settings from before stay in force"))
        return before
    session.console.remark(tr("the configuration has changed and is in force"))
    return loaded


def _stamp(session: Session) -> tuple[int, int, int] | None:
    """Identity, size and time of the configuration file; None where there is none."""
    from kebab_config import default_config_file

    path: Path = session.options.config or default_config_file(session.environ)
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _signals_cancel(cancel: CancelToken, console: Console) -> Iterator[set[int]]:
    """Inside the block, SIGINT and SIGTERM cancel, and a second one ends the process at once; after SIGINT an alert says so.

    Yields:
        The signals that came.
    """
    import signal

    received: set[int] = set()

    def interrupt(number: int, _frame: FrameType | None) -> None:
        if received:
            os._exit(INTERRUPTED)
        received.add(number)
        cancel.cancel()
        if number == signal.SIGINT:
            console.alert(tr("stopping; Ctrl-C again stops at once"))

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
